# frozen_string_literal: true

require "net/http"
require_relative "../support/controlled"
require_relative "../support/prometheus"
require "rperf/control"
require "rperf/readers"

# What `/metrics` says, judged by Prometheus' own programs.
class MetricsTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  PROGRAM = <<~RUBY
    require "rperf/agent"
    $stdout.sync = true
    Rperf.start(mode: :wall, frequency: 200)
    Rperf::Agent.start(push: "file:%p-%t.pb.gz", period: 600)
    sleep 1.1 # Without samples a shorter period is not worth a profile.
    Rperf::Agent.flush
    1.step do |round|
      Rperf.work("GET /\\"quoted\\\\path\\"", kind: :request) { sleep 0.01 }
      Rperf.work("import") { |work| work.error!; 1_000.times { Object.new } }
      puts "ready \#{Rperf::Control.addresses.last}" if round == 1
    end
  RUBY

  def teardown
    Rperf.stop
  end

  def test_promtool_finds_nothing_wrong
    serving do |url|
      text = fetch(url, "text/plain").body
      checked = IO.popen(["promtool", "check", "metrics", {err: %i[child out]}], "r+") { |tool| tool.write(text); tool.close_write; tool.read }
      assert_equal ["", true], [checked, $?.success?]
      %w[rperf_work_total rperf_work_seconds_bucket rperf_work_gvl_wait_seconds_total rperf_sampling_seconds_total rperf_samples_dropped_total rperf_frequency_hertz
         rperf_own_cpu_seconds_total rperf_profiles_total rperf_internal_errors_total rperf_outbox_bytes].each { |name| assert_match(/^#{name}\{/, text) }
      assert_match(/^rperf_frequency_hertz\{worker="\d+"\} 200$/, text)
      assert_match(/^rperf_profiles_total\{.*result="sent",reason=""\} 1$/, text)
      assert_in_delta Time.now.to_f, text[/^rperf_last_success_timestamp_seconds\{.*\} (.+)$/, 1].to_f, LIMIT
    end
  end

  # It asks for OpenMetrics, and refuses a text that is not.
  def test_prometheus_scrapes_it
    serving do |url, directory|
      assert_equal "application/openmetrics-text; version=1.0.0; charset=utf-8", fetch(url, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")["content-type"]
      prometheus = Prometheus.new(directory, URI(url).authority)
      assert_equal({"ruby" => 1.0}, prometheus.await("up", "job") { |up| up.values == [1.0] })
      errors = prometheus.await('rperf_work_total{outcome="error"}', "name") { |values| values["import"] }
      assert_equal [true, 0.0], [errors["import"].positive?, errors['GET /"quoted\\path"']]
      rates = prometheus.await("rate(rperf_work_seconds_sum[10s]) / rate(rperf_work_seconds_count[10s])", "name") { |values| values.length == 2 }
      assert_operator rates['GET /"quoted\\path"'], :>=, 0.01
      quantiles = prometheus.await('histogram_quantile(0.95, rate(rperf_work_seconds_bucket{kind="request"}[10s]))', "name") { |values| values.values.none?(&:nan?) }
      assert_operator quantiles['GET /"quoted\\path"'], :>=, 0.0078125
    ensure
      prometheus&.stop
    end
  end

  # Readers take their periods; the metrics only grow.
  def test_nothing_is_taken_and_nothing_goes_back
    job = "metrics #{object_id}"
    Rperf.start(mode: :wall)
    reader = Rperf::Reader.open
    seen = Array.new(4) do |round|
      Rperf.work(job) { sleep(0.002) }
      [-> { metrics }, -> { reader.take }, -> { Rperf.snapshot(clear: true) }, -> { Rperf.stop }][round].call
      metrics.then { |text| [value(text, "rperf_work_total", name: job, outcome: "ok"), value(text, "rperf_sampling_seconds_total"), value(text, "rperf_hook_seconds_total")] }
    end
    assert_equal [1, 2, 3, 4], seen.map(&:first)
    [1, 2].each { |index| assert_equal seen.map { |row| row[index] }.sort, seen.map { |row| row[index] } }
    refute_match(/^rperf_frequency_hertz/, metrics, "no session runs")
  end

  # Most often threads that begin or end have lost something.
  def test_what_profiles_have_lost_is_counted_once_whoever_has_read_it
    before = dropped(metrics)
    Rperf.start(mode: :wall)
    periods = Array.new(3) do |round|
      Array.new(20) { Thread.new { Thread.pass } }.each(&:join)
      round == 2 ? Rperf.stop : Rperf.snapshot(clear: true)
    end
    lost = periods.each_with_object(Hash.new(0)) { |data, sums| data[:dropped].each { |cause, drop| sums[cause] += drop[:samples] } }
    assert_equal lost, dropped(metrics).map { |cause, number| [cause, number - before[cause]] }.to_h.select { |_cause, number| number.positive? }
  end

  # Two masters with a worker 0 each. Prints the number of siblings that each of the four processes
  # has, and the jobs of which it knows.
  CLUSTERS = <<~'RUBY'
    require "rperf/control"
    require "rperf/control/client"
    pids = %w[one two].flat_map do |name|
      from, to = IO.pipe
      master = fork do
        Rperf::Control.start
        fork do
          $0 = "puma: cluster worker 0: #{Process.ppid} [#{name}]"
          Rperf.start(mode: :wall)
          Rperf.work(name) { nil }
          to.puts(Process.pid)
          sleep
        end
        sleep
      end
      [master, from.gets.to_i]
    end
    at_exit { Process.kill(:KILL, *pids) }
    Thread.pass until Rperf::Control::Client.all.length == 4
    pids.each do |pid|
      text = Rperf::Control::Client.of(pid).request("GET", "/metrics?siblings=1")
      redo if text.match?(/answered="no"\} [1-9]/) # It had 0.2 s.
      p [text[/^rperf_siblings\{.*answered="yes"\} (\d+)$/, 1], text.scan(/^rperf_work_total\{.*name="(.*?)".* 1$/).flatten]
    end
  RUBY

  def test_workers_of_another_server_are_no_siblings
    in_directory do |directory|
      write_file(directory, "clusters.rb", CLUSTERS)
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "clusters.rb", directory:, env: {"XDG_RUNTIME_DIR" => directory})
      assert_equal %w[one one two two].map { |name| ["2", [name]].inspect }, result.out.lines(chomp: true), result.err
    end
  end

  private

  def metrics = Rperf::Control::Metrics.response(nil).body

  def dropped(text) = text.scan(/^rperf_samples_dropped_total\{.*cause="(.*)"\} (\d+)/).to_h { |cause, number| [cause, Integer(number)] }

  # The value of the only line with this name and these labels.
  def value(text, name, **labels)
    lines = text.lines.grep(/^#{name}\{/).select { |line| labels.all? { |key, value| line.include?("#{key}=\"#{value}\"") } }
    assert_equal 1, lines.length, "#{name} #{labels}"
    lines.first.split.last.to_f
  end

  def serving
    controlled(PROGRAM, env: {"RPERF_CONTROL" => "0", "RPERF_LISTEN" => "127.0.0.1:0"}) do |program, directory|
      program.await_output("\n")
      yield program.out[/http:\S+/], directory
    end
  end

  def fetch(url, accept)
    uri = URI(url)
    Net::HTTP.start(uri.host, uri.port, read_timeout: LIMIT) { |http| http.get("/metrics", "Accept" => accept) }
  end
end
