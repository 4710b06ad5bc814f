# frozen_string_literal: true

require_relative "rails_app"

# A Rails application whose requests say by the profile's clock how long they took: computing,
# waiting, a logger that they contend for, objects for the collector, and work of a middleware of
# its own before anything is routed.
module KnownCosts
  include RailsApps

  # What the endpoints are called, with a path of each.
  ENDPOINTS = {
    "/posts/a-slug" => "GET /posts/:slug PostsController#show",
    "/posts" => "GET /posts PostsController#index",
    "/feed" => "GET /feed PostsController#feed",
    "/report" => "GET /report PostsController#report"
  }.freeze

  APPLICATION = {
    "config/routes.rb" => <<~RUBY,
      Rails.application.routes.draw do
        get "/posts/:slug", to: "posts#show"
        get "/posts", to: "posts#index"
        get "/feed", to: "posts#feed"
        get "/report", to: "posts#report"
      end
    RUBY
    "app/controllers/posts_controller.rb" => <<~RUBY,
      class PostsController < ActionController::Base
        def show = answer { compute(0.012) }
        def index = answer { sleep(0.02) }
        def feed = answer { LOGGER.synchronize { sleep(0.008) } }
        def report = answer { Array.new(30_000) { |number| number.to_s } }

        private

        def answer
          yield
          render plain: action_name
        end
      end
    RUBY
    "config/initializers/costs.rb" => <<~RUBY,
      LOGGER = Mutex.new

      def compute(seconds)
        ending = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
        nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < ending
      end

      # Before any route is known.
      class Guard
        def initialize(app) = @app = app

        def call(env)
          compute(0.003)
          @app.call(env)
        end
      end

      Rails.application.config.middleware.use(Guard)
    RUBY
    # How long the server's handler took for each path.
    "config.ru" => <<~RUBY
      require_relative "config/environment"
      SPENT = Hash.new { |spent, path| spent[path] = 0 }
      LOCK = Mutex.new
      at_exit { File.write("spent.json", JSON.generate(SPENT)) }

      module Timed
        def handle_request(client, *)
          path = client.env["REQUEST_PATH"]
          begun = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
          super
        ensure
          spent = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - begun
          LOCK.synchronize { SPENT[path] += spent }
        end
      end

      Puma::Server.prepend(Timed)
      run Rails.application
    RUBY
  }.freeze

  # Profiles the application under Puma while several clients ask for its pages. Yields the profile,
  # and how many nanoseconds each endpoint took.
  def with_known_costs(rounds:, clients: 4)
    in_rails_app(APPLICATION) do |directory|
      record = [RUBY, File.join(ROOT, "exe/rperf"), "record", "-m", "wall", "-o", "p.json", "--"]
      serve(*record, *puma("--threads", "#{clients}:#{clients}"), directory:, env: rails_environment) do |server|
        ENDPOINTS.each_key { |path| server.get(path) }
        Array.new(clients) { |client| Thread.new { ask(server, rounds, client) } }.each(&:join)
      end
      spent = JSON.parse(File.read(File.join(directory, "spent.json")))
      yield File.join(directory, "p.json"), spent.transform_keys(ENDPOINTS)
    end
  end

  private

  # Each client begins elsewhere, so that different pages are asked for at once.
  def ask(server, rounds, client)
    paths = ENDPOINTS.keys.rotate(client)
    rounds.times { paths.each { |path| server.get(path) } }
  end
end
