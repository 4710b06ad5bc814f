# frozen_string_literal: true

require "json"
require_relative "listening"

# A real OpenTelemetry Collector, which hands the profiles that it takes on to a server of the test.
class Collector
  include Listening

  PROGRAM = ENV.fetch("RPERF_TEST_COLLECTOR")

  attr_reader :port

  # directory: for its files; upstream: the port of the server; limit: bytes of a request
  # tls: Certificates, of which a client needs one, too; nil: plain HTTP
  # memory: MiB that it may have before it refuses what comes; nil: any
  def initialize(directory, upstream:, limit: 0, tls: nil, memory: nil)
    @port = free_port
    @upstream = upstream
    @log = File.join(directory, "collector.log")
    @config = File.join(directory, "collector.json")
    start(limit:, tls:, memory:)
  end

  # Again at the same port, with these settings.
  def start(limit: 0, tls: nil, memory: nil)
    File.write(@config, configuration(limit, tls, memory).to_json)
    @pid = Process.spawn(PROGRAM, "--config", @config, "--feature-gates=service.profilesSupport", %i[out err] => [@log, "a"])
    await_port(@port, @log)
  end

  # Ends it, if it runs.
  def stop
    end_process(@pid) if @pid
    @pid = nil
  end

  private

  def configuration(limit, tls, memory)
    limiter = {memory_limiter: {check_interval: "10ms", limit_mib: memory}} if memory
    http = {endpoint: "127.0.0.1:#{@port}", **({max_request_body_size: limit} if limit.positive?)}
    http[:tls] = {cert_file: tls.path("server.pem"), key_file: tls.path("server.key"), client_ca_file: tls.authority} if tls
    {receivers: {otlp: {protocols: {http:}}}, processors: limiter || {},
     exporters: {otlphttp: {endpoint: "http://127.0.0.1:#{@upstream}", compression: "gzip"}},
     service: {telemetry: {metrics: {level: "none"}},
               pipelines: {profiles: {receivers: ["otlp"], processors: limiter.to_h.keys, exporters: ["otlphttp"]}}}}
  end
end
