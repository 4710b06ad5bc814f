# frozen_string_literal: true

require_relative "../support/program"
require "rperf/readers"

# Labels that units of work get when they have ended: how long they took, and whether they failed.
class VerdictsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  def teardown
    Rperf.stop
  end

  # They sleep: what computes takes as long as the machine's other programs let it.
  def fast(seconds) = sleep(seconds)
  def slow(seconds) = sleep(seconds)

  # A page that one visitor of forty waits for 24 times as long: half as many as are beyond the 95th
  # percentile, since other programs delay some of the others. Returns the seconds of a fast one
  # that took longer than the percentile up to then, else 0.0.
  def visit(job, number)
    p95 = Rperf.ledger.find { |row| row.name == job }&.p95.to_f
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    Rperf.work(job, kind: :request) do
      number % 40 == 7 ? slow(0.048) : fast(0.002)
    end
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
    number % 40 != 7 && took > p95 ? took : 0.0
  end

  # Weight by the method that is called (fast or slow) and the value of a label.
  def weights(data, key)
    data[:samples].each_with_object(Hash.new(0)) do |sample, sums|
      method = sample.first.find { |_path, label| label.match?(/#(?:fast|slow)\z/) } or next
      sums[[method[1][/\w+\z/].to_sym, data[:label_sets][sample[3]][key]]] += sample[1]
    end
  end

  def test_under_p95_is_what_is_slow_and_nothing_else
    Rperf.start(mode: :wall)
    200.times { |number| visit("GET /page", number) }
    Rperf.snapshot(clear: true)
    late = 400.times.sum { |number| visit("GET /page", number) } * 1_000_000_000
    sums = weights(Rperf.stop, :latency)
    under = sums.select { |(_method, latency)| latency == "p95+" }.values.sum
    culprit = sums.select { |(method, _latency)| method == :slow }.values.sum
    # A fast page that was delayed is slow, too.
    assert_operator sums[[:slow, "p95+"]], :>=, (0.95 * under) - late, [sums, late].inspect
    assert_operator sums[[:slow, "p95+"]], :>=, 0.95 * culprit, sums.inspect
    assert_equal [nil, "p95+"], sums.keys.map(&:last).uniq.sort_by(&:to_s)
  end

  def test_before_200_units_of_a_name_nothing_is_usual
    data = Rperf.start(mode: :wall) { 60.times { |number| visit("GET /new", number) } }
    assert_empty(weights(data, :latency).keys.filter_map(&:last))
  end

  def test_slow_and_failed
    data = Rperf.start(mode: :wall, slow: 0.1) do
      Rperf.work("report") { sleep(0.11) }
      Rperf.work("report") { sleep(0.01) }
      assert_raises(KeyError) { Rperf.work("report") { sleep(0.01); raise KeyError } }
      Rperf.work("report") { |work| sleep(0.12); work.error! }
      Rperf.work("report", latency: "own") { sleep(0.11) }
    end
    times = data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[data[:label_sets][sample[3]].values_at(:job, :latency, :outcome)] += sample[1] }
    times = times.select { |(job), _weight| job }
    expected = {["report", "slow", nil] => 110, ["report", nil, nil] => 10, ["report", nil, "error"] => 10,
                ["report", "slow", "error"] => 120, ["report", "own", nil] => 110}
    assert_equal expected.keys.sort_by(&:to_s), times.keys.sort_by(&:to_s)
    expected.each { |labels, least| assert_operator times[labels], :>=, least * 1_000_000, labels.inspect }
    # All of it is the time of the units: no more and no less.
    assert_in_delta data[:ledger].sum { |row| row[:wall_ns] }, times.values.sum, 10_000_000
  end

  # What is within another unit is judged with it.
  def test_the_verdict_is_that_of_the_outermost_unit_whose_name_was_known
    data = Rperf.start(mode: :wall, slow: 0.05) do
      Rperf.work("outer") { Rperf.work("inner") { sleep(0.02) }; sleep(0.06) }
    end
    times = data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[data[:label_sets][sample[3]]] += sample[1] }
    sets = times.keys.select(&:any?)
    assert_equal [{job: "inner", latency: "slow"}, {job: "outer", latency: "slow"}], sets.sort_by { |set| set[:job] }
  end

  # With either kind of name, and with units without samples of their own around and inside of it.
  def test_a_request_in_jobs_has_its_own_verdict
    [false, true].each do |late|
      request = ->(name, &body) { Rperf::Work.new(:request, name, late:).run(&body) }
      data = Rperf.start(mode: :wall) do
        Rperf.work("outer") do |outer|
          Rperf.work("inner") do
            request.call("/fine") { sleep(0.001) }
            request.call("/failed") { |work| work.error!; Rperf.work("part") { sleep(0.001) } }
            sleep(0.001)
          end
          outer.error!
        end
      end
      # (Threads of other tests may sleep, too.)
      slept = data[:samples].select { |sample| data[:label_sets][sample[3]].any? && sample[0].any? { |frame| frame[1] == "Kernel#sleep" } }
      expected = [{endpoint: "/fine", job: "inner"}, {endpoint: "/failed", job: "part", outcome: "error"}, {job: "inner", outcome: "error"}]
      assert_equal expected.to_set, slept.to_set { |sample| data[:label_sets][sample[3]] }, late
      assert_equal [1, 1, 1, 1, 1], data[:ledger].map { |row| row[:units] }
    end
  end

  # Of a unit that goes on, the period that ends has what there was, without a verdict.
  def test_a_unit_that_a_period_cuts_has_its_verdict_in_the_period_in_which_it_ends
    Rperf.start(mode: :wall, slow: 0.02)
    reader = Rperf::Reader.open
    Rperf.work("report") do
      sleep(0.03)
      @first = reader.take.first.to_h
      sleep(0.03)
    end
    second = reader.take.first.to_h
    latencies = [@first, second].map { |data| data[:samples].map { |sample| data[:label_sets][sample[3]] }.filter_map { |set| set[:latency] if set[:job] }.uniq }
    assert_equal [[], ["slow"]], latencies
    assert_nil @first[:ledger]
    assert_equal 1, second[:ledger].first[:units]
  end

  def test_by_the_environment_and_in_reports
    in_directory do |directory|
      write_file(directory, "app.rb", "require 'rperf'\nRperf.work('report') { sleep 0.1 }\n")
      assert_equal 0, rperf("record", "-m", "wall", "--slow", "0.05", "-o", "a.data", RUBY, "app.rb", directory:).code
      run_program(RUBY, "-rrperf", "app.rb", directory:, env: {"RUBYLIB" => Paths::LIB, "RPERF_ENABLED" => "1", "RPERF_MODE" => "wall", "RPERF_SLOW" => "0.05"})
      %w[a.data rperf.data].each { |file| assert_match(/  100% .*  slow  .*Kernel#sleep/, rperf("report", "--by", "latency", file, directory:).out) }
      assert_equal "rperf: --slow must be a number from 0.001 to 86400 (seconds of a unit of work), not \"often\"\n", rperf("record", "--slow", "often", RUBY, "app.rb", directory:).err
    end
    assert_raises(ArgumentError) { Rperf.start(slow: 0) }
  end
end
