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
  def initialize(directory, upstream:, limit: 0, tls: nil)
    @port = free_port
    @log = File.join(directory, "collector.log")
    @config = File.join(directory, "collector.json")
    File.write(@config, configuration(upstream, limit, tls).to_json)
    start
  end

  # Again at the same port.
  def start
    @pid = Process.spawn(PROGRAM, "--config", @config, "--feature-gates=service.profilesSupport", %i[out err] => [@log, "a"])
    await_port(@port, @log)
  end

  # Ends it, if it runs.
  def stop
    end_process(@pid) if @pid
    @pid = nil
  end

  private

  def configuration(upstream, limit, tls)
    http = {endpoint: "127.0.0.1:#{@port}", **({max_request_body_size: limit} if limit.positive?)}
    http[:tls] = {cert_file: tls.path("server.pem"), key_file: tls.path("server.key"), client_ca_file: tls.authority} if tls
    {receivers: {otlp: {protocols: {http:}}},
     exporters: {otlphttp: {endpoint: "http://127.0.0.1:#{upstream}", compression: "gzip"}},
     service: {telemetry: {metrics: {level: "none"}}, pipelines: {profiles: {receivers: ["otlp"], exporters: ["otlphttp"]}}}}
  end
end
