# frozen_string_literal: true

require_relative "rails_route"

module Rperf
  class Middleware
    # The endpoints of requests as their routers know them, from values that frameworks leave in the
    # Rack environment.
    module Routes
      # Endpoint that a framework has reported itself: Rails, Roda.
      KEY = "rperf.route"
      # Part of the path that this endpoint does not contain, for routers that proceed from branch
      # to branch: Roda.
      REST = "rperf.route_rest"
      # Sinatra's route: "GET /users/:id".
      SINATRA = "sinatra.route"
      # Grape's Grape::Endpoint.
      GRAPE = "api.endpoint"
      # Hanami's Hanami::Action.
      HANAMI = "hanami.action_instance"

      # HTTP status of a path that was not found.
      NOT_FOUND = 404
      # Statuses of requests that were sent elsewhere or refused (RFC 9110, sections 15.4 and 15.5),
      # perhaps before a router has seen them: to HTTPS, or by a filter of attacks, for example.
      TURNED_AWAY = 300..499
      # Method of requests that ask what a path allows. Middlewares answer them for all paths.
      OPTIONS = "OPTIONS"
      # First of the statuses of requests at which the server failed (RFC 9110, section 15.6).
      SERVER_ERROR = 500
      # Value of the header X-Cascade (x-cascade in Rack 3) that a router sets, so that
      # Rack::Cascade tries the next application.
      CASCADE = "pass"

      class << self
        # Returns the endpoint, a String, or nil if no router has found one. The number of different
        # endpoints is bounded by the number of routes.
        # missing: whether the response says that there is no route; a branch found on the way does
        #   not count
        def find(env, missing: false)
          return if missing && !env[REST].to_s.empty?
          route =
            if env[KEY] then env[KEY]
            elsif env[SINATRA] then sinatra(env)
            elsif env[GRAPE] then grape(env)
            elsif env[HANAMI] then hanami(env)
            else RailsRoute.find(env, missing:)
            end
          route && String(route)
        rescue StandardError
          nil # A value that has no text, or that is not like those of known versions: the path is the name.
        end

        # Returns a response's status as an Integer: Rack 2 allows a String. 0 for anything else.
        def status(status) = status.respond_to?(:to_i) ? status.to_i : 0

        # Returns whether a response without a route may be that of any path at all. `status` is nil
        # where there is no response.
        def any_path?(env, status) = TURNED_AWAY.cover?(status) || env["REQUEST_METHOD"] == OPTIONS

        # Returns whether a response says that no route was found. Clients can ask for any number of
        # such paths.
        def none?(status, headers)
          status == NOT_FOUND || (headers && (headers["x-cascade"] == CASCADE || headers["X-Cascade"] == CASCADE))
        rescue StandardError
          false # It is no response as Rack has them.
        end

        private

        def sinatra(env)
          route = env[SINATRA]
          mount = env["SCRIPT_NAME"].to_s
          mount.empty? ? route : route.sub(" ") { " #{mount}" }
        end

        # A request that matches no route has an endpoint, too, but no route.
        def grape(env)
          route = env[GRAPE].route or return
          "#{env["REQUEST_METHOD"]} #{env["SCRIPT_NAME"]}#{route.pattern.origin}"
        end

        def hanami(env) = "#{env["REQUEST_METHOD"]} #{env[HANAMI].class.name}"
      end
    end
  end
end
