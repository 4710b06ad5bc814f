# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/test_helper"
require_relative "../support/nginx"
require_relative "../support/push_server"

# What a real web server in front of a store answers, and what the agent makes of it.
class AgentNginxTest < Minitest::Test
  include TestSupport

  Agent = Rperf::Agent
  LOCATIONS = <<~CONF
    location /ok { proxy_pass http://127.0.0.1:PORT; }
    location /small { client_max_body_size 1k; proxy_pass http://127.0.0.1:PORT; }
    location /limited { limit_req zone=slow; proxy_pass http://127.0.0.1:PORT; }
    location /gone { proxy_pass http://127.0.0.1:1; }
    location /moved { return 301 http://127.0.0.1:PORT/ok; }
    location /private { auth_basic "x"; auth_basic_user_file users; proxy_pass http://127.0.0.1:PORT; }
  CONF

  def in_front
    server = PushServer.new
    in_directory do |directory|
      File.write(File.join(directory, "users"), "me:{PLAIN}swordfish\n")
      nginx = Nginx.new(directory, LOCATIONS, upstream: server.port)
      yield nginx, server
    ensure
      nginx&.stop
    end
  ensure
    server.close
  end

  def url(port, scheme: "http") = URI("#{scheme}://127.0.0.1:#{port}")

  def test_what_it_answers
    in_front do |nginx, server|
      connection = Agent::Connection.new(url(nginx.port))
      kind = ->(path, headers = {}) { connection.post(path, "x" * 2000, headers).kind }
      assert_equal %i[sent too_large later wrong_address wrong_address unauthorized],
                   (%w[/ok /small /gone /moved /none /private].map { |path| kind.(path) })
      assert_equal %i[sent later], Array.new(2) { kind.("/limited") }
      credentials = Agent::Credentials.new(basic_auth: ["me", "swordfish"])
      assert_equal :sent, kind.("/private", credentials.headers)
      assert_equal :unauthorized, kind.("/private", Agent::Credentials.new(basic_auth: ["me", "shark"]).headers)
      assert_equal %w[/ok /limited /private], server.requests.map(&:path)
      connection.finish
    end
  end

  # The user of the address, and what is behind its path, are for this destination alone.
  def test_an_address_with_a_user_and_a_signature
    in_front do |nginx, server|
      push = %w[private other].map { |place| "pprof+http://#{"me:sword%66ish@" if place == "private"}127.0.0.1:#{nginx.port}/#{place == "private" ? place : "ok"}?sig=s%2Fx" }
      destinations = Agent::Destinations.of(Agent::Settings.new(push:), Agent::Series.new(service: "shop"))
      delivery = Agent::Delivery.new(Rperf::Native::Profile.from_h({mode: :cpu, samples: [[[["a.rb", "A#a"]], 1, 1, 0]], label_sets: [{}]}))
      assert_equal %i[sent sent], (destinations.map { |destination| destination.deliver(delivery).kind })
      assert_equal %w[/private?sig=s%2Fx /ok?sig=s%2Fx], server.requests.map(&:path)
      assert_nil server.requests.last.headers["authorization"]
      entry = destinations.first.entry(delivery)
      refute_match(/sig=|sword|authorization/i, entry.bytes.lines.first)
      destinations.each(&:finish)
    end
  end

  def test_certificates_are_verified
    in_front do |nginx, server|
      trusting = Agent::Connection.new(url(nginx.tls_port, scheme: "https"), tls: {ca_file: nginx.authority})
      assert_equal :sent, trusting.post("/ok", "x", {}).kind
      trusting.finish
      other_name = Agent::Connection.new(URI("https://localhost:#{nginx.tls_port}"), tls: {ca_file: nginx.authority})
      [Agent::Connection.new(url(nginx.tls_port, scheme: "https")), other_name].each do |connection|
        answer = connection.post("/ok", "x", {})
        assert_equal :unreachable, answer.kind
        assert_match(/certificate verify failed|does not match|hostname mismatch/i, answer.text)
      end
      assert_equal 1, server.requests.length
    end
  end

  def test_a_proxy_of_the_environment
    proxy = PushServer.new
    before = ENV.to_h.slice("http_proxy", "no_proxy")
    ENV.update("http_proxy" => "http://127.0.0.1:#{proxy.port}", "no_proxy" => "inside.example")
    connection = Agent::Connection.new(URI("http://profiles.example:8080"))
    assert_equal :sent, connection.post("/ok", "x", {}).kind
    assert_equal ["http://profiles.example:8080/ok"], proxy.requests.map(&:path)
  ensure
    %w[http_proxy no_proxy].each { |name| ENV[name] = before[name] }
    connection&.finish
    proxy.close
  end
end
