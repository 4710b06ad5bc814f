# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# Who made other threads wait for the GVL, in programs whose culprits are known.
class BlameTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  CAUSED = "gvl_wait_caused"
  # The sum of what was caused and the measured waiting differ by less than this.
  TOLERANCE = 0.1
  # What one culprit caused is known but for this: a tick that comes late meets the method that had
  # the GVL then.
  SHARE_TOLERANCE = 0.2

  # Two methods compute in turn, as often as the argument says; three threads want the GVL all the
  # time. Prints for how many nanoseconds each method had it.
  HOGS = <<~RUBY
    require #{SpentTime::BURNING.dump}
    require "json"
    BASE = 7**100_000
    $spent = Hash.new(0)
    def native = 12.times { BASE.pow(4) }
    def pure = Burning.burn(0.01)
    def hog(name) = $spent[name] += Burning.spent(Burning::WALL) { send(name) }.ns
    work = Thread.new { Integer(ARGV.first).times { hog(:native); sleep 0.003; hog(:pure); sleep 0.003 } }
    others = Array.new(3) { Thread.new { Thread.pass while work.alive? } }
    [work, *others].each(&:join)
    puts JSON.generate($spent)
  RUBY

  # The collector marks half a million objects again and again.
  COLLECTOR = <<~RUBY
    KEPT = Array.new(500_000) { |number| "kept \#{number}" }
    work = Thread.new { 12.times { GC.start; sleep 0.001 } }
    others = Array.new(3) { Thread.new { (50.times { |n| n.to_s }; sleep 0.0005) while work.alive? } }
    [work, *others].each(&:join)
    GC.disable
  RUBY

  # No thread computes for long: all read, and wait for each other all the time.
  READERS = <<~RUBY
    read = -> { File.open("/dev/zero") { |file| 2_000.times { file.sysread(4096); 200.times { |n| n ^ 1 } } } }
    Array.new(4) { Thread.new(&read) }.each(&:join)
  RUBY

  # Both processes have threads that wait.
  FORK = <<~RUBY
    def hog = (20.times { 2_000.times { |n| n.to_s }; Thread.pass })
    both = -> { Array.new(4) { Thread.new { 20.times { hog } } }.each(&:join) }
    beside = Thread.new(&both)
    child = fork(&both)
    beside.join
    Process.wait(child)
  RUBY

  # Yields the profile of the program, the result of the command, and the directory.
  def record(program, *options, rounds: 40, output: "p.json", env: {})
    in_directory do |directory|
      write_file(directory, "app.rb", program)
      result = rperf("record", "-m", "wall", "--blame", *options, "-o", output, RUBY, "app.rb", rounds.to_s, directory:, env:)
      assert_equal 0, result.code, result.inspect
      yield Rperf.load(File.join(directory, output)), result, directory
    end
  end

  # Nanoseconds that threads have waited for the GVL, as measured.
  def waited(data) = data[:samples].sum { |frames, weight| frames.first.label == "[GVL wait]" ? weight : 0 }

  # Nanoseconds of waiting that were caused, in stacks with one of these functions.
  def caused(data, *labels)
    samples = labels.empty? ? data[:samples] : data[:samples].select { |frames,| frames.any? { |frame| labels.include?(frame.label) } }
    samples.sum { |sample| sample.values.last }
  end

  # What a report says is the sum of its samples.
  def seconds(report)
    number, unit = (report.match(/Total samples = ([\d.]+)([mun]?s)/) || flunk(report)).captures
    number.to_f * {"s" => 1, "ms" => 1e-3, "us" => 1e-6, "ns" => 1e-9}.fetch(unit)
  end

  def assert_all_is_blamed(data)
    assert_operator waited(data), :>, 50_000_000
    assert_in_epsilon waited(data), caused(data), TOLERANCE
  end

  def test_each_culprit_has_its_share
    record(HOGS) do |data, result|
      assert_equal [%w[wall nanoseconds], [CAUSED, "nanoseconds"]], data[:value_types]
      assert_all_is_blamed(data)
      JSON.parse(result.out).each { |name, spent| assert_in_epsilon 3 * spent, caused(data, "Object##{name}"), SHARE_TOLERANCE, name }
      assert_operator caused(data, "Integer#pow"), :>, 0.8 * caused(data, "Object#native")
    end
  end

  def test_the_collector_is_blamed
    record(COLLECTOR) do |data|
      assert_all_is_blamed(data)
      collector = data[:samples].sum { |sample| sample[0].first.path == "<GC>" ? sample.values.last : 0 }
      assert_operator collector, :>, caused(data) / 2
    end
  end

  def test_short_waits_and_those_for_a_thread_on_its_way
    record(READERS) do |data|
      assert_all_is_blamed(data)
      alone = data[:samples].select { |frames,| frames.any? { |frame| frame.label == "[no holder]" } }
      assert_equal([[1, 0, 0]], alone.map { |sample| [sample[0].length, sample[1], sample[2]] })
    end
  end

  def test_forked_processes_count_for_themselves
    record(FORK) do |data|
      assert_equal 2, data[:processes].length
      assert_all_is_blamed(data)
    end
  end

  def test_reports_and_pprof_have_it_as_a_value
    record(HOGS, rounds: 8, output: "p.pb.gz") do |data, result, directory|
      assert_match(/ of wall time\b/, result.err)
      total = caused(data) / 1e9
      report = rperf("report", "--top", "--sample-index", CAUSED, "p.pb.gz", directory:).out
      assert_match(/^Type: #{CAUSED}$/, report)
      assert_in_delta total, seconds(report), 0.01
      go = run_program("go", "tool", "pprof", "-top", "-sample_index=#{CAUSED}", "p.pb.gz", directory:).out
      assert_in_delta total, seconds(go), 0.01
      wall = run_program("go", "tool", "pprof", "-top", "p.pb.gz", directory:).out
      assert_match(/^Type: wall$/, wall)
      by_wait = rperf("report", "--by", "thread", "--sample-index", CAUSED, "p.pb.gz", directory:)
      assert_equal 0, by_wait.code, by_wait.inspect
      assert_match(/^Type: wall$/, rperf("report", "--top", "p.pb.gz", directory:).out)
    end
  end

  def test_without_stacks_at_the_tick_none_is_blamed
    record("sleep 0.01", env: {"RPERF_LAYOUT_PROOF" => "fail"}) do |data|
      assert_includes data[:comments], "blame: not with this engine"
      assert_nil data[:value_types]
    end
  end

  def test_several_ractors
    record(HOGS + "Warning[:experimental] = false\nRactor.new { 1 }.take\n", rounds: 20) do |data|
      assert_includes data[:comments], "blame: only up to the second Ractor"
      assert_all_is_blamed(data)
    end
  end

  def test_what_cannot_be
    in_directory do |directory|
      {["--blame"] => "blame: (--blame) belongs to the mode wall, not to cpu: leave it out, or choose another mode",
       ["-m", "wall", "--blame", "--signal", "none"] => "blame: true (--blame) needs stacks at the tick, which signal: false " \
         "(--signal none) rules out: leave out one of the two"}.each do |options, sentence|
        result = rperf("record", *options, RUBY, "-e", "puts 1", directory:)
        assert_equal [2, "", "rperf: #{sentence}\n"], [result.code, result.out, result.err]
      end
    end
  end
end
