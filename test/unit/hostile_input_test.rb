# frozen_string_literal: true

require "rperf/agent"
require "rperf/control/router"
require "rperf/web/request"
require_relative "../support/test_helper"

# What comes in from outside, damaged in many ways: answers of servers, files of a spool, requests.
# What is made of it is what is documented, and never another exception.
class HostileInputTest < Minitest::Test
  Agent = Rperf::Agent
  Response = Struct.new(:code, :headers) do
    def [](name) = headers[name]
  end
  ROUNDS = 2_000
  KINDS = [*Agent::Health::SENTENCES.keys, :sent].freeze

  def setup
    @random = Random.new(19)
  end

  # The bytes with some of them changed, left out, doubled or added.
  def damaged(bytes)
    bytes = bytes.b
    @random.rand(1..6).times do
      at = @random.rand(bytes.bytesize + 1)
      case @random.rand(5)
      when 0 then bytes.setbyte(at, @random.rand(256)) if at < bytes.bytesize
      when 1 then bytes = bytes.byteslice(0, at)
      when 2 then bytes.slice!(at, @random.rand(8))
      when 3 then bytes.insert(at, bytes.byteslice(0, @random.rand(20)))
      else bytes.insert(at, @random.bytes(@random.rand(1..4)))
      end
    end
    bytes
  end

  # Calls the block with damaged copies of each.
  def each_damaged(*seeds)
    seeds.cycle.first(ROUNDS).each { |seed| yield damaged(seed) }
  end

  def check_answer(answer, given)
    assert_includes KINDS, answer.kind, given.inspect
    return if answer.text.nil?
    assert answer.text.valid_encoding? && answer.text.length <= 200 && !answer.text.match?(/[[:cntrl:]]/), answer.text.inspect
  end

  def test_answers
    seeds = ['{"code":"resource_exhausted","message":"too large \u00e9"}', "<html>\r\nbad\e[31m</html>", "[1]", '{"message":{"a":[1]}}', "{"]
    each_damaged(*seeds) do |body|
      after = [nil, "5", "Wed, 25 Nov 2026 02:00:00 GMT", damaged("120"), damaged("Wed, 25 Nov 2026 02:00:00 GMT")].sample(random: @random)
      response = Response.new(@random.rand(100..599).to_s, {"retry-after" => after})
      answer = Agent::Answer.of(response, body)
      check_answer(answer, body)
      assert_includes 0..600, answer.after || 0
    end
  end

  # What is behind HTTP's 200.
  def test_messages_of_stores
    options = {series: nil, credentials: Agent::Credentials.new}
    url = URI("http://x")
    otlp, parca = Agent::Destinations::OTLP.new(url, **options), Agent::Destinations::Parca.new(url, **options)
    sent = Agent::Answer.new(kind: :sent)
    trailers = "grpc-status: 3\r\ngrpc-message: no%20room\r\n"
    seeds = ["\n\0", "\n\x0a\x08\x01\x12\x06no cpu", [0, 3, "abc", 0x80, trailers.bytesize, trailers].pack("CNa*CNa*"), [0x80, 16, "grpc-status: 0\r\n"].pack("CNa*")]
    each_damaged(*seeds) do |body|
      headers = @random.rand(3).zero? ? {"grpc-status" => damaged("13"), "grpc-message" => damaged("bro%ken")} : {}
      [otlp, parca].each { |store| check_answer(store.send(:heard, sent, body, Response.new("200", headers)), body) }
    end
  end

  def test_files_of_a_spool
    entry = Agent::Spool::Entry.new(destination: "a", path: "/x", headers: {"A" => "b"}, body: "body", till: 5)
    each_damaged(entry.bytes, "", "null\n", "[]\n", "{}\n", "5\nbody", '{"destination":1,"path":2,"headers":3,"till":"x"}') do |bytes|
      found = Agent::Spool::Entry.of(bytes)
      next if found.nil?
      assert_kind_of String, found.body
      assert [found.destination, found.path, *found.headers.to_a.flatten].all?(String), bytes.inspect
      assert_kind_of Integer, found.till
    end
  end

  def test_requests
    router = Rperf::Control::Router.new(Rperf::Control::Terms.new(most_seconds: 60, waits: false, commands: false))
    seeds = %w[/status /debug/pprof/profile?seconds=1&format=text /debug/pprof/threads?debug=1 /metrics?siblings=0 /recordings/a.pb.gz /start?mode=wall&seconds=5]
    each_damaged(*seeds.map { |target| "GET #{target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain" }) do |head|
      response = begin
        router.call(Rperf::Web::Request.send(:parse, head)) { flunk("it would wait") }
      rescue Rperf::Web::Refusal => refusal
        refusal.response
      end
      assert_includes [200, 400, 403, 404, 405, 409], response.status, head.inspect
    end
    refute_predicate Rperf, :running?
  end
end
