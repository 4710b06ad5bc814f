# frozen_string_literal: true

require "json"
require_relative "support/programs"

# What threads wait for in real pools and clients.
class PoolWaitsTest < Minitest::Test
  include IntegrationPrograms

  SECONDS = 0.3
  # A thread for each case, with the label `case`, waits for so long.
  PROGRAM = <<~RUBY
    require "active_record"
    require "connection_pool"
    require "net/http"
    require "redis_client"
    require "rperf"

    def later = sleep(#{SECONDS})
    # Answers each request late, whatever it is. (The server waits, too, without the label.)
    def server(answer, ending)
      server = TCPServer.new("127.0.0.1", 0)
      Thread.new { socket = server.accept; (while (line = socket.gets); (later; socket.write(answer)) if line.match?(ending); end) }
      server.addr[1]
    end
    pool, mutex = ConnectionPool.new(size: 1, timeout: 60) { Object.new }, Mutex.new
    full = ConnectionPool.new(size: 1, timeout: 60) { Object.new }
    taken = Queue.new
    Thread.new { full.with { taken << 1; later } }
    Thread.new { mutex.synchronize { taken << 1; later } }
    2.times { taken.pop }
    http, redis = server("HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n", /\\A\\r\\n/), server("+PONG\\r\\n", /PING/)
    CASES = {
      pool: -> { full.with { } },
      block: -> { pool.with { mutex.synchronize { } } },
      active_record: -> { ActiveRecord::ConnectionAdapters::ConnectionPool::Queue.new.poll(#{SECONDS}) rescue ActiveRecord::ConnectionTimeoutError },
      http: -> { Net::HTTP.get(URI("http://127.0.0.1:\#{http}/")) },
      redis: -> { RedisClient.config(host: "127.0.0.1", port: redis, protocol: 2).new_client.call("PING") }
    }
    Rperf.classify_wait("RedisClient#" => :cache) if ENV["CACHE"]
    CASES.map { |name, wait| Thread.new { Rperf.label(case: name) { wait.call } } }.each(&:join)
  RUBY
  EXPECTED = {"pool" => "pool", "block" => "lock", "active_record" => "pool", "http" => "network", "redis" => "network"}.freeze

  def record(directory, env = {})
    write_file(directory, "app.rb", PROGRAM)
    result = rperf("record", "-m", "wall", "-o", "app.pb.gz", RUBY, "app.rb", directory:, env:)
    assert_equal [0, ""], [result.code, result.out], result.inspect
  end

  # Seconds by what the threads of a case waited for.
  def waits(name, directory)
    result = rperf("report", "--by", "wait", "--tagfocus", "case=^#{name}$", "--idle", "--format", "json", "app.pb.gz", directory:)
    JSON.parse(result.out).fetch("values").to_h { |row| [row.fetch("name"), row.fetch("blocked") / 1e9] }
  end

  def test_pools_and_clients
    in_directory do |directory|
      record(directory)
      EXPECTED.each { |name, kind| assert_operator waits(name, directory).fetch(kind, 0), :>, SECONDS / 2, name }
    end
  end

  def test_what_the_program_calls_it
    in_directory do |directory|
      record(directory, {"CACHE" => "1"})
      assert_operator waits("redis", directory).fetch("cache", 0), :>, SECONDS / 2
      assert_operator waits("http", directory).fetch("network", 0), :>, SECONDS / 2
    end
  end
end
