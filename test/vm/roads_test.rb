# frozen_string_literal: true

require "json"
require "tmpdir"
require_relative "support/manual_session"

# From the session to a file as Native::Profile: what it costs the profiled process, and that the
# data Hash says the same.
class VmRoadsTest < Minitest::Test
  include ManualSession

  # Bars of a program's end and of Rperf.snapshot.
  MOST_MEGABYTES = 64
  LONGEST_HOLD_MS = 5.0
  # A collection falls into some rounds, and the system stops threads at any time: the best counts.
  # Work that holds the GVL for long does so in each round.
  ROUNDS = 8

  # A program that makes distinct stacks: 5,000 of some 40 frames.
  STACKS = <<~'RUBY'
    require "rperf/layout_proof"
    def deep(left, number) = left.zero? ? pick(12, number) : deep(left - 1, number)
    def left(level, number) = pick(level, number)
    def right(level, number) = pick(level, number)
    def pick(level, number)
      return Rperf::Native.tick if level.negative?
      number[level].zero? ? left(level - 1, number) : right(level - 1, number)
    end
    def start(**more)
      Rperf::LayoutProof.ensure
      Rperf::Native.start(frequency: 1000, mode: :cpu, signal: nil, aggregate: true, lines: true, manual: true, **more)
    end
  RUBY

  def test_single_samples_cost_little_when_they_are_written
    Dir.mktmpdir do |directory|
      samples, grown = ruby(<<~RUBY).split.map(&:to_f)
        #{STACKS}
        require "rperf/output_file"
        def megabytes(name) = File.read("/proc/self/status")[/^\#{name}:\\s*(\\d+)/, 1].to_i / 1024.0
        start(aggregate: false)
        600_000.times { |number| deep(number % 12, number % 1000) }
        GC.start
        before = megabytes("VmRSS")
        profile = Rperf::Native.stop_at_end({})
        Rperf::OutputFile.new(#{directory.dump} + "/profile.json").write_profile(profile, :json, at_end: true)
        puts profile.tick_count, megabytes("VmHWM") - before
      RUBY
      # A tick before the clock has gone on weighs nothing, and is no sample.
      assert_operator samples, :>=, 599_900
      assert_operator grown, :<=, MOST_MEGABYTES
      assert_operator File.size("#{directory}/profile.json"), :>, 600_000 * 10
    end
  end

  # Another thread looks at the clocks in a loop. What it misses in one piece is at most what the
  # clock says, and what the thread that takes the snapshot has computed meanwhile: where the system
  # stopped this thread, only the second is short.
  def test_a_snapshot_never_holds_the_gvl_for_long
    stacks, *holds = ruby(<<~RUBY).split.map(&:to_f)
      #{STACKS}
      # The CPU clock of a thread, by its number (see clock_getcpuclockid of the C library).
      TAKER = (~Thread.main.native_thread_id << 3) | 6
      def clocks = [Process::CLOCK_MONOTONIC, TAKER].map { |clock| Process.clock_gettime(clock, :float_millisecond) }
      start
      5000.times { |number| deep(12, number) }
      longest = 0.0
      Thread.new do
        last = clocks
        loop do
          now = clocks
          longest = [longest, now.zip(last).map { |after, before| after - before }.min].max
          last = now
        end
      end
      holds = Array.new(#{ROUNDS}) do
        sleep 0.01
        longest = 0.0
        @profile = Rperf::Native.snapshot(false)
        sleep 0.001
        longest
      end
      puts @profile.figures[:unique_stacks], holds
    RUBY
    assert_operator stacks, :>=, 5000
assert_operator holds.min, :<=, LONGEST_HOLD_MS, holds.inspect
  end

  # Each turn of another thread is one that the GVL was given up for: it passes it on at once. In
  # each round, also where the time slice of the thread that makes the profile is over.
  def test_other_threads_have_their_turns
    turns = ruby(<<~RUBY).split.map(&:to_i)
      #{STACKS}
      # A thousand names of each make several slices.
      20_000.times { |number| eval("def method_\#{number} = Rperf::Native.tick") }
      start
      20_000.times { |number| send("method_\#{number}") }
      turns = 0
      Thread.new { loop { turns += 1; Thread.pass } }
      Thread.pass until turns.positive?
      count = lambda do |&work|
        rounds = Array.new(#{ROUNDS}) do
          before = turns
          work.call
          turns - before
        end
        puts rounds.min
      end
      profile = Rperf::Native.snapshot(false)
      count.call { Rperf::Native.snapshot(false) }
      count.call { profile.to_h }
    RUBY
    assert_operator turns.first, :>=, 5, "slices of names, and what needs no GVL"
    assert_operator turns.last, :>=, 5, "slices of the data Hash"
  end

  # What comes while a profile is made is raised, and nothing is broken.
  def test_a_signal_or_an_exception_that_comes_meanwhile
    signals, exceptions, ticks = ruby(<<~RUBY).split.map(&:to_i)
      #{STACKS}
      5_000.times { |number| eval("def method_\#{number} = Rperf::Native.tick") }
      start
      5_000.times { |number| send("method_\#{number}") }
      Signal.trap("USR1") { raise IOError, "by a signal" }
      main, asked, raised = Thread.current, Queue.new, Hash.new(0)
      Thread.new do
        while (number = asked.pop)
          sleep rand * 0.03
          number.even? ? Process.kill("USR1", Process.pid) : main.raise(KeyError, "by a thread")
        end
      end
      40.times do |number|
        asked << number
        Rperf::Native.snapshot(false).to_h
        sleep
      rescue IOError, KeyError => error
        raised[error.class] += 1
      end
      puts raised.fetch_values(IOError, KeyError), Rperf::Native.stop.tick_count
    RUBY
    assert_equal [20, 20, 5_000], [signals, exceptions, ticks]
  end

  def one = Native.tick
  def other = [nil].map { one }

  # The data Hash has all that the profile has, in the same order.
  def test_the_data_hash_makes_the_same_profile
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS, mode: :wall, aggregate: false)
    Native.set_labels(job: "first")
    3.times { one }
    Native.set_labels(job: nil)
    2.times { other }
    profile = Native.stop
    again = Native::Profile.from_h(profile.to_h)
    Native::FORMATS.each { |format| assert_equal profile.bytes(format, false, false), again.bytes(format, false, false), format }
  end

  # Of a method that no stack shows (rperf's own) a file has no name.
  def test_files_have_what_samples_have
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS)
    2.times { one }
    document = JSON.parse(Native.stop.bytes(:json, false, false))
    locations = document["stacks"].flatten.uniq
    assert_equal document["locations"].each_index.to_a, locations.sort
    assert_equal document["functions"].each_index.to_a, document["locations"].map(&:first).uniq.sort
  end

  def test_the_figures_of_a_process_go_with_its_profile
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS)
    one
    assert_raises(ArgumentError) { Native.stop_at_end({pid: Object.new}) }
    profile = Native.stop_at_end({pid: 7, yjit_ratio: nil})
    assert_equal({pid: 7, yjit_ratio: nil}, profile.figures[:stat])
    assert_equal profile.to_h.except(:samples, :aggregated_samples, :label_sets, :threads, :processes), profile.figures
    assert_nil Native.stop_at_end({})
  end
end
