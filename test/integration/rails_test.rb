# frozen_string_literal: true

require_relative "support/doc_blocks"
require_relative "support/rails_app"

# Rperf::Middleware in a Rails application: by hand, as the recipes have it, over HTTP and in the
# process.
class RailsTest < Minitest::Test
  include RailsApps

  INITIALIZER = "config/initializers/rperf.rb"

  def test_by_hand
    in_rails_app(INITIALIZER => DocBlocks.fetch("By hand", INITIALIZER)) do |directory|
      serve(*puma, directory:, env: rails_environment) do |server|
        3.times { assert_equal labels("GET /api/users UsersController#index"), server.get("/api/users") }
        assert_equal labels("GET /api/users/:name UsersController#show"), server.get("/api/users/bob")
        server.get("/broken", status: 500)
      end
      profile = File.join(directory, "tmp/profile.pb.gz")
      assert_weights({"GET /api/users UsersController#index" => 150_000_000}, weights(:endpoint, profile))
      check_pprof(profile, directory)
    end
  end

  def test_what_the_controllers_answer
    in_rails_app(INITIALIZER => "require 'rperf/middleware'\nRails.application.config.middleware.use Rperf::Middleware\nRperf.start") do |directory|
      result = run_in_app(directory, <<~RUBY)
        %w[/api/users/bob /parts /live/bob /mounted/7 /live/ann].each { |path| puts get(path) }
        get("/broken")
        200.times { |number| get("/api/users/name\#{number}") }
        puts Rperf.labels.inspect, Thread.list.size
      RUBY
      assert_equal [labels("GET /api/users/:name UsersController#show"), labels("GET /parts UsersController#parts"),
        labels("GET /live/:name LiveController#show"), labels("GET /mounted/:id"), labels("GET /live/:name LiveController#show"), "{}"],
        result.out.lines(chomp: true).first(6)
    end
  end

  # Rails answers them itself.
  def test_paths_without_a_route_share_a_name
    in_rails_app(INITIALIZER => <<~RUBY) do |directory|
      require "rperf/middleware"
      Rails.application.config.middleware.insert_before 0, Rperf::Middleware, limit: 1
      Rails.application.config.middleware.use(Class.new do
        def initialize(app) = @app = app
        def call(env) = sleep(0.005) && @app.call(env)
      end)
      Rperf.start(mode: :wall)
    RUBY
      result = run_in_app(directory, <<~RUBY)
        10.times { |number| get("/no/such-\#{number}") }
        get("/api/users/bob")
        data = Rperf.stop
        times = data[:samples].group_by { |sample| data.dig(:label_sets, sample[3], :endpoint) }
        times.each { |name, samples| puts "\#{name}: \#{samples.sum { |sample| sample[1] } / 1_000_000}" if name }
      RUBY
      found = result.out.lines(chomp: true).to_h { |line| line.split(": ") }
      assert_equal ["GET (no route)", "GET /api/users/:name UsersController#show"], found.keys.sort, result.inspect
      assert_operator found["GET (no route)"].to_i, :>=, 50
    end
  end

  # Redirects, Rack applications, controllers that send no event, and requests that fail before
  # their action; in an engine, too.
  def test_routes_without_an_action
    in_rails_app(INITIALIZER => <<~RUBY, "app/controllers/bare_controller.rb" => "class BareController < ActionController::Metal; end") do |directory|
      require "rperf/middleware"
      Rails.application.config.middleware.insert_before 0, Rperf::Middleware
      Blog = Class.new(Rails::Engine)
      Blog.routes.draw { get "/go/:slug", to: redirect("/elsewhere") }
      Rails.application.routes.append do
        get "/old/:slug", to: redirect("/api/users/%{slug}")
        get "/rack/:slug", to: ->(_env) { [200, {}, []] }
        get "/gone/:slug", to: ->(_env) { [404, {}, []] }
        get "/never/:slug", to: redirect("/"), constraints: ->(_request) { false }
        get "/bare/:slug", to: "bare#show"
        get "/any/:action", controller: "users"
        mount Blog => "/blog"
      end
      Rperf.start
    RUBY
      result = run_in_app(directory, <<~RUBY)
        paths = %w[/old /rack /gone /bare /any /blog/go /never /blog/none].flat_map { |path| %W[\#{path}/one \#{path}/two] }
        [*paths, "/api/users/bob?a=%ff", "/mounted/x"].each { |path| get(path) }
        Rperf.ledger.each { |row| puts "\#{row.units} \#{row.name}" }
      RUBY
      assert_equal ["2 GET /any/:action", "2 GET /bare/:slug BareController#show", "2 GET /go/:slug", "2 GET /gone/:slug",
        "2 GET /old/:slug", "2 GET /rack/:slug", "4 GET (no route)", "1 GET /api/users/:name UsersController#show", "1 GET /mounted/x"].sort,
        result.out.lines(chomp: true).sort
    end
  end

  def test_an_action_that_makes_the_page_of_an_error_does_not_rename_the_request
    in_rails_app(INITIALIZER => <<~RUBY) do |directory|
      require "rperf/middleware"
      Rails.application.config.middleware.insert_before 0, Rperf::Middleware
      Rails.application.config.exceptions_app = ->(env) { Rails.application.routes.call(env) }
      Rails.application.routes.append { get "/500", to: "users#show" }
      Rperf.start
    RUBY
      result = run_in_app(directory, 'puts get("/broken"), Rperf.ledger.map(&:name)')
      assert_equal [labels("GET /broken UsersController#broken"), "GET /broken UsersController#broken"], result.out.lines(chomp: true)
    end
  end

  # The application's own name is final, and each middleware has its own label.
  def test_names_of_the_application_come_before_those_of_rails
    in_rails_app(INITIALIZER => <<~RUBY) do |directory|
      require "rperf/middleware"
      Rails.application.config.middleware.use Rperf::Middleware
      Rails.application.config.middleware.use(Rperf::Middleware, label_key: "tenant") { |env| env["HTTP_TENANT"] || "none" }
      Rails.application.config.middleware.use(Rperf::Middleware) { |env| "named" if env["PATH_INFO"].end_with?("ann") }
      Rperf.start
    RUBY
      result = run_in_app(directory, 'puts get("/api/users/ann"), get("/api/users/bob")')
      assert_equal [{endpoint: "named", tenant: "none"}, {endpoint: "GET /api/users/:name UsersController#show", tenant: "none"}].map(&:inspect),
        result.out.lines(chomp: true)
    end
  end

  def test_a_profile_every_minute
    puma_file = DocBlocks.fetch("A profile every minute", "config/puma.rb")
    files = {INITIALIZER => DocBlocks.fetch("A profile every minute", INITIALIZER), "config/puma.rb" => puma_file}
    in_rails_app(files) do |directory|
      old = Array.new(310) { |number| write_file(directory, format("tmp/profiles/20000101T000000.%03dZ-1.wall.pb.gz", number), "") }
      environment = rails_environment("PROFILE_SECONDS" => "1")
      serve(*puma("--config", "config/puma.rb"), directory:, env: environment) do |server|
        await("profiles of both workers with their labels") do
          Array.new(4) { Thread.new { server.get("/api/users") } }.each(&:join)
          server.get("/enqueue")
          both_workers?(directory)
        end
      end
      assert_operator Dir[File.join(directory, "tmp/profiles/*")].length, :<=, 300 + 3, "one for each process may be new"
      refute_path_exists old.first
    end
  end

  private

  def labels(endpoint) = {endpoint:}.inspect

  def check_pprof(profile, directory)
    words = ["-top", "-cum", "-nodecount=1000", "-tagfocus=endpoint=GET /api/users", profile]
    assert_includes run_program("go", "tool", "pprof", *words, directory:).out, "UsersController#index"
  end

  # Files of two processes have the endpoint, and one has the job.
  def both_workers?(directory)
    files = Dir[File.join(directory, "tmp/profiles/*.pb.gz")].select { |path| File.size?(path) }.group_by { |path| path[/-(\d+)\./, 1] }
    working = files.count { |_pid, paths| weights(:endpoint, *paths).key?("GET /api/users UsersController#index") }
    working == 2 && weights(:job, *files.values.flatten).key?("RenderJob")
  rescue Rperf::Error
    false # Removed meanwhile.
  end
end
