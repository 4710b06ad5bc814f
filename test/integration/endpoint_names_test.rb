# frozen_string_literal: true

require "rack"
require "rack/mock_request"
require_relative "../support/test_helper"
require "rperf/middleware"

# One request has one name, whenever it is known: Rperf::Middleware in this process.
class EndpointNamesTest < Minitest::Test
  ROUTED = "GET /posts/:slug"

  def setup = Rperf.start(mode: :wall)

  def teardown
    Rperf.stop
  end

  def test_all_samples_of_a_request_have_the_name_that_its_router_finds
    middleware = build { |env| route_late(env) }
    3.times { |number| get(middleware, "/posts/title-#{number}") }
    assert_naps({ROUTED => 6}, stop)
  end

  def test_names_of_routed_requests_use_up_no_names
    middleware = build(limit: 1) { |env| route_late(env) unless env["PATH_INFO"].start_with?("/else") }
    50.times { |number| get(middleware, "/posts/title-#{number}") }
    get(build_on(middleware) { nap }, "/else")
    data = stop
    assert_equal [nil, ROUTED, "GET /else"].to_set, data[:label_sets].to_set { |set| set[:endpoint] }
  end

  def test_names_beyond_the_limit_are_one
    middleware = build(limit: 2) { nap }
    5.times { |number| get(middleware, "/posts/title-#{number}") }
    assert_naps({"GET /posts/title-0" => 1, "GET /posts/title-1" => 1, "(other)" => 3}, stop)
  end

  # Paths that do not exist, as they come to a public server.
  def test_requests_without_a_route_use_up_no_names
    middleware = build(limit: 1) do |env|
      nap
      case env["PATH_INFO"]
      when "/cascade" then [200, {"x-cascade" => "pass"}, []]
      when %r{\A/posts/} then (env["sinatra.route"] = ROUTED) && [404, {}, []]
      else [env["PATH_INFO"] == "/" ? 200 : 404, {}, []]
      end
    end
    20.times { |number| get(middleware, "/no/such-#{number}") }
    get(middleware, "/posts/no-such-post")
    get(middleware, "/cascade")
    %w[HEAD POST BREW].each { |method| get(middleware, "/no", "REQUEST_METHOD" => method) }
    get(middleware, "/")
    assert_naps({"GET (no route)" => 21, "HEAD (no route)" => 1, "POST (no route)" => 1, "(no route)" => 1, ROUTED => 1, "GET /" => 1}, stop)
  end

  # As by Rack::Attack, and by Rails where the host is another one. Who was not refused before has a
  # name.
  def test_refused_requests_use_up_no_names
    logins = [401, 200, 422]
    middleware = build(limit: 1) { |env| nap and [env["PATH_INFO"] == "/login" ? logins.shift : 403, {}, []] }
    20.times { |number| get(middleware, "/wp-#{number}.php") }
    3.times { get(middleware, "/login") }
    assert_naps({"GET (no route)" => 21, "GET /login" => 2}, stop)
  end

  # As by config.force_ssl, and by middlewares for CORS, which do not ask a router either.
  def test_redirects_and_preflights_use_up_no_names
    statuses = {"/moves" => [302, 200, 302]}
    middleware = build(limit: 1) { |env| nap and [statuses[env["PATH_INFO"]]&.shift || 301, {}, []] }
    20.times { |number| get(middleware, "/wp-#{number}.php") }
    3.times { get(middleware, "/moves") }
    preflights = build(limit: 1) { nap and [204, {}, []] }
    20.times { |number| get(preflights, "/posts/#{number}x", "REQUEST_METHOD" => "OPTIONS") }
    get(preflights, "/")
    assert_naps({"GET (no route)" => 21, "GET /moves" => 2, "OPTIONS (no route)" => 20, "GET /" => 1}, stop)
  end

  # However many paths a client asks for.
  def test_a_routed_endpoint_has_a_row_beside_those_of_paths
    paths = build
    600.times { |number| get(paths, "/title-#{number}") }
    get(build { |env| env["sinatra.route"] = ROUTED }, "/posts/a-slug")
    units = stop[:ledger].to_h { |row| row.values_at(:name, :units) }
    assert_equal [502, 1, 100], [units.length, units[ROUTED], units["(other)"]]
  end

  # Puma answers itself where it does not know the method, and where the client has gone.
  def test_requests_that_the_server_answers_itself_use_up_no_names
    middleware = build(limit: 1)
    20.times { |number| middleware.cover({"REQUEST_METHOD" => "BREW", "PATH_INFO" => "/pot-#{number}"}) { 501 } }
    middleware.cover({}) { false }
    env = Rack::MockRequest.env_for("/found")
    middleware.cover(env) { middleware.call({**env}) }
    assert_equal [["(no route)", 21, 0], ["GET /found", 1, 0]], stop[:ledger].map { |row| row.values_at(:name, :units, :errors) }.sort
  end

  # An application that another one follows, where it has no route; a name that was given stays.
  def test_the_last_answer_to_a_request_counts
    first, second = [404, 200].map { |status| build { nap and [status, {}, []] } }
    get(build { |env| first.call(env) and second.call(env) }, "/found")
    get(build { |env| second.call(env) and first.call(env) }, "/not-found")
    get(Rperf::Middleware.new(build { nap and [404, {}, []] }) { "given" }, "/no")
    assert_naps({"GET /found" => 2, "GET (no route)" => 2, "given" => 1}, stop)
  end

  # What was handed out stays; the rest of the request has the better name.
  def test_snapshots_in_the_middle_of_a_request
    seen = []
    middleware = build do |env|
      nap
      seen << Rperf.snapshot(clear: true)
      env["sinatra.route"] = ROUTED
      nap
      seen << Rperf.snapshot
    end
    get(middleware, "/posts/a-slug")
    seen.each { |data| assert_naps({"GET /posts/a-slug" => 1}, data) }
    assert_naps({ROUTED => 1}, stop)
  end

  def test_a_raised_error_and_raw_samples
    Rperf.stop
    Rperf.start(mode: :wall, aggregate: false)
    middleware = build do |env|
      route_late(env)
      raise KeyError, "the application's own"
    end
    assert_raises(KeyError) { get(middleware, "/posts/a-slug") }
    nap
    assert_naps({ROUTED => 2, nil => 1}, stop)
  end

  def test_a_deferred_session_has_the_requests_alone
    Rperf.stop
    Rperf.start(mode: :wall, defer: true)
    nap
    get(build { |env| route_late(env) }, "/posts/a-slug")
    nap
    assert_naps({ROUTED => 2}, stop)
  end

  def test_labels_of_the_application_stay
    middleware = build do |env|
      Rperf.label(tenant: "small") { route_late(env) }
      Rperf.label(endpoint: "own") { nap }
      Rperf.label(endpoint: nil) { nap }
    end
    get(middleware, "/posts/a-slug")
    data = stop
    assert_naps({ROUTED => 2, "own" => 1, nil => 1}, data)
    assert_naps({"small" => 2, nil => 2}, data, :tenant)
  end

  # A fiber that begins in a request and goes on after it, through thousands of others.
  def test_fibers_of_a_request_keep_its_name
    fibers = []
    middleware = build do |env|
      fibers << Fiber.new { 3.times { nap and Fiber.yield } } << Fiber.new { nap }
      fibers.first.resume
      env["sinatra.route"] = ROUTED
    end
    get(middleware, "/posts/a-slug")
    fibers.each(&:resume)
    other = build
    5_000.times { get(other, "/other") }
    fibers.first.resume
    assert_naps({ROUTED => 4}, stop)
  end

  # As Falcon serves them.
  def test_requests_that_take_turns_on_one_thread
    names = %w[/a /b /c].to_h { |path| [path, "GET #{path}/:id"] }
    middleware = build do |env|
      2.times { nap and Fiber.yield }
      env["sinatra.route"] = names.fetch(env["PATH_INFO"])
    end
    fibers = names.keys.map { |path| Fiber.new { get(middleware, path) } }
    3.times { fibers.each(&:resume) }
    assert_naps(names.values.to_h { |name| [name, 2] }, stop)
  end

  def test_thousands_of_requests_leave_nothing_behind
    middleware = build { |env| env["sinatra.route"] = ROUTED }
    3_000.times { |number| get(middleware, "/posts/title-#{number}") }
    sets = label_sets(Rperf.snapshot).map { |set| set.except(:latency) }
    assert_operator sets.uniq.length, :<=, 2, "the empty set, and the route's"
    assert_operator sets.length, :<=, 4, "with and without a verdict"
    assert_equal({}, Rperf.labels)
  end

  # Two middlewares of one request; requests that an application makes to itself.
  def test_requests_within_requests
    inner = build { |env| route_late(env) }
    get(build_on(inner), "/posts/a-slug")
    other = build { |env| env["sinatra.route"] = "GET /parts/:id"; nap }
    get(build { |env| route_late(env); get(other, "/parts/x") }, "/posts/a-slug")
    assert_naps({ROUTED => 4, "GET /parts/:id" => 1}, stop)
  end

  def test_a_name_of_the_application_further_in_is_that_of_the_request
    named = Rperf::Middleware.new(->(_env) { nap; [200, {}, []] }) { "named" }
    get(build_on(named) { nap }, "/posts/a-slug")
    assert_naps({"named" => 2}, stop)
  end

  # Each application has a middleware of its own, and the environment is the same.
  def test_an_application_that_leaves_the_request_to_another_one
    first = build { nap }
    second = build { |env| route_late(env) }
    get(->(env) { first.call(env) and second.call(env) }, "/posts/a-slug")
    assert_naps({"GET /posts/a-slug" => 1, ROUTED => 2}, stop)
  end

  def test_the_first_name_of_the_application_is_final
    inner = build { nap }
    named = ["first", "second"].map { |name| ->(application) { Rperf::Middleware.new(application) { name } } }
    get(named[0].call(named[1].call(inner)), "/posts/a-slug")
    assert_naps({"first" => 1}, stop)
  end

  def test_a_session_that_begins_during_a_request
    middleware = build do |env|
      nap
      Rperf.stop
      Rperf.start(mode: :wall)
      nap
      env["sinatra.route"] = ROUTED
    end
    get(middleware, "/posts/a-slug")
    get(build { |env| route_late(env) }, "/posts/a-slug")
    assert_naps({nil => 1, ROUTED => 2}, stop)
  end

  # Grape and Hanami are not among the gems of the tests: what their documents say they leave in the
  # environment.
  def test_grape_and_hanami_by_their_keys
    route = Data.define(:pattern).new(Data.define(:origin).new("/:version/users/:id"))
    grape = Data.define(:route).new(route)
    books_show = Class.new { def self.name = "Bookshelf::Actions::Books::Show" }
    {"api.endpoint" => grape, "hanami.action_instance" => books_show.new}.each do |key, value|
      get(build { |env| nap; env[key] = value }, "/v1/users/someone")
    end
    get(build { |env| nap; env["api.endpoint"] = Object.new }, "/v1/else")
    assert_naps({"GET /:version/users/:id" => 1, "GET Bookshelf::Actions::Books::Show" => 1, "GET /v1/else" => 1}, stop)
  end

  # Rails 8.1 leaves the route, earlier versions its pattern.
  def test_rails_by_its_routes
    spec = "/posts/:slug(.:format)"
    route = Data.define(:path).new(Data.define(:spec).new(spec))
    {"action_dispatch.route" => route, "action_dispatch.route_uri_pattern" => spec}.each do |key, value|
      get(build { |env| nap; env[key] = value }, "/posts/#{key}")
    end
    assert_naps({ROUTED => 2}, stop)
  end

  def test_routes_that_are_no_strings
    no_text = Object.new.tap { |object| def object.to_s = raise("no text") }
    middleware = build { |env| env["rperf.route"] = {"/symbol" => :users, "/object" => no_text}.fetch(env["PATH_INFO"]) }
    %w[/symbol /object /symbol].each { |path| assert_equal 200, get(middleware, path).first }
    assert_equal({}, Rperf.labels)
    assert_equal({"users" => 2, "GET /object" => 1}, stop[:ledger].to_h { |row| row.values_at(:name, :units) })
  end

  def test_a_mounted_application
    middleware = build { |env| route_late(env) }
    get(middleware, "/posts/a-slug", "SCRIPT_NAME" => "/blog")
    assert_naps({"GET /blog/posts/:slug" => 2}, stop)
  end

  private

  SECONDS = 0.005

  # Waiting is measured, and needs no tick.
  def nap = sleep(SECONDS)

  # As Sinatra does it: the request has run for a while.
  def route_late(env)
    nap
    env["sinatra.route"] = ROUTED
    nap
  end

  def build(**keywords)
    Rperf::Middleware.new(lambda do |env|
      answer = yield env if block_given?
      answer.is_a?(Array) ? answer : [200, {}, []]
    end, **keywords)
  end

  # The middleware around another one.
  def build_on(application, **keywords)
    Rperf::Middleware.new(lambda do |env|
      yield if block_given?
      application.call(env)
    end, **keywords)
  end

  def get(application, path, env = {})
    application.call(Rack::MockRequest.env_for("/").merge("PATH_INFO" => path).merge(env))
  end

  def stop = Rperf.stop

  # Fails unless just these values of the label have naps, so many at least, but for a tenth: a
  # sleep may end early.
  def assert_naps(expected, data, key = :endpoint)
    found = naps(data, key)
    assert_equal expected.keys.to_set, found.keys.to_set, found
    expected.each { |value, count| assert_operator found[value], :>=, count * 0.9, found }
  end

  # {value => naps}: how long each value of the label slept.
  def naps(data, key = :endpoint)
    samples = data[:samples].select { |frames, *| frames.any? { |_path, name| name.end_with?("#nap") } }
    by_value = samples.group_by { |sample| label_sets(data).fetch(sample[3], {})[key] }
    by_value.transform_values { |group| group.sum { |sample| sample[1] } / (SECONDS * 1e9) }
  end

  def label_sets(data) = data.fetch(:label_sets, [])
end
