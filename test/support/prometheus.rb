# frozen_string_literal: true

require "json"
require "net/http"
require "socket"

# A Prometheus server that scrapes a port, five times a second.
class Prometheus
  # Seconds until it has what is asked for, on a busy machine.
  LIMIT = 60

  # directory: where it keeps its data; target: "127.0.0.1:6065"; params: of the requests, a Hash of
  # Arrays
  def initialize(directory, target, params: {})
    @port = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }
    configuration = {"scrape_configs" => [{"job_name" => "ruby", "scrape_interval" => "200ms", "scrape_timeout" => "200ms", "params" => params,
                                            "static_configs" => [{"targets" => [target]}]}]}
    path = File.join(directory, "prometheus.yml")
    File.write(path, JSON.generate(configuration)) # JSON is YAML.
    @log = File.join(directory, "prometheus.log")
    @pid = Process.spawn("prometheus", "--config.file=#{path}", "--storage.tsdb.path=#{directory}/tsdb", "--web.listen-address=127.0.0.1:#{@port}", %i[out err] => @log)
  end

  # The values of a query by one of their labels, as soon as the block likes them.
  def await(query, label)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LIMIT
    loop do
      values = values(query).to_h { |row| [row.dig("metric", label), row.dig("value", 1).to_f] }
      return values if values.any? && yield(values)
      raise "Prometheus has #{values} for #{query}: #{File.read(@log)}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep 0.05
    end
  end

  def stop
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  end

  private

  def values(query)
    JSON.parse(Net::HTTP.get(URI("http://127.0.0.1:#{@port}/api/v1/query?#{URI.encode_www_form(query:)}"))).dig("data", "result") || []
  rescue SystemCallError, EOFError, JSON::ParserError
    [] # It is not ready yet.
  end
end
