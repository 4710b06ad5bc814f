# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/agent_doubles"
require_relative "../support/program"
require_relative "../support/test_helper"
require_relative "../support/push_server"

# A server that fails in every way there is: of each profile the agent knows what became of it.
class AgentFaultsTest < Minitest::Test
  include AgentDoubles
  include ProgramSupport

  Agent = Rperf::Agent
  PROFILES = 10_000
  # Seconds: no run takes so long, unless it hangs.
  DEADLINE = 60
  FIRST_LINE = "HTTP/1.1 200 OK\r\n"
  WHOLE = "#{FIRST_LINE}X-Header: y\r\nContent-Length: 4\r\n\r\nbody"

  # Sends the number of a delivery.
  class Numbers < Agent::Destinations::Server
    def deliver(delivery) = @connection.post("/", delivery.id, @credentials.headers)
  end

  # Sends so many profiles to the server, one after the other. Returns the counters.
  def send_all(server, count)
    destination = Numbers.new(URI("http://127.0.0.1:#{server.port}"), series: nil, credentials: Agent::Credentials.new)
    sender = Agent::Sender.new(destination, log: Lines.new, backoff: Eager.new)
    sender.start
    count.times do
      sender.push(Agent::Delivery.new(profile))
      assert sender.flush(DEADLINE)
    end
    sender.counters.to_h
  ensure
    sender&.stop
    server.close
  end

  # The deliveries that were taken with a whole answer, by how often; and those of which the agent
  # may think so.
  def taken(server, answers)
    pairs = server.requests.zip(answers)
    whole = pairs.filter_map { |request, answer| request.body if answer.is_a?(Array) && answer.first < 300 }
    perhaps = pairs.filter_map { |request, answer| request.body if answer.is_a?(String) && answer.b.start_with?(FIRST_LINE) }
    [whole.tally, perhaps - whole]
  end

  def test_random_failures
    random = Random.new(7)
    answers = []
    server = PushServer.new { |number| answers[number] = failure(random) }
    counters = send_all(server, PROFILES)
    assert_equal PROFILES, counters[:taken]
    assert_equal PROFILES, counters[:sent] + counters[:dropped].values.sum
    assert_equal ["rejected", "server error", "too large"], counters[:dropped].keys.sort
    whole, perhaps = taken(server, answers)
    assert_equal [1], whole.values.uniq
    assert_includes whole.length..(whole.length + perhaps.uniq.length), counters[:sent]
  end

  def failure(random)
    return [200, {}, ""] if random.rand < 0.4
    [[400, {}, "no"], [413, {}, ""], [429, {"Retry-After" => "0"}, ""], [500, {}, ""], [502, {}, "<html>"], [503, {}, ""],
     :close, WHOLE[0, random.rand(WHOLE.length)], "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz",
     "\xFF\x00 rubbish\r\n\r\n"].sample(random:)
  end

  # Without its head an answer is none: the profile is sent again. With it, it is one.
  def test_an_answer_that_breaks_off_at_every_byte
    cuts, seen = (0...WHOLE.length).to_a, Hash.new(0)
    server = PushServer.new { |_number, request| (seen[request.body] += 1) == 1 ? WHOLE[0, cuts.shift] : [200, {}, ""] }
    counters = send_all(server, WHOLE.length)
    assert_equal [WHOLE.length, {}], counters.values_at(:sent, :dropped)
    attempts = server.requests.map(&:body).tally.values
    assert_equal [2] * FIRST_LINE.chomp.length, attempts.first(FIRST_LINE.chomp.length)
    head = WHOLE.index("\r\n\r\n") + 4
    assert_equal [1], attempts.drop(head).uniq
  end

  def test_an_answer_without_an_end_is_not_kept
    body = "x" * (1 << 20)
    server = PushServer.new { [400, {}, body] }
    connection = Agent::Connection.new(URI("http://127.0.0.1:#{server.port}"))
    answer = connection.post("/", "", {})
    assert_equal [:rejected, 200], [answer.kind, answer.text.length]
  ensure
    connection&.finish
    server.close
  end

  def test_an_answer_whose_end_does_not_come_in_time
    server = PushServer.new { [200, {"Content-Length" => "2"}, "x"] }
    connection = Agent::Connection.new(URI("http://127.0.0.1:#{server.port}"))
    assert_equal([:sent, "x"], connection.post("/", "", {}, within: 3) { |answer, body| [answer.kind, body] })
  ensure
    server.close
  end

  ENDLESS = {"a line" => "#{FIRST_LINE}X-Header: #{"x" * (1 << 20)}", "lines" => "#{FIRST_LINE}#{"X-Header: y\r\n" * 20_000}",
             "answers before the answer" => "HTTP/1.1 100 Continue\r\n\r\n" * 10_000}.freeze

  # Neither on the first connection, nor on one that Net::HTTP opens by itself.
  def test_a_head_without_an_end_is_not_read
    ENDLESS.each do |name, bytes|
      server = PushServer.new { |number, _request| number.zero? ? "#{FIRST_LINE}Connection: close\r\n\r\n" : bytes }
      connection = Agent::Connection.new(URI("http://127.0.0.1:#{server.port}"))
      answers = Array.new(3) { connection.post("/", "", {}) }
      assert_equal [name, [:sent, :unreachable, :unreachable], ["its answer does not end"]], [name, answers.map(&:kind), answers.map(&:text).drop(1).uniq]
      server.close
    end
  end

  def test_the_proxy_of_the_environment
    proxy = PushServer.new { "HTTP/1.1 502 none today\r\n\r\n" }
    {"http://127.0.0.1:#{proxy.port}" => "502 \"none today\", by the proxy 127.0.0.1:#{proxy.port}",
     "http://me:swordfish@127.0.0.1:9" => "Connection refused, by the proxy 127.0.0.1:9", "proxy:swordfish" => "https_proxy of the environment is no address"}.each do |address, text|
      connection = Agent::Connection.new(URI("https://profiles.example.org"))
      assert_equal text, with_env("https_proxy" => address) { connection.post("/", "", {}).text }
    end
    assert_equal [["CONNECT", "profiles.example.org:443"]], proxy.requests.map { |request| [request.method, request.path] }
  ensure
    proxy.close
  end

  def test_a_proxy_that_wants_other_credentials
    proxy = PushServer.new { "HTTP/1.1 407 no\r\n\r\n" }
    answer = with_env("https_proxy" => "http://127.0.0.1:#{proxy.port}") { Agent::Connection.new(URI("https://profiles.example.org")).post("/", "", {}) }
    assert_equal [:unauthorized, "407 from the proxy"], [answer.kind, answer.text]
  ensure
    proxy.close
  end

  # Ruby does not like HTTP_PROXY, and says so; not each time that a server does not answer.
  def test_a_proxy_whose_name_ruby_warns_of
    proxy = PushServer.new { :close }
    text = 'connection = Rperf::Agent::Connection.new(URI("http://profiles.example.org")); 3.times { connection.post("/", "", {}) }'
    env = {"HTTP_PROXY" => "http://127.0.0.1:#{proxy.port}", "http_proxy" => nil}
    result = in_directory { |directory| run_program(RUBY, "-I", Paths::LIB, "-r", "rperf/agent/connection", "-e", text, directory:, env:) }
    assert_equal [3, 1], [proxy.requests.length, result.err.lines.length], result.inspect
  ensure
    proxy.close
  end

  def with_env(values)
    before = values.to_h { |name, _value| [name, ENV[name]] }
    ENV.update(values)
    yield
  ensure
    ENV.update(before)
  end

  def test_a_server_that_says_nothing
    server = PushServer.new { :silence }
    connection = Agent::Connection.new(URI("http://127.0.0.1:#{server.port}"))
    answer = connection.post("/", "", {}, within: 0.2)
    assert_equal [:unreachable, "no answer in time"], [answer.kind, answer.text]
  ensure
    server.close
  end

  def test_a_store_that_does_not_say_what_it_has
    bodies = ["ok", "", '{"flamegraph": "yes"}', "[]", '{"other": 1}', "{\"a\": \"\xFF\"}", '{"flamegraph": {"total": "7"}}']
    server = PushServer.new { |number, _request| [bodies[number].empty? ? 204 : 200, {}, bodies[number]] }
    url = URI("http://127.0.0.1:#{server.port}")
    destination = Agent::Destinations::Pyroscope.new(url, series: Agent::Series.new(service: "shop"), credentials: Agent::Credentials.new)
    delivery = Agent::Delivery.new(profile)
    bodies[..-2].each { |body| assert_match(/ does not say what it has: 20[04]/, assert_raises(Rperf::Error, body) { destination.stored(delivery) }.message) }
    assert_equal 7, destination.stored(delivery)
  ensure
    destination&.finish
    server.close
  end

  def test_a_server_that_repeats_what_it_got
    server = PushServer.new { |_number, request| [400, {}, "what is #{request.headers["authorization"]}, and #{request.path}?"] }
    url = URI("http://127.0.0.1:#{server.port}/put?key=swordfish")
    destination = Agent::Destinations::Pprof.new(url, series: nil, credentials: Agent::Credentials.new(token: "salmon-trout"))
    assert_equal "400 what is [hidden], and /put?[hidden]?", destination.deliver(Agent::Delivery.new(profile)).text
  ensure
    destination&.finish
    server.close
  end
end
