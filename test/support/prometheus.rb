# frozen_string_literal: true

require "json"
require "net/http"
require_relative "listening"

# A Prometheus server that scrapes a port, five times a second.
class Prometheus
  include Listening

  # directory: where it keeps its data; target: "127.0.0.1:6065"; params: of the requests, a Hash of
  # Arrays
  def initialize(directory, target, params: {})
    @port = free_port
    configuration = {"scrape_configs" => [{"job_name" => "ruby", "scrape_interval" => "200ms", "scrape_timeout" => "200ms", "params" => params,
                                            "static_configs" => [{"targets" => [target]}]}]}
    path = File.join(directory, "prometheus.yml")
    File.write(path, JSON.generate(configuration)) # JSON is YAML.
    @log = File.join(directory, "prometheus.log")
    @pid = Process.spawn("prometheus", "--config.file=#{path}", "--storage.tsdb.path=#{directory}/tsdb", "--web.listen-address=127.0.0.1:#{@port}", %i[out err] => @log)
  end

  # The values of a query by one of their labels, as soon as the block likes them.
  def await(query, label)
    found = nil
    Waiting.await(-> { "#{query}, for which Prometheus has #{found}: #{File.read(@log)}" }) do
      found = values(query).to_h { |row| [row.dig("metric", label), row.dig("value", 1).to_f] }
      found.any? && yield(found)
    end
    found
  end

  def stop = end_process(@pid)

  private

  def values(query)
    JSON.parse(Net::HTTP.get(URI("http://127.0.0.1:#{@port}/api/v1/query?#{URI.encode_www_form(query:)}"))).dig("data", "result") || []
  rescue SystemCallError, EOFError, JSON::ParserError
    [] # It is not ready yet.
  end
end
