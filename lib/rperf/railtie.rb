# frozen_string_literal: true

require_relative "facade"
require_relative "railtie/settings"

module Rperf
  # The integration into a Rails application, as `config.rperf` says:
  #
  #   config.rperf.enabled = true
  #   config.rperf.mode = :wall
  #   config.rperf.control = true    # see Rperf::Control; needs no `enabled`
  #
  # Without `control`, `agent`, `recorder`, `traces`, `enabled`, and the variables that stand for
  # them (RPERF_ENABLED=1, which `rperf record` sets, too), it does nothing. Under `rperf record` it
  # labels requests and jobs, whatever the value of `enabled`. If the process serves requests or
  # runs jobs, `config.rperf.agent = {push: ...}` starts Rperf::Agent, and `config.rperf.recorder =
  # {slow: 2.0}` starts Rperf::Recorder. `config.rperf.traces = true` links samples to spans. A
  # wrong setting causes one sentence on stderr, and the application runs without rperf.
  class Railtie < ::Rails::Railtie
    config.rperf = ::ActiveSupport::OrderedOptions.new

    # The application's own initializers run first, so they may still change the settings.
    initializer "rperf", after: :load_config_initializers, before: :build_middleware_stack do |app|
      settings = Settings.new(app.config.rperf, root: ::Rails.root)
      if settings.active?
        label_requests(app, settings) if settings.middleware?
        label_active_job if settings.active_job?
        label_sidekiq if settings.sidekiq? && defined?(::Sidekiq)
        config.after_initialize { begin_session(settings.session) } if settings.session
        config.after_initialize { begin_control(settings.control) } if settings.control
        config.after_initialize { start_agent(settings.agent) } if settings.agent
        config.after_initialize { start_recorder(settings.recorder) } if settings.recorder
        config.after_initialize { link_spans } if settings.traces?
      end
    rescue ArgumentError => error
      complain(error)
    end

    private

    # Work of a middleware in front of rperf's belongs to no request.
    def label_requests(app, settings)
      require_relative "middleware"
      options = settings.middleware_options
      Middleware.new(nil, **options) # Complains now, not when the application is built.
      way, other = settings.middleware_place
      app.middleware.public_send(way, other, Middleware, **options)
    rescue ArgumentError => error
      raise ArgumentError, "config.rperf.middleware: #{error.message}"
    end

    def label_active_job
      ::ActiveSupport.on_load(:active_job) do
        require_relative "active_job"
        include ActiveJobMiddleware
      end
    end

    def label_sidekiq
      require_relative "sidekiq"
      ::Sidekiq.configure_server do |sidekiq|
        sidekiq.server_middleware { |chain| chain.add(SidekiqMiddleware) }
      end
    end

    # Begins the session, which lasts to the end of the process. Forked children begin their own.
    def begin_session(options)
      require_relative "profiled_process"
      Formats.paths(*options.values_at(:output, :mode)).each { |path| OutputFile.new(path).check! }
      ProfiledProcess.begin(options, env: {})
    rescue Error => error
      complain(error)
    end

    # Begins to listen, instead of what the environment has started. The processes that the server
    # forks later listen, too.
    def begin_control(keywords)
      require_relative "control"
      Control.start_by_settings(keywords)
    rescue ArgumentError, Error => error
      complain(error)
    end

    def start_agent(options)
      require_relative "agent/agent"
      start_serving(Agent, options, "config.rperf.agent")
    end

    def start_recorder(options)
      require_relative "recorder"
      start_serving(Recorder, options, "config.rperf.recorder")
    end

    # Starts the agent or the recorder. It replaces that of the environment, which stays if there
    # are no settings. It does not start in consoles, tasks and tests, unless the option
    # `everywhere` is set.
    def start_serving(part, options, subject)
      require_relative "serving"
      keywords = options.except(:everywhere)
      return if part.status && keywords.compact.empty?
      everywhere = Options::Value.read(Options::Value::Truth, options.fetch(:everywhere, false), "everywhere:")
      part.start(**keywords) if everywhere || Serving.process?
    rescue ArgumentError => error
      complain(ArgumentError.new("#{subject}: #{error.message}"))
    rescue Error => error
      complain(error)
    end

    def link_spans
      require_relative "open_telemetry"
      OpenTelemetry.link_spans
    rescue Error => error
      Error.complain "config.rperf.traces does nothing: #{error.message}"
    end

    def complain(error)
      Error.complain "config.rperf is not used: #{error.message}"
    end
  end
end
