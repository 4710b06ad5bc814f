# frozen_string_literal: true

require_relative "support/programs"
require_relative "../support/prometheus"

# Metrics of a cluster of Puma's, of which one process answers for all, as Prometheus sees them.
class ClusterMetricsTest < Minitest::Test
  include IntegrationPrograms

  APP = <<~RUBY
    require "rperf/rack"
    use Rperf::Middleware
    run ->(env) { [200, {}, [Process.pid.to_s]] }
  RUBY
  WORKERS = 4
  PUMA = <<~'RUBY'.sub("WORKERS", WORKERS.to_s)
    workers WORKERS
    threads 2, 2
    preload_app!
    require "rperf/control"
    Rperf::Control.start(listen: "127.0.0.1:0")
    puts "control: #{Rperf::Control.addresses.last[/\d+\z/]}"
    on_worker_boot { Rperf.start(mode: :wall) }
  RUBY
  # Requests before the worker is killed, in a quarter of which each of them would reappear at once
  # if a sum went back; and a second from then on.
  BEFORE = 4_000
  AFTER = 10
  # Seconds.
  WINDOW = 3
  # Seconds that queries may come late.
  LATE = 4

  def test_a_worker_that_is_killed
    serving do |server, directory|
      prometheus = Prometheus.new(directory, "127.0.0.1:#{server.program.out[/control: (\d+)/, 1]}", params: {"siblings" => ["1"]})
      victim = busy(server)
      prometheus.await("sum by (kind) (rperf_work_total)", "kind") { |sums| sums["request"].to_i >= BEFORE }
      assert_equal %w[0 1 2 3], prometheus.await('rperf_work_total{outcome="ok"}', "worker") { |found| found.length == WORKERS }.keys.sort
      # Four workers and the master are there; the one that answers is not its own sibling.
      assert_equal({"yes" => WORKERS.to_f, "no" => 0.0}, prometheus.await("rperf_siblings", "answered") { |found| found["yes"] == WORKERS })
      quiet(server) { |seconds| seconds > LATE + 2 * WINDOW }
      Process.kill(:KILL, victim)
      @killed = now
      quiet(server) { spread?(prometheus) }
      check(prometheus)
    ensure
      prometheus&.stop
    end
  end

  private

  # Whether the series of the killed worker has gone back to what its successor counts.
  def spread?(prometheus)
    prometheus.await("resets(rperf_work_total{outcome=\"ok\"}[#{since}s])", "worker") { true }.values.max == 1
  end

  # Seconds since shortly before a worker was killed.
  def since = (now - @killed).ceil + LATE

  # So many requests a second are far more than there were, and far less than a worker's sum.
  def check(prometheus)
    assert_operator BEFORE / WORKERS / 2 / WINDOW, :>, 10 * AFTER
    rates = ["sum(rate(rperf_work_total{outcome=\"ok\"}[#{WINDOW}s]))", "rate(sum(rperf_work_total)[#{WINDOW}s:200ms])"]
    each, added = rates.map { |rate| prometheus.await("max_over_time(#{rate}[#{since}s:200ms])", "none") { true }.values.first }
    assert_includes 0.1..(10 * AFTER), each
    # What would be seen if one process added up what all have counted.
    assert_operator added, :>, 10 * AFTER
  end

  # Returns the number of a worker.
  def busy(server)
    threads = Array.new(4) { Thread.new { Array.new(BEFORE / 4) { server.get("/").to_i } } }
    threads.flat_map(&:value).uniq.tap { |pids| assert_equal WORKERS, pids.length }.first
  end

  # Asks a few times a second until the block, which gets the seconds that have passed, likes it.
  def quiet(server)
    start = now
    until yield(now - start)
      raise "in vain" if now - start > LIMIT
      server.get("/")
      IO.select(nil, nil, nil, 1.0 / AFTER)
    end
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def serving
    in_directory do |directory|
      write_file(directory, "config.ru", APP)
      write_file(directory, "puma.rb", PUMA)
      serve(*puma("--config", "puma.rb"), directory:, env: {"XDG_RUNTIME_DIR" => directory}) { |server| yield server, directory }
    end
  end
end
