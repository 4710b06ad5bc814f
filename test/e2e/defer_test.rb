# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"

# Rperf.profile, and sessions with `defer: true`, in which only its blocks are profiled. With each
# engine.
class DeferTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  ENGINES = {"poll" => {}, "poll with the native probe" => {native: true}, "safepoint" => {signal: false}}.freeze

  def setup
    @ledger = Thread::Queue.new
  end

  def teardown
    Rperf.stop
  end

  # Computes for so many seconds of CPU time, however loaded the machine is, and notes what it used.
  def inside(seconds) = note(:inside, Burning.burn(seconds))
  def outside(seconds) = note(:outside, Burning.burn(seconds))
  def nap(seconds) = note(:nap, Burning.spent(Burning::WALL) { sleep(seconds) })

  def note(name, spent)
    @ledger << [name, spent]
    spent
  end

  # What was noted since this was asked last: { name => spent }.
  def notes
    Array.new(@ledger.size) { @ledger.pop }.each_with_object(Hash.new(Burning::NOTHING)) { |(name, spent), sums| sums[name] += spent }
  end

  # The weight of all samples with this method anywhere, or of all.
  def weight(data, label = nil)
    data[:samples].sum { |frames, weight| label.nil? || frames.any? { |frame| frame[1] == "DeferTest##{label}" } ? weight : 0 }
  end

  # What the work looks like in a deferred session, with each engine, and what it noted: [[name,
  # data, notes], ...].
  def deferred(**options, &work)
    ENGINES.map do |name, more|
      [name, Rperf.start(defer: true, **options, **more, &work), notes]
    end
  end

  def test_only_blocks_are_profiled
    results = deferred(mode: :cpu) { 3.times { outside(0.05); Rperf.profile { inside(0.1) }; outside(0.05) } }
    results.each do |name, data, spent|
      assert_spent spent[:inside], weight(data, "inside"), name
      assert_not_charged spent[:outside], weight(data, "outside"), name
      assert_includes data[:comments], "deferred: Rperf.profile blocks only"
      assert_equal 1, data[:detected_thread_count], name
    end
  end

  def test_without_a_block_nothing_is_recorded
    deferred(mode: :wall) { outside(0.03); sleep 0.01; GC.start; Thread.new { outside(0.01) }.join }.each do |name, data|
      assert_empty data[:samples], name
      assert_empty data[:dropped], name
      assert_equal [0, 0, 0], data.values_at(:trigger_count, :sampling_count, :detected_thread_count), name
    end
  end

  # Of the time in blocks, the part that must be found in the methods, and what their shares may be
  # off by: with a tick in 10 ms, one share differs by 0.06 as often as not.
  WORK_AT_LEAST = 0.8
  SHARE_WITHIN = 0.22

  # Blocks much shorter than a tick, as often as not without one: together they are right.
  def test_many_short_blocks_are_measured_as_one_long_one
    results = deferred(mode: :cpu) do
      600.times { Rperf.profile { one(0.0002); three(0.0006) }; outside(0.0002) }
    end
    results.each do |name, data, spent|
      both = spent[:one] + spent[:three]
      assert_spent both, weight(data), name
      # At safepoints long C calls come first.
      assert_shares(both, spent[:one], data) unless name == "safepoint"
    end
  end

  def assert_shares(both, one, data)
    weights = %w[one three].map { |label| weight(data, label) }
    assert_operator weights.sum, :>=, weight(data) * WORK_AT_LEAST, weights.inspect
    assert_in_delta one.ns.fdiv(both.ns), weights[0].fdiv(weights.sum), SHARE_WITHIN + both.stalled.fdiv(both.ns), weights.inspect
  end

  def one(seconds) = note(:one, Burning.burn(seconds))
  def three(seconds) = note(:three, Burning.burn(seconds))

  def test_waiting_inside_of_a_block_is_measured
    deferred(mode: :wall) { sleep 0.15; Rperf.profile { nap(0.2) }; sleep 0.15 }.each do |name, data, spent|
      assert_spent spent[:nap], weight(data, "nap"), name
      assert_spent spent[:nap], weight(data), name
    end
  end

  def test_collections_count_inside_of_blocks_only
    deferred(mode: :cpu) { GC.start; Rperf.profile { 5.times { GC.start } }; GC.start }.each do |name, data|
      collections = data[:samples].select { |frames,| frames.first[0] == "<GC>" }
      refute_empty collections, name
      collections.each { |frames,| assert_includes frames.map { |frame| frame[1] }, "Integer#times", name }
    end
  end

  def test_only_threads_in_a_block_are_profiled
    results = deferred(mode: :cpu) do
      other = Thread.new { outside(0.15) }
      Rperf.profile do
        started_inside = Thread.new { outside(0.05) }
        [Thread.new { Rperf.profile { inside(0.15) } }, started_inside].each(&:join)
        inside(0.15)
      end
      other.join
    end
    results.each do |name, data, spent|
      assert_spent spent[:inside], weight(data, "inside"), name
      assert_equal 0, weight(data, "outside"), name
      assert_equal 2, data[:samples].map { |sample| sample[2] }.uniq.length, name
    end
  end

  def test_a_thread_has_one_number_in_all_its_blocks
    own = Burning::NOTHING
    data = Rperf.start(defer: true) do
      5.times { own += Rperf.profile { inside(0.04) }; Thread.new { Rperf.profile { inside(0.01) } }.join }
    end
    assert_equal 6, data[:detected_thread_count]
    threads = data[:samples].select { |frames,| frames.any? { |frame| frame[1] == "DeferTest#inside" } }.group_by { |sample| sample[2] }
    assert_spent own, threads.values.map { |samples| samples.sum { |sample| sample[1] } }.max
  end

  def test_blocks_may_be_nested
    data = Rperf.start(defer: true) do
      Rperf.profile { Rperf.profile { inside(0.1) }; inside(0.1) }
      outside(0.15)
    end
    spent = notes
    assert_spent spent[:inside], weight(data, "inside")
    assert_not_charged spent[:outside], weight(data, "outside")
  end

  def test_the_blocks_value_and_its_ways_out
    Rperf.start(defer: true)
    assert_equal 5, Rperf.profile { 5 }
    assert_raises(KeyError) { Rperf.profile { raise KeyError } }
    assert_equal(:thrown, catch(:out) { Rperf.profile { throw :out, :thrown } })
    assert_equal :broken, Rperf.profile { break :broken }
    assert_not_charged outside(0.15), weight(Rperf.stop)
  end

  def test_a_block_is_needed
    assert_equal "Rperf.profile needs a block: the code to profile", assert_raises(ArgumentError) { Rperf.profile(a: 1) }.message
  end

  def test_a_labelled_scope
    one = two = between = nil
    data = Rperf.start(defer: true) do
      Rperf.label(outer: "1") do
        one = Rperf.profile(step: "one") { inside(0.15) }
        between = outside(0.15)
      end
      two = Rperf.profile(step: "two") { Rperf.label(more: "x") { inside(0.15) } }
    end
    sets = data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[data[:label_sets][sample[3]]] += sample[1] }
    assert_spent one, sets[{outer: "1", step: "one"}]
    assert_spent two, sets[{step: "two", more: "x"}]
    assert_not_charged between, sets[{outer: "1"}] + sets[{}]
  end

  def test_without_defer_it_labels
    spent = nil
    data = Rperf.start(mode: :cpu) { Rperf.profile(step: "one") { inside(0.03) }; spent = outside(0.15) }
    assert_spent spent, weight(data, "outside")
    assert_includes data[:label_sets], {step: "one"}
  end

  def test_without_a_session_it_only_calls_the_block
    assert_equal [7, {}], Rperf.profile(a: 1) { [7, Rperf.labels] }
  end

  def test_sessions_that_begin_and_end_inside_of_a_block
    Rperf.profile { Rperf.start(defer: true); outside(0.02) }
    assert_equal 0, weight(Rperf.stop)
    Rperf.start(defer: true)
    spent = nil
    data = Rperf.profile do
      spent = inside(0.15)
      Rperf.stop.tap { Rperf.start(defer: true); outside(0.02) }
    end
    assert_spent spent, weight(data, "inside")
    assert_equal 0, weight(Rperf.stop)
  end

  def test_snapshots_inside_and_outside
    Rperf.start(defer: true)
    parts = Array.new(4) do
      Rperf.profile { inside(0.04); @part = Rperf.snapshot(clear: true); inside(0.02) }
      outside(0.01)
      [@part, Rperf.snapshot(clear: true)]
    end
    total = [*parts.flatten, Rperf.stop].sum { |part| weight(part, "inside") }
    assert_spent notes[:inside], total
  end

  def test_a_fork_inside_of_a_block
    Rperf.start(defer: true)
    data = Rperf.profile do
      pid = fork { exit!(Rperf.profile { Rperf.running? } ? 1 : 0) }
      assert_equal 0, Process.wait2(pid).last.exitstatus
      inside(0.15)
      Rperf.stop
    end
    assert_spent notes[:inside], weight(data, "inside")
  end

  # So does a process whose exec has failed.
  def test_a_child_goes_on_in_the_blocks_of_its_parent
    in_directory do |directory|
      fork, exec = "(pid = fork) && Process.wait(pid)", "begin; exec '/no/such/program'; rescue SystemCallError; end"
      {fork => 2, exec => 1, "#{exec}; #{fork}; #{exec}" => 2}.each do |turn, processes|
        write_file(directory, "program.rb", <<~RUBY)
          require #{SpentTime::BURNING.dump}
          def inside = Burning.burn(0.1)
          def outside = Burning.burn(0.1)
          Rperf.profile { Rperf.profile { #{turn}; inside }; inside }
          outside
        RUBY
        run_program(RUBY, RPERF, "record", "--defer", "-o", "a.json", RUBY, "-rrperf", "program.rb", directory:)
        data = Rperf.load(File.join(directory, "a.json"))
        weights = %w[inside outside].map { |name| data[:samples].sum { |frames, weight| frames.any? { |frame| frame[1] == "Object##{name}" } ? weight : 0 } }
        assert_in_delta processes * 0.2, weights[0] / 1e9, 0.05, turn
        assert_operator weights[1], :<, 20_000_000, turn
      end
    end
  end

  def test_the_environment_and_the_option
    code = "def inside = burn; def outside = burn; def burn = 6_000_000.times { |n| n ^ 1 }; outside; Rperf.profile(job: 'x') { inside }"
    in_directory do |directory|
      run_program(RUBY, RPERF, "record", "--defer", "-o", "a.json", RUBY, "-rrperf", "-e", code, directory:)
      run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:,
        env: {"RPERF_ENABLED" => "1", "RPERF_DEFER" => "1", "RPERF_OUTPUT" => "b.json"})
      %w[a.json b.json].each do |name|
        data = Rperf.load(File.join(directory, name))
        labels = data[:samples].flat_map { |frames,| frames.map { |frame| frame[1] } }
        assert_includes labels, "Object#inside", name
        refute_includes labels, "Object#outside", name
        assert_includes data[:label_sets], {job: "x"}
      end
    end
  end

  # How often the worker may wake up between blocks, as a part of the ticks that would be due.
  WOKEN_AT_MOST = 0.1

  # Between blocks: no ticks, and hardly a wake-up. The worker looks a few times more before it
  # rests.
  def test_between_blocks_nothing_wakes
    ENGINES.each do |name, more|
      Rperf.start(defer: true, mode: :wall, **more)
      Rperf.profile { inside(0.01) }
      outside(0.2)
      Rperf.snapshot(clear: true)
      before = switches_of_worker
      due = outside(0.3).ns / 1_000_000
      woken = switches_of_worker - before
      assert_equal 0, Rperf.stop[:trigger_count], name
      assert_operator woken, :<=, due * WOKEN_AT_MOST, name
    end
  end

  # How often the worker's thread went to sleep so far.
  def switches_of_worker
    task = Dir["/proc/self/task/*"].find { |path| File.read("#{path}/comm").start_with?("rperf") }
    File.read("#{task}/status")[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i
  end
end
