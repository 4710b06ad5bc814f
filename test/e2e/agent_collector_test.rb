# frozen_string_literal: true

require "tempfile"
require "zlib"
require "rperf/agent"
require_relative "../support/burning"
require_relative "../support/certificates"
require_relative "../support/collector"
require_relative "../support/program"
require_relative "../support/push_server"

# A real OpenTelemetry Collector takes what the agent sends, and hands it on.
class AgentCollectorTest < Minitest::Test
  include ProgramSupport

  Agent = Rperf::Agent
  # Seconds of CPU time. Beside many busy processes ticks find the thread without a processor, and
  # what it computes up to the next one that does, 0.2 s at most, may be another method's.
  BURNS = 1.5
  PROGRAM = <<~RUBY
    def burn = 20_000.times { |number| number.to_s }
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    Rperf.work("GET /a b", kind: :request) do
      finish = cpu + #{BURNS}
      burn while cpu < finish
      sleep 0.5
    end
    Rperf::Agent.flush(timeout: 60)
    puts Rperf::Agent.status[:destinations].values.first[:sent]
    $stdout.flush
    exit!(true) # Without a last profile, which only a process has that has lived for five seconds.
  RUBY

  # A log that keeps nothing.
  Silent = Class.new do
    def info(_line) = nil
    alias_method :warn, :info
  end

  def setup
    @received = PushServer.new
  end

  def teardown
    @received.close
  end

  def with_collector(**options)
    in_directory do |directory|
      collector = Collector.new(directory, upstream: @received.port, **options)
      yield collector, "otlp+http://127.0.0.1:#{collector.port}"
    ensure
      collector&.stop
    end
  end

  # The data of a request that the Collector has sent.
  def data(request)
    Tempfile.create(["handed_on", ".otlp"]) do |file|
      file.binmode.write(Zlib.gunzip(request.body))
      file.close
      Rperf.load(file.path)
    end
  end

  def test_what_it_hands_on_is_what_the_program_did
    with_collector do |_collector, url|
      in_directory do |directory|
        # Of a period of a minute, as the default, every twentieth run has two.
        env = {"RPERF_PUSH_URL" => url, "RPERF_SERVICE" => "shop", "RPERF_LABELS" => "env=test", "RPERF_PUSH_PERIOD" => "600"}
        result = run_program(RUBY, "-I", Paths::LIB, "-rrperf/agent", "-e", PROGRAM, directory:, env:)
        assert_equal [0, "2\n"], [result.code, result.out], result.inspect
      end
      requests = @received.await(2)
      assert_equal ["/v1development/profiles"], requests.map(&:path).uniq
      bodies = requests.map { |request| Zlib.gunzip(request.body) }
      %w[service.name shop service.instance.id deployment.environment.name test host.name].each { |word| bodies.each { |body| assert_includes body, word } }
      check_cpu_and_wall(*requests.map { |request| data(request) }.sort_by { |data| data[:mode] })
    end
  end

  def check_cpu_and_wall(cpu, wall)
    assert_equal %i[cpu wall], [cpu, wall].map { |data| data[:mode] }
    assert_in_delta BURNS, seconds(cpu, "Object#burn"), 0.3
    assert_in_delta 0.5, seconds(wall, "Kernel#sleep"), 0.15
    assert_equal ["GET /a b"], wall[:samples].map { |sample| wall[:label_sets][sample[3]][:endpoint] }.uniq
  end

  # What a method took, in a request.
  def seconds(data, method)
    data[:samples].sum { |frames, weight, _, set| data[:label_sets][set][:endpoint] && frames.any? { |frame| frame.label == method } ? weight : 0 } / 1e9
  end

  def test_a_collector_that_is_away_for_a_while
    with_collector do |collector, url|
      collector.stop
      Agent.start(push: url, service: "shop", logger: Silent.new, mode: :cpu)
      # Long enough for a profile.
      Burning.burn(1)
      refute Agent.flush(timeout: 1)
      collector.start
      assert Agent.flush(timeout: 60)
      counters = Agent.status[:destinations].values.first
      assert_equal [{}, counters[:taken]], counters.values_at(:dropped, :sent)
      assert_operator counters[:failed]["unreachable"], :>, 0
    ensure
      Agent.stop
    end
  end

  # Its program alone has more than 1 MiB. What it refuses is kept, and comes when it has room.
  def test_a_collector_whose_memory_is_short
    with_collector(memory: 1) do |collector, url|
      refused = destination(url)
      answer = refused.deliver(delivery) until answer&.kind == :later
      assert_match(/memory/, answer.text)
      Agent.start(push: url, service: "shop", logger: Silent.new, mode: :cpu)
      Burning.burn(1)
      refute Agent.flush(timeout: 1)
      collector.stop
      collector.start
      assert Agent.flush(timeout: 60)
      counters = Agent.status[:destinations].values.first
      assert_equal [{}, counters[:taken]], counters.values_at(:dropped, :sent)
    ensure
      Agent.stop
      refused&.finish
    end
  end

  # What the second one hands on is what the first one got.
  def test_two_hops
    in_directory do |directory|
      with_collector do |last, _url|
        first = Collector.new(directory, upstream: last.port)
        destination = destination("otlp+http://127.0.0.1:#{first.port}")
        assert_equal :sent, destination.deliver(delivery).kind
        data = data(@received.await(1).first)
        assert_operator data[:samples].sum { |sample| sample[1] }, :>, 0
        destination.finish
      ensure
        first&.stop
      end
    end
  end

  # By OpenTelemetry's variables alone.
  def test_certificates_of_both_sides
    in_directory do |directory|
      tls = Certificates.new(directory)
      with_collector(tls:) do |collector, _url|
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT" => "https://127.0.0.1:#{collector.port}", "OTEL_EXPORTER_OTLP_CERTIFICATE" => tls.authority}
        stranger = destination("otlp", env)
        assert_equal :unreachable, stranger.deliver(delivery).kind
        both = {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE" => tls.path("client.pem"), "OTEL_EXPORTER_OTLP_CLIENT_KEY" => tls.path("client.key")}
        known = destination("otlp", {**env, **both, "OTEL_EXPORTER_OTLP_COMPRESSION" => "none", "OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT" => "60000"})
        answer = known.deliver(delivery)
        assert_equal :sent, answer.kind, answer.text
        assert_equal 1, @received.await(1).length
        [stranger, known].each(&:finish)
      end
    end
  end

  def destination(push, env = {})
    settings = Agent::Settings.from_env(env, push:)
    Agent::Destinations.of(settings, Agent::Series.new(service: "shop")).first
  end

  def delivery = Agent::Delivery.new(Rperf::Native::Profile.from_h(Rperf.start { 100_000.times(&:to_s) }))

  # It says so with a status of 400.
  def test_what_is_too_large_for_it
    with_collector(limit: 500) do |_collector, url|
      destination = destination(url)
      answer = destination.deliver(delivery)
      assert_equal :too_large, answer.kind, answer.text
      destination.finish
    end
  end
end
