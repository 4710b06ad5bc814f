# frozen_string_literal: true

require_relative "../rperf"
require_relative "middleware/endpoint_names"
require_relative "middleware/labelled_body"
require_relative "middleware/puma_requests"
require_relative "middleware/rails_actions"
require_relative "middleware/request"

module Rperf
  # Rack middleware that labels the samples of each request with its endpoint.
  #
  #   use Rperf::Middleware                                  # endpoint: "GET /users/:id"
  #   use Rperf::Middleware, label_key: :route               # route: "GET /users/:id"
  #   use(Rperf::Middleware) { |env| env["app.endpoint"] }   # endpoint: what the block says
  #
  # In Rails the action follows: "GET /users/:id UsersController#show". The middleware neither
  # starts nor ends a session; while none runs it only passes requests on.
  class Middleware
    # app:       the Rack application to call
    # label_key: the key of the label, a Symbol or String (:endpoint)
    # endpoint:  names the endpoint of a request, instead of a block: is called with the Rack
    #            environment; if it returns nil, the path gives the name
    # label:     the same, as rperf 0.9 called it
    # limit:     maximum number of endpoint names, 1 to 10000 (500); all others share "(other)"
    # server:    true also labels Puma's work before and after it calls the application (false)
    #
    # Raises ArgumentError for an invalid value.
    def initialize(app, label_key: :endpoint, endpoint: nil, label: nil, limit: EndpointNames::LIMIT, server: false, &block)
      naming, more = [endpoint, label, block].compact
      raise ArgumentError, "the endpoint can be named by endpoint: (or label:) or by a block, not by both" if more
      @app = app
      @endpoints = EndpointNames.new(checked_key(label_key), limit:, naming:)
      RailsActions.watch
      @server = Options::Value::Truth.check(server, "server:")
      PumaRequests.watch(self) if @server
    end

    # Calls the application with the label set. Its exceptions and throws pass through.
    def call(env)
      PumaRequests.hook if @server
      return @app.call(env) unless Rperf.running?

      given = @endpoints.given(env)
      # The server, or a middleware further out, may have labelled the request already.
      outer = env[Request::KEY]
      outer&.reach
      return call_covered(outer, env, given) if outer&.covers?(env, @endpoints.key)

      request = Request.new(env, @endpoints, given)
      request.run { LabelledBody.wrap(request.answer(@app.call(env)), request) }
    end

    # Runs the block, in which the server serves the request of this environment, with the label
    # set. The application's own name for the endpoint is not known yet.
    def cover(env, &)
      Rperf.running? ? Request.new(env, @endpoints, reached: false).run(&) : yield
    end

    private

    def call_covered(request, env, given)
      request.give(given) if given
      request.answer(@app.call(env))
    rescue Exception => error # rubocop:disable Lint/RescueException -- it goes on
      request.left_by(error)
      raise
    end

    def checked_key(key)
      return UTF8.of(key.to_s).to_sym if (key.is_a?(Symbol) || key.is_a?(String)) && !key.empty?
      raise ArgumentError, "label_key: must be a Symbol or a String, not #{Error.shown(key)}"
    end
  end
end
