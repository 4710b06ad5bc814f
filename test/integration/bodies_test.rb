# frozen_string_literal: true

require "rack"
require "rack/mock_request"
require "rack/body_proxy"
require_relative "../support/test_helper"
require "rperf/ledger"
require "rperf/middleware"

# Bodies of responses: parts of a request that are made after the application has returned.
class BodiesTest < Minitest::Test
  # A body that can be closed, as Rails and Rack's middlewares make them.
  Body = Struct.new(:parts, :closing) do
    def each = parts.each { |part| yield part.respond_to?(:call) ? part.call : part }
    def close = closing&.call
  end
  NAP = -> { sleep(0.01) && "x" }

  def setup = Rperf.start(mode: :wall, slow: 0.025)

  def teardown
    Rperf.stop
  end

  # What Rack calls an Enumerable body, and a Streaming body.
  def test_the_time_of_the_body_is_the_requests
    [[->(nap) { Enumerator.new { |out| 3.times { out << nap.call } } }, ->(body) { body.each { |_part| nil } }],
     [->(nap) { ->(stream) { 3.times { stream << nap.call } } }, ->(body) { body.call([]) }]].each do |make, write|
      body = respond(make.call(NAP))
      assert_equal({}, Rperf.labels)
      write.call(body)
    end
    assert_equal 2, row.units, "they are over before they are closed: they cannot be"
    assert_operator row.wall_seconds, :>=, 0.06
    assert_operator row.blocked_seconds, :>=, 0.06
    data = Rperf.stop
    labelled = data[:samples].select { |sample| sample[0].any? { |frame| frame[1].end_with?("Kernel#sleep") } }
    assert_equal [{endpoint: "GET /x", latency: "slow"}], labelled.map { |sample| data[:label_sets][sample[3]] }.uniq
  end

  def test_the_time_between_the_parts_is_not
    elapsed = seconds do
      body = respond(Body.new([NAP], NAP))
      sleep(0.05)
      body.each { |_part| nil }
      sleep(0.05)
      assert_empty rows
      body.close
    end
    assert_equal 1, row.units
    assert_includes 0.02..(elapsed - 0.1), row.wall_seconds
  end

  def test_an_exception_in_the_body_is_the_requests
    broken = -> { raise KeyError, "own" }
    [Body.new([broken]), Body.new([], broken), Enumerator.new { |_out| broken.call }, ->(_stream) { broken.call }].each do |body|
      wrapped = respond(body)
      error = assert_raises(KeyError) { body.respond_to?(:each) ? wrapped.each { |_part| nil } : wrapped.call([]); wrapped.close }
      assert_equal "own", error.message
      wrapped.close if body.is_a?(Body) && body.parts.any?
    end
    assert_equal [4, 4, {}], [row.units, row.errors, Rperf.labels]
  end

  def test_a_body_that_is_not_closed_ends_with_the_next_request_of_its_thread
    elapsed = seconds do
      respond(Body.new([NAP])).each { |_part| nil }
      sleep(0.05)
      respond(Body.new([NAP]))
      assert_equal 1, row.units
      sleep(0.05)
      respond([])
    end
    assert_equal 3, row.units
    assert_includes 0.01..(elapsed - 0.1), row.wall_seconds
  end

  def test_a_body_that_is_only_closed_ends
    [Enumerator.new { flunk }, Body.new([-> { flunk }], NAP)].each { |body| respond(body, method: "HEAD").close }
    assert_equal [["HEAD /x", 2]], rows.map { |row| [row.name, row.units] }
  end

  # As WEBrick does with a body that writes to a stream. Puma closes it, Falcon calls it.
  def test_the_head_of_a_stream_ends_when_the_application_returns
    labels = nil
    body = respond(->(_stream) { labels = Rperf.labels }, method: "HEAD")
    assert_equal [["HEAD /x", 1]], rows.map { |row| [row.name, row.units] }
    body.call([])
    body.close
    assert_equal [1, {endpoint: "HEAD /x"}, {}], [row.units, labels, Rperf.labels]
  end

  def test_a_body_that_is_copied_ends
    whole = Class.new do
      def each = yield("a")
      def to_ary = NAP.call && %w[a b]
      def close = nil
    end
    body = respond(Rack::BodyProxy.new(whole.new) { NAP.call })
    assert_equal %w[a b], body.to_ary
    assert_equal 1, row.units
    assert_operator row.wall_seconds, :>=, 0.02
    body.close
    assert_equal 1, row.units
  end

  def test_another_thread_writes_the_body
    body = respond(Body.new([-> { [burn, Rperf.labels] }], -> {}))
    labels = nil
    Thread.new do
      body.each { |_burnt, given| labels = given }
      body.close
      assert_equal({}, Rperf.labels)
    end.join
    assert_equal({endpoint: "GET /x"}, labels)
    assert_equal 1, row.units
    assert_operator row.cpu_seconds, :>=, 0.02
  end

  # As Falcon reads a body, by a fiber, and leaves it when the client has gone.
  def test_a_fiber_that_is_left_in_the_middle_of_the_body
    body = respond(Body.new([NAP, NAP]))
    parts = body.to_enum(:each)
    assert_equal ["x", {}], [parts.next, Rperf.labels]
    body.close
    assert_equal [1, {}], [row.units, Rperf.labels]
    assert_equal "x", parts.next
    assert_raises(StopIteration) { parts.next }
    respond([])
    assert_equal 2, row.units
  end

  def test_requests_of_fibers_that_take_turns
    seen = []
    fibers = %w[/a /b].map do |path|
      Fiber.new do
        body = respond(Body.new([-> { Fiber.yield || Rperf.labels }]), path:)
        body.each { |labels| seen << labels }
        body.close
      end
    end
    2.times { fibers.each(&:resume) }
    assert_equal [{endpoint: "GET /a"}, {endpoint: "GET /b"}, {}], [*seen, Rperf.labels]
    assert_equal [["GET /a", 1], ["GET /b", 1]], rows.map { |row| [row.name, row.units] }
  end

  # The header's value writes the response; servers leave the body alone.
  def test_a_partial_hijack_ends_when_the_application_returns
    respond(Body.new([NAP]), headers: {"rack.hijack" => ->(_stream) {}})
    assert_equal 1, row.units
  end

  def test_two_middlewares_are_one_request
    inner = Rperf::Middleware.new(->(_env) { [200, {}, Body.new([NAP])] }, label_key: :tenant) { "small" }
    body = Rperf::Middleware.new(inner).call(environment)[2]
    body.each { |_part| assert_equal({endpoint: "GET /x", tenant: "small"}, Rperf.labels) }
    assert_empty rows
    body.close
    assert_equal [["GET /x", 1]], rows.map { |row| [row.name, row.units] }
  end

  # A cascade asks the next application when the first has answered 404.
  def test_an_environment_that_another_application_gets_after_the_answer
    applications = [404, 200].map { |status| Rperf::Middleware.new(->(_env) { [status, {}, Body.new([NAP])] }) }
    env = environment
    bodies = applications.map { |application| application.call(env)[2] }
    bodies.last.each { |_part| assert_equal({endpoint: "GET /x"}, Rperf.labels) }
    bodies.last.close
    assert_equal [["GET (no route)", 1], ["GET /x", 1]], rows.map { |row| [row.name, row.units] }
  end

  def test_labels_of_blocks_around_the_application_do_not_come_back
    body = Rperf.label(host: "a") { respond(Body.new([NAP])) }
    assert_equal({}, Rperf.labels)
    body.each { |_part| assert_equal({endpoint: "GET /x"}, Rperf.labels) }
    body.close
    assert_equal({}, Rperf.labels)
  end

  def test_a_session_that_ends_before_the_body
    body = respond(Body.new([NAP]))
    Rperf.stop
    body.each { |_part| nil }
    Rperf.start(mode: :wall)
    body.close
    assert_equal [{}, []], [Rperf.labels, Rperf.stop[:ledger].to_a]
  end

  private

  # The rows of this session alone.
  def rows = Rperf.snapshot[:ledger].to_a.map { |row| Rperf::Ledger::Row.new(row) }

  def row = rows.fetch(0)

  def seconds
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
  end

  def burn(cpu = 0.02)
    finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + cpu
    nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
  end

  def environment(path: "/x", method: "GET") = Rack::MockRequest.env_for(path, method:)

  def respond(body, headers: {}, **request)
    Rperf::Middleware.new(->(_env) { [200, headers, body] }).call(environment(**request))[2]
  end
end
