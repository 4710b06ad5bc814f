# frozen_string_literal: true

require_relative "loaded_rails"
require_relative "programs"

# A Rails application of a few files, in a directory of its own.
module RailsApps
  include IntegrationPrograms

  FILES = {
    # `require "rperf"` is what Bundler does for `gem "rperf"`.
    "config/application.rb" => <<~RUBY,
      require "rails"
      require "action_controller/railtie"
      require "active_job/railtie"
      require "rperf"

      class Application < Rails::Application
        config.load_defaults 7.2
        config.root = File.expand_path("..", __dir__)
        config.eager_load = true
        config.secret_key_base = "for these tests only, and not a secret at all"
        config.logger = Logger.new(File.join(config.root, "rails.log"))
        config.action_dispatch.show_exceptions = :all
        # To read all time zones takes a third of the time in which the application starts.
        initializer(:no_time_zones, after: "active_support.initialize_time_zone") { config.eager_load_namespaces.delete(TZInfo) }
      end
    RUBY
    "config/environment.rb" => <<~RUBY,
      require_relative "application"
      Rails.application.initialize!
    RUBY
    "config/routes.rb" => <<~RUBY,
      Rails.application.routes.draw do
        get "/api/users", to: "users#index"
        get "/api/users/:name", to: "users#show"
        get "/parts", to: "users#parts"
        get "/enqueue", to: "users#enqueue"
        get "/broken", to: "users#broken"
        get "/live/:name", to: "live#show"
        mount ->(_env) { [200, {}, [Rperf.labels.inspect]] } => "/mounted"
      end
    RUBY
    "config.ru" => <<~RUBY,
      require_relative "config/environment"
      run Rails.application
    RUBY
    "app/controllers/users_controller.rb" => <<~RUBY,
      class UsersController < ActionController::Base
        def index
          work
          render plain: Rperf.labels.inspect
        end

        def show = render(plain: Rperf.labels.inspect)

        def parts
          self.response_body = Enumerator.new { |parts| parts << Rperf.labels.inspect }
        end

        def enqueue
          RenderJob.perform_later
          render plain: Rperf.labels.inspect
        end

        def broken = raise("broken on purpose")
      end
    RUBY
    "app/controllers/live_controller.rb" => <<~RUBY,
      class LiveController < ActionController::Base
        include ActionController::Live

        def show
          response.stream.write(Rperf.labels.inspect)
        ensure
          response.stream.close
        end
      end
    RUBY
    "app/jobs/application_job.rb" => "class ApplicationJob < ActiveJob::Base\nend\n",
    "app/jobs/render_job.rb" => <<~RUBY,
      class RenderJob < ApplicationJob
        def perform
          work
          File.open(Rails.root.join("jobs.log"), "a") { |file| file.puts Rperf.labels.inspect }
        end
      end
    RUBY
    "config/initializers/work.rb" => IntegrationPrograms::WORK
  }.freeze

  # Yields the directory of an application with these files, too.
  def in_rails_app(files = {})
    in_directory do |directory|
      FileUtils.mkdir_p(File.join(directory, "tmp"))
      FILES.merge(files).each { |name, text| write_file(directory, name, text) }
      yield directory
    end
  end

  # What the application does is that of a server in production.
  def rails_environment(env = {}) = {"RAILS_ENV" => "production"}.merge(env)

  # Runs Ruby code in the application, with `get` for requests to it, and returns what it prints.
  def run_in_app(directory, code, env: {})
    prelude = <<~RUBY
      require "./config/environment"
      require "rack/mock_request"
      def get(path) = Rack::MockRequest.new(Rails.application).get(path).body
    RUBY
    ruby_with_rails(prelude + code, directory:, env:)
  end

  # Runs Ruby code to its end; fails when it fails. With variables that Ruby reads at its start,
  # such as RUBYOPT, it starts anew.
  def ruby_with_rails(code, directory:, env: {})
    env = rails_environment(env)
    return ruby("-e", code, directory:, env:) if env.keys.any?(/\ARUBY/)
    result = LoadedRails.instance(clean_environment.merge(GEMS_AND_RPERF)).run(code, directory:, env:)
    assert_equal 0, result.code, result.inspect
    result
  end
end
