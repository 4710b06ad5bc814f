# frozen_string_literal: true

module Rperf
  class Middleware
    # The endpoints of requests as their routers know them: what frameworks leave in the Rack
    # environment.
    module Routes
      # An endpoint that a framework's own announcement has named: Rails, Roda.
      KEY = "rperf.route"
      # What of the path is behind that endpoint, where a router goes on from branch to branch:
      # Roda.
      REST = "rperf.route_rest"
      # "GET /users/:id"
      SINATRA = "sinatra.route"
      # The Grape::Endpoint.
      GRAPE = "api.endpoint"
      # The Hanami::Action.
      HANAMI = "hanami.action_instance"

      # HTTP's status for it.
      NOT_FOUND = 404
      # Statuses of requests that were refused (RFC 9110, section 15.5): maybe before a router has
      # seen them, as filters of hosts and of attacks do.
      CLIENT_ERROR = 400..499
      # Statuses which say that the server failed (RFC 9110, section 15.6).
      SERVER_ERROR = (500..)
      # What a router says in the header X-Cascade (x-cascade in Rack 3), so that Rack::Cascade
      # tries the next application.
      CASCADE = "pass"

      class << self
        # The endpoint, a String, or nil where no router has found one. There are as many as there
        # are routes.
        # missing: whether the response says that there is none; a branch that was found on the way
        #   is none then
        def find(env, missing: false)
          return if missing && !env[REST].to_s.empty?
          if env[KEY] then env[KEY]
          elsif env[SINATRA] then sinatra(env)
          elsif env[GRAPE] then grape(env)
          elsif env[HANAMI] then hanami(env)
          end
        rescue StandardError
          nil # A version that is not like the ones that are known: the path is the name.
        end

        # Whether a response says that no route was found: strangers ask for as many such paths as
        # they like.
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

        # A request that fits no route has an endpoint, too, but no route.
        def grape(env)
          route = env[GRAPE].route or return
          "#{env["REQUEST_METHOD"]} #{env["SCRIPT_NAME"]}#{route.pattern.origin}"
        end

        def hanami(env) = "#{env["REQUEST_METHOD"]} #{env[HANAMI].class.name}"
      end
    end
  end
end
