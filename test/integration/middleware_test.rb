# frozen_string_literal: true

require "rack"
require "rack/lint"
require "rack/mock_request"
require_relative "../support/test_helper"
require "rperf/middleware"
require "rperf/rack"

# Rperf::Middleware in this process.
class MiddlewareTest < Minitest::Test
  def setup = Rperf.start(mode: :wall)

  def teardown
    Rperf.stop
  end

  def test_both_names
    assert_same Rperf::Middleware, Rperf::RackMiddleware
  end

  def test_a_request_is_labelled_and_nothing_stays
    assert_equal({endpoint: "POST /a/b"}, seen("/a/b?c=d", method: "POST"))
    assert_equal({}, Rperf.labels)
    assert_equal({route: "GET /a"}, seen("/a", label_key: :route))
    assert_equal({"\u{fffd}": "GET /a"}, seen("/a", label_key: "\xff".b))
    assert_equal({endpoint: "GET /"}, seen(""))
  end

  def test_labels_of_the_application_are_kept_apart
    Rperf.label(host: "a") { assert_equal({host: "a", endpoint: "GET /x"}, seen("/x")) }
    assert_equal({endpoint: "GET /x", tenant: "small"}, seen("/x") { Rperf.label(tenant: "small") })
    assert_equal({}, Rperf.labels)
  end

  def test_ids_in_paths_are_one_endpoint
    {
      "/users/42/orders/7.json" => "/users/:id/orders/:id.json", "/users/42/" => "/users/:id/", "/7" => "/:id",
      "/u/123e4567-e89b-12d3-a456-426614174000" => "/u/:id", "/u/01ARZ3NDEKTSV4RRFFQ69G5FAV" => "/u/:id",
      "/c/85f8106aa0f5a2fe44a2c41bcaf9a2f90b3c1d2e" => "/c/:id", "/cus_9s6XKzkNRiz8i3Qp2uVw/x" => "/:id/x", "/d/2024-01-31" => "/d/:id",
      "/app-85f8106aa0f5a2fe.js" => "/app-:id.js", "/ip/10.0.0.1" => "/ip/:id", "/internationalization" => "/internationalization", "/a-title-with-2024-in-it" => "/a-title-with-2024-in-it", "/m/507f1f77bcf86cd799439011" => "/m/:id",
      "/v2/users" => "/v2/users", "/2fast" => "/2fast", "/cafe" => "/cafe", "/a42" => "/a42", "/users/42x" => "/users/42x"
    }.each { |path, name| assert_equal "GET #{name}", seen(path)[:endpoint] }
  end

  def test_the_path_of_a_mounted_application_is_whole
    middleware = build(label_key: :endpoint)
    assert_equal "GET /admin/users", labels_at(Rack::URLMap.new("/admin" => middleware), "/admin/users")[:endpoint]
  end

  # While a request runs, its path is its name.
  def test_thousands_of_paths_are_bounded
    middleware = build(limit: 20)
    inside = -> { sleep(0.001) } # Measured, so that each request has a sample.
    values = Array.new(300) { |number| labels_at(middleware, "/posts/title-#{number}", &inside)[:endpoint] }
    assert_equal ["GET /posts/title-0", "GET /posts/title-299"], values.values_at(0, 299)
    assert_equal 22, endpoints(Rperf.stop).length, "none, twenty names, and the others'"
  end

  def test_the_limit_holds_for_threads_at_once
    middleware = build(limit: 50)
    inside = -> { sleep(0.001) }
    threads = Array.new(8) { |thread| Thread.new { 20.times { |number| labels_at(middleware, "/#{thread}x#{number}", &inside) } } }
    threads.each(&:join)
    assert_equal 52, endpoints(Rperf.stop).length, "none, fifty names, and the others'"
  end

  def test_the_application_names_the_endpoint
    by_block = build { |env| env["PATH_INFO"][1..].to_sym if env["PATH_INFO"] != "/else" }
    named = %w[/x /else /].map { |path| labels_at(by_block, path)[:endpoint] }
    assert_equal ["x", "GET /else", "GET /"], named
    assert_equal "fixed", seen("/x", endpoint: ->(_env) { "fixed" })[:endpoint]
    limited = build(limit: 1) { |env| env["PATH_INFO"] }
    assert_equal %w[/a (other)], [labels_at(limited, "/a")[:endpoint], labels_at(limited, "/b")[:endpoint]]
  end

  # As by Thread#raise, at any place: nothing names the endpoint, so the error is not of that.
  def test_an_error_from_another_thread_is_not_that_of_a_naming
    interrupt = TracePoint.new(:call) { |call| raise KeyError if call.method_id == :given }
    _out, err = capture_io { assert_raises(KeyError) { interrupt.enable { seen("/x") } } }
    assert_empty err
  end

  def test_a_naming_that_fails_costs_the_name_only
    middleware = build { |env| env.fetch("no.such.key") }
    _out, err = capture_io { 3.times { assert_equal "GET /x", labels_at(middleware, "/x")[:endpoint] } }
    assert_equal "rperf: the endpoint of a request could not be named (KeyError: key not found: \"no.such.key\"); its path is used instead\n", err
  end

  def test_exceptions_and_throws_pass_through
    raising = build { |_env| nil }
    error = assert_raises(KeyError) { labels_at(raising, "/x") { raise KeyError, "the application's own" } }
    assert_equal "the application's own", error.message
    assert_equal :thrown, catch(:async) { labels_at(raising, "/x") { throw :async, :thrown } }
    assert_equal({}, Rperf.labels)
  end

  def test_work_in_the_body_is_labelled
    seen = []
    body = Enumerator.new { |parts| 2.times { seen << Rperf.labels; parts << "part" } }
    assert_equal "partpart", respond_with(body).body
    assert_equal [{endpoint: "GET /x"}] * 2, seen
    assert_equal({}, Rperf.labels)
  end

  def test_work_of_a_streaming_body_is_labelled
    seen = nil
    stream = StringIO.new
    _status, _headers, body = Rperf::Middleware.new(->(_env) { [200, {}, ->(out) { seen = Rperf.labels; out.write("streamed") }] }).call(environment)
    refute_respond_to body, :each
    refute_respond_to body, :to_ary
    body.call(stream)
    assert_equal [{endpoint: "GET /x"}, "streamed"], [seen, stream.string]
  end

  def test_closing_is_labelled_and_passed_on
    closed = nil
    body = Class.new do
      define_method(:each) { |&block| block.call("a") }
      define_method(:close) { closed = Rperf.labels }
    end.new
    assert_equal "a", respond_with(body).body
    assert_equal({endpoint: "GET /x"}, closed)
  end

  def test_complete_bodies_are_handed_on_as_they_are
    [["a"], File.open(__FILE__)].each do |body|
      assert_same body, Rperf::Middleware.new(->(_env) { [200, {}, body] }).call(environment)[2]
    ensure
      body.close if body.respond_to?(:close)
    end
  end

  def test_answers_of_servers_own_kinds_are_handed_on
    assert_nil Rperf::Middleware.new(->(_env) {}).call(environment)
    assert_equal [-1, {}, []], Rperf::Middleware.new(->(_env) { [-1, {}, []] }).call(environment)
  end

  # Falcon asks for the class of the body, and reads all others without a length. (Its gems are not
  # among those of the tests.)
  def test_bodies_of_falcons_own_class_are_handed_on
    readable = Class.new { def each = yield("a") }
    Object.const_set(:Protocol, Module.new).const_set(:HTTP, Module.new).const_set(:Body, Module.new).const_set(:Readable, readable)
    body = Class.new(readable).new
    assert_same body, Rperf::Middleware.new(->(_env) { [200, {}, body] }).call(environment)[2]
    assert_equal({}, Rperf.labels)
  ensure
    Object.send(:remove_const, :Protocol)
  end

  # Servers hand over the bytes of the request line as they came.
  def test_paths_of_any_bytes_and_length
    ["/caf\xC3\xA9".b, "/caf\u00e9", "/\xFF/1".b, "/\xFF".dup.force_encoding("UTF-8"), "/#{"x" * 5000}", "*"].each do |path|
      name = labels_at(build, path)[:endpoint]
      assert_predicate name, :valid_encoding?
      assert_operator name.bytesize, :<, 300
    end
    assert_equal "GET /caf\u00e9", labels_at(build, "/caf\xC3\xA9".b)[:endpoint]
    env = environment.merge("SCRIPT_NAME" => "/\u00e9", "PATH_INFO" => "/\xC3\xA9".b)
    assert_equal "GET /\u00e9/\u00e9", labels_of(build, env)[:endpoint]
  end

  def test_without_a_session_requests_pass
    Rperf.stop
    body = Enumerator.new { |parts| parts << "x" }
    answer = [200, {}, body]
    assert_same answer, Rperf::Middleware.new(->(_env) { answer }) { raise "not asked" }.call(environment)
  end

  def test_a_session_that_ends_during_a_request
    assert_equal({}, seen("/x") { Rperf.stop })
  end

  def test_requests_are_units_of_work_and_fail_by_their_status_or_an_exception
    statuses = [200, 404, 500, 503].each
    application = Rperf::Middleware.new(->(_env) { [statuses.next, {}, []] })
    4.times { application.call(Rack::MockRequest.env_for("/users/7")) }
    assert_raises(KeyError) { labels_at(build, "/users/8") { raise KeyError } }
    assert_equal :out, catch(:out) { labels_at(build, "/users/9") { throw :out, :out } }
    rows = Rperf.stop[:ledger].to_h { |row| [row[:name], row.values_at(:kind, :label, :units, :errors)] }
    assert_equal({"GET /users/:id" => [:request, :endpoint, 5, 3], "GET (no route)" => [:request, :endpoint, 1, 0]}, rows)
  end

  # Rack 2 allows all that has to_i.
  def test_statuses_that_are_no_integers
    statuses = ["500", "404", "403", "200", Object.new]
    application = Rperf::Middleware.new(->(_env) { [statuses.shift, {}, []] })
    5.times { application.call(environment) }
    rows = Rperf.stop[:ledger].to_h { |row| [row[:name], row.values_at(:units, :errors)] }
    assert_equal({"GET /x" => [4, 1], "GET (no route)" => [1, 0]}, rows)
  end

  # As Puma does; an application further out may have made a response of the exception.
  def test_an_exception_that_the_server_rescues
    inner = Rperf::Middleware.new(->(_env) { raise KeyError })
    rescuing = Rperf::Middleware.new(->(env) { assert_raises(KeyError) { inner.call(env) } && [404, {}, []] })
    requests = [inner, rescuing].map do |application|
      env = environment
      application.cover(env) { application.call(env) rescue nil } # rubocop:disable Style/RescueModifier
      env["rperf.request"]
    end
    assert_equal [[true, KeyError], [false, NilClass]], requests.map { |request| [request.failed?, request.exception.class] }
    assert_equal({"GET /x" => 1, "GET (no route)" => 0}, Rperf.stop[:ledger].to_h { |row| row.values_at(:name, :errors) })
  end

  def test_a_request_that_two_middlewares_label_is_one
    inner = build(label_key: :tenant) { "small" }
    outer = Rperf::Middleware.new(inner)
    assert_equal({endpoint: "GET /x", tenant: "small"}, labels_at(outer, "/x"))
    assert_equal [["GET /x", 1]], Rperf.stop[:ledger].map { |row| row.values_at(:name, :units) }
  end

  def test_wrong_arguments
    {
      {label_key: nil} => "label_key: must be a Symbol or a String, not nil",
      {label_key: ""} => "label_key: must be a Symbol or a String, not \"\"",
      {label_key: ["x" * 100]} => "label_key: must be a Symbol or a String, not [\"#{"x" * 78}...",
      {limit: 0} => "limit: must be a whole number from 1 to 10000 (endpoints), not 0",
      {server: "yes"} => "server: must be true or false, not \"yes\"",
      {endpoint: "users"} => "endpoint: must respond to call, not \"users\"",
      {limt: 3} => "unknown keyword: :limt"
    }.each do |keywords, message|
      assert_equal message, assert_raises(ArgumentError) { Rperf::Middleware.new(nil, **keywords) }.message
    end
    both = assert_raises(ArgumentError) { Rperf::Middleware.new(nil, endpoint: proc {}) { nil } }
    assert_equal "the endpoint can be named by endpoint: (or label:) or by a block, not by both", both.message
  end

  private

  def endpoints(data) = data[:label_sets].map { |set| set[:endpoint] }.uniq

  # The middleware with an application that notes its labels.
  def build(**keywords, &naming)
    application = lambda do |env|
      env["test.inside"]&.call
      env["test.labels"] << Rperf.labels
      [200, {}, []]
    end
    Rperf::Middleware.new(application, **keywords, &naming)
  end

  def seen(path, method: "GET", **keywords, &inside) = labels_at(build(**keywords), path, method:, &inside)

  def labels_at(application, path, method: "GET", &inside)
    env = Rack::MockRequest.env_for("/", method:)
    env["PATH_INFO"], _, env["QUERY_STRING"] = path.partition("?")
    labels_of(application, env, &inside)
  end

  def labels_of(application, env, &inside)
    env["test.labels"] = []
    env["test.inside"] = inside
    application.call(env)
    env["test.labels"].first
  end

  def environment = Rack::MockRequest.env_for("/x")

  # The middleware is to Rack's liking, seen from the server and from the application.
  def respond_with(body)
    inner = Rack::Lint.new(->(_env) { [200, {}, body] })
    Rack::MockRequest.new(Rack::Lint.new(Rperf::Middleware.new(inner))).get("/x")
  end
end
