# frozen_string_literal: true

require_relative "../support/controlled"
require_relative "../support/spent_time"
require "rperf/readers"

# The ledger of units of work: Rperf.work, Rperf.ledger, and what profiles and reports have of them.
class LedgerTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems
  include SpentTime

  def teardown
    Rperf.stop
    Rperf::Work.observer = nil
  end

  # A name that no other test has: the ledger is that of the process.
  def unique = "job #{@count = @count.to_i + 1} of #{name}"

  def row(name, ledger = Rperf.ledger) = ledger.find { |row| row.name == name }

  def figures(data, name) = data.fetch(:ledger).find { |row| row[:name] == name }

  def test_without_a_session_it_only_calls_the_block
    job = unique
    assert_equal [5, {}], [Rperf.work(job) { |work| work.error!; 5 }, Rperf.work(job) { Rperf.labels }]
    assert_raises(KeyError) { Rperf.work(job) { raise KeyError } }
    assert_nil row(job)
  end

  def test_units_are_counted_with_what_they_took
    job = unique
    data = Rperf.start(mode: :wall) do
      assert_equal :value, Rperf.work(job, plan: :free) { assert_equal({job: job, plan: "free"}, Rperf.labels); Burning.burn(0.03); :value }
      Rperf.work(job) { sleep(0.02) }
    end
    figures = figures(data, job)
    assert_equal [:job, :job, 2, 0], figures.values_at(:kind, :label, :units, :errors)
    assert_operator figures[:cpu_ns], :>=, 30_000_000
    assert_operator figures[:blocked_ns], :>=, 20_000_000
    # Its clocks are read one after the other.
    assert_operator figures[:wall_ns] + 1_000_000, :>=, figures[:cpu_ns] + figures[:blocked_ns]
    assert_operator figures[:longest_ns], :<=, figures[:wall_ns]
    assert_equal figures, row(job).to_h
    assert_match(/\A#<Rperf::Ledger::Row job #{job}, 2 units, mean \d+\.\d ms, p95 \d+\.\d ms>\z/, row(job).inspect)
    assert_in_delta figures[:cpu_ns] / 1e9, row(job).cpu_seconds
  end

  def test_the_first_unit_of_a_thread_in_a_deferred_session_has_its_cpu_time
    job = unique
    data = Rperf.start(mode: :wall, defer: true) do
      Rperf.work("#{job} here") { Burning.burn(0.03) }
      Thread.new { Rperf.work("#{job} there") { Burning.burn(0.03) } }.join
    end
    %w[here there].each { |place| assert_operator figures(data, "#{job} #{place}")[:cpu_ns], :>=, 30_000_000, place }
  end

  # Samples and the ledger measure the same time by different ways.
  def test_sums_are_those_of_the_profile
    job = unique
    other = nil
    data = Rperf.start(mode: :wall) do
      other = Thread.new { Burning.burn(0.2) }
      20.times { Rperf.work(job) { Burning.burn(0.005); sleep(0.001); GC.start } }
      other.join
    end
    figures = figures(data, job)
    times = times_by_state(data, job)
    assert_in_delta figures[:wall_ns], times.values.sum, figures[:wall_ns] / 10
    assert_in_delta figures[:gvl_wait_ns], times["[GVL wait]"], figures[:gvl_wait_ns] / 10 + 2_000_000
    assert_in_delta figures[:blocked_ns], times["[GVL blocked]"], figures[:blocked_ns] / 10 + 2_000_000
    assert_in_delta figures[:gc_ns], times["[GC marking]"] + times["[GC sweeping]"], figures[:gc_ns] / 10 + 2_000_000
  end

  def test_waits_are_of_sessions_of_wall_time_and_objects_of_those_of_objects
    job = unique
    cpu = Rperf.start(mode: :cpu) { Rperf.work(job) { Burning.burn(0.01) } }
    alloc = Rperf.start(mode: :alloc, interval: 10) { Rperf.work(job) { Array.new(50_000) { Object.new } } }
    assert_nil figures(cpu, job)[:gvl_wait_ns]
    assert_nil row(job).gc_seconds
    assert_nil figures(cpu, job)[:allocated_objects]
    assert_in_delta 50_000, figures(alloc, job)[:allocated_objects], 5_000
    assert_equal [2, figures(alloc, job)[:allocated_objects]], [row(job).units, row(job).allocated_objects]
  end

  def test_exceptions_and_what_the_program_says_are_errors_and_jumps_are_none
    job = unique
    Rperf.start
    Rperf.work(job) { |work| work.error! }
    error = assert_raises(KeyError) { Rperf.work(job) { raise KeyError, "own" } }
    assert_equal :out, catch(:done) { Rperf.work(job) { throw :done, :out } }
    leave_early(job)
    assert_equal ["own", 4, 2, {}], [error.message, row(job).units, row(job).errors, Rperf.labels]
  end

  def leave_early(job) = Rperf.work(job) { return }

  def test_a_job_in_a_job_is_one_of_its_own_unless_it_has_the_same_name
    outer, inner = unique, unique
    data = Rperf.start(mode: :wall) do
      Rperf.work(outer) do
        Rperf.work(outer) { sleep(0.002) }
        3.times { Rperf.work(inner) { sleep(0.002) } }
        assert_equal({job: outer}, Rperf.labels)
      end
      Rperf.work("GET /", kind: :request) { Rperf.work(inner) { Rperf.work("POST /", kind: :request) { sleep(0.002) } } }
    end
    assert_equal [1, 4], [outer, inner].map { |job| figures(data, job)[:units] }
    assert_nil figures(data, "POST /")
    assert_operator figures(data, outer)[:wall_ns], :>, 8_000_000
    sums = weights(data) { |labels| labels[:job] }
    assert_operator sums.fetch(inner), :>=, 8_000_000
  end

  def test_a_reader_gets_what_ended_in_its_period_and_nothing_is_taken_from_the_ledger
    job = unique
    Rperf.start(mode: :wall)
    reader = Rperf::Reader.open
    work = ->(*) { Rperf.work(job) { sleep(0.001) } }
    work.call
    first = reader.take.first.to_h
    2.times(&work)
    cleared = Rperf.snapshot(clear: true)
    3.times(&work)
    assert_equal [1, 3, 3], [figures(first, job), figures(cleared, job), figures(Rperf.snapshot, job)].map { |row| row[:units] }
    periods = [first, reader.take.first.to_h, Rperf.stop].map { |data| figures(data, job) }
    assert_equal [1, 5, 3], periods.map { |row| row[:units] }
    assert_equal row(job).to_h[:wall_ns], periods.first(2).sum { |row| row[:wall_ns] }
    assert_equal 6, row(job).units
  end

  def test_files_keep_the_ledger
    job = unique
    data = Rperf.start { Rperf.work(job) { Burning.burn(0.01) } }
    in_directory do |directory|
      %w[a.json a.pb.gz].map { |file| File.join(directory, file) }.each do |path|
        Rperf.save(path, data)
        assert_equal data[:ledger], Rperf.load(path)[:ledger]
      end
    end
    [[{}], [data[:ledger].first.merge(units: "3")], ["row"]].each do |wrong|
      error = assert_raises(ArgumentError) { Rperf::Encoder.new(:json).encode(data.merge(ledger: wrong)) }
      assert_match(/\A(?:ledger row 0 of the data|the data's ledger) must be a/, error.message)
    end
  end

  def test_a_forked_child_has_a_ledger_of_its_own
    job = unique
    Rperf.start
    Rperf.work(job) { nil }
    reader, writer = IO.pipe
    Process.wait(fork do
      before = Rperf.ledger.length
      Rperf.start
      Rperf.work("child") { nil }
      writer.write([before, Rperf.ledger.map(&:name)].inspect)
      exit!(true)
    end)
    writer.close
    assert_equal '[0, ["child"]]', reader.read
    assert_equal 1, row(job).units
  end

  def test_an_observer_hears_of_the_begin_and_the_end
    heard = []
    Rperf::Work.observer = Class.new do
      define_method(:began) { |work| heard << [:began, work.kind, work.name, work.seconds] }
      define_method(:ended) { |work| heard << [:ended, work.name, work.failed?, work.seconds.positive?] }
    end.new
    Rperf.work("unheard") { nil }
    Rperf.start
    Rperf.work("import") { |work| work.error! }
    assert_equal [[:began, :job, "import", nil], [:ended, "import", true, true]], heard
  end

  # As an interrupt does: by Thread#raise, of a timeout.
  class EndingBadly < Rperf::Work
    private def last_name = raise(KeyError)
  end

  def test_an_end_that_is_interrupted_is_one
    ended = []
    Rperf::Work.observer = Class.new do
      define_method(:began) { |_work| nil }
      define_method(:ended) { |work| ended << [work.name, work.seconds.positive?] }
    end.new
    Rperf.start
    job = unique
    assert_raises(KeyError) { EndingBadly.new(:job, job).run { 1 } }
    assert_equal [[[job, true]], 1, {}], [ended, row(job).units, Rperf.labels]
  end

  # An interrupt raises where a method written in C returns.
  def test_a_beginning_that_is_interrupted_ends_the_unit
    Rperf.start
    interrupt = TracePoint.new(:c_return) { |trace| raise KeyError if trace.method_id == :enter_work }
    interrupted = unique
    assert_raises(KeyError) { interrupt.enable(target_thread: Thread.current) { Rperf.work(interrupted, kind: :request) { flunk } } }
    later = unique
    3.times { Rperf.work(later, kind: :request) { nil } }
    assert_equal [1, 1, 3, {}], [row(interrupted).units, row(interrupted).errors, row(later)&.units, Rperf.labels]
  end

  def test_wrong_calls
    assert_equal "Rperf.work needs a block: the work", assert_raises(ArgumentError) { Rperf.work("x") }.message
    error = assert_raises(ArgumentError) { Rperf.work("x", kind: :task) { nil } }
    assert_equal "kind: must be :job or :request, not :task", error.message
  end

  def test_a_unit_has_a_name
    nameless = Object.new
    def nameless.to_s = nil
    [nil, "", :"", nameless].each do |name|
      error = assert_raises(ArgumentError) { Rperf.work(name) { flunk } }
      assert_equal "the name of a unit of work must be a text, not #{name.inspect}: say what work it is", error.message
    end
  end

  def test_a_single_unit_is_its_own_percentile_and_none_is_above_the_longest
    job, other = unique, unique
    Rperf.start
    Rperf.work(job) { sleep(0.01) }
    40.times { Rperf.work(other) { sleep(0.001) } }
    assert_equal [row(job).wall_seconds] * 5, [row(job).p50, row(job).p95, row(job).p99, row(job).longest, row(job).mean]
    assert_operator row(other).p50, :>=, 0.001 * 7 / 8
    assert_operator row(other).p99, :<=, row(other).longest
  end

  PROGRAM = <<~RUBY
    require "rperf"
    def pay = (finish = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.02; 100.times { 1 } while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < finish)
    3.times { Rperf.work("payments") { pay } }
  RUBY

  def test_a_report_has_counts_mean_and_p95
    in_directory do |directory|
      write_file(directory, "app.rb", PROGRAM)
      assert_equal 0, rperf("record", "-o", "a.data", RUBY, "app.rb", directory:).code
      text = rperf("report", "--by", "job", "a.data", directory:).out
      assert_match(/ units +mean +p95  job /, text)
      assert_match(/ 3 +[\d.]+ms +[\d.]+ms  payments  /, text)
      rows = JSON.parse(rperf("report", "--by", "job", "--format", "json", "a.data", directory:).out).fetch("values")
      assert_equal [3, 0], rows.first.values_at("units", "errors")
      assert_operator rows.first["mean_ns"], :>=, 15_000_000
    end
  end

  SERVER = <<~RUBY
    $stdout.sync = true
    Rperf.start(mode: :wall) if ARGV.empty?
    3.times { Rperf.work("payments") { sleep 0.001 } }
    Rperf.work("GET /", kind: :request) { |work| work.error! }
    puts "ready"
    sleep
  RUBY

  def test_from_outside
    controlled(SERVER) do |program, directory|
      head, *rows = control!("ledger", program.pid, directory:).lines(chomp: true)
      assert_equal %w[kind units errors mean p95 wall CPU GVL wait blocked collector name], head.split
      assert_equal [%w[job 3 0 payments], %w[request 1 1 GET /]].sort, rows.map { |line| line.scan(/\S+/) }.map { |words| words.first(3) + words.drop_while { |word| word.match?(/\A(?:[\d.,]+|us|ms|s|job|request)\z/) } }.sort
      document = JSON.parse(control!("ledger", program.pid, "--format", "json", directory:), symbolize_names: true)
      assert_equal program.pid, document[:pid]
      assert_equal [["request", 1], ["job", 3]], document[:ledger].map { |row| row.values_at(:kind, :units) }
    end
    controlled('Rperf.start; Rperf.work("a\\e[31mb\\nc") {}; $stdout.sync = true; puts "ready"; sleep') do |program, directory|
      assert_match(/ a\u{fffd}\[31mb\u{fffd}c\Z/, control!("ledger", program.pid, directory:))
    end
    controlled do |program, directory|
      assert_equal "no unit of work has ended in process #{program.pid} while a session ran\n", control!("ledger", program.pid, directory:)
    end
  end

  def test_a_terminal_shows_the_first_times_and_the_names
    controlled(SERVER) do |program, directory|
      text = control_on_terminal!("ledger", program.pid, directory:)
      head, *rows = text.lines(chomp: true)
      assert_equal %w[kind units errors mean p95 wall CPU], head.split.first(7)
      assert_equal [%w[job payments], %w[request /]], rows.map { |row| row.split.values_at(0, -1) }.sort
      assert_fits text
    end
    endpoint = "GET /organizations/:organization_id/projects/:project_id/issues/:id IssuesController#show"
    controlled("Rperf.start; Rperf.work('#{endpoint}') {}; $stdout.sync = true; puts 'ready'; sleep") do |program, directory|
      text = control_on_terminal!("ledger", program.pid, directory:)
      assert_fits text
      assert_match(/  GET \/\S+\u2026 IssuesController#show$/, text)
      assert_includes control!("ledger", program.pid, directory:), "  #{endpoint}\n"
    end
  end

  private

  # Weight of the samples by what the block makes of their labels.
  def weights(data)
    data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[yield(data[:label_sets][sample[3]])] += sample[1] }
  end

  # Weight of a job's samples by their leaf.
  def times_by_state(data, job)
    samples = data[:samples].select { |sample| data[:label_sets][sample[3]][:job] == job }
    samples.each_with_object(Hash.new(0)) { |(frames, weight), sums| sums[frames.first[1]] += weight }
  end
end
