# frozen_string_literal: true

module Rperf
  class Middleware
    # The route of a request as Rails' router leaves it in the Rack environment. It is there for
    # requests that run no action, too: redirects, Rack applications, requests that fail before.
    module RailsRoute
      # The pattern of the route, up to Rails 8.0: "/users/:id(.:format)".
      PATTERN = "action_dispatch.route_uri_pattern"
      # The route itself, from Rails 8.1 on.
      ROUTE = "action_dispatch.route"
      # What the route and the path say together: controller, action, and parts of the path.
      PARAMETERS = "action_dispatch.request.path_parameters"
      # End of the patterns of routes that match a whole path. A mounted application has none.
      FORMAT = "(.:format)"

      class << self
        # Returns the endpoint: "GET /users/:id UsersController#show", or nil. A mounted application
        # has many endpoints, so the route of `mount` is none.
        # missing: whether the response says that there is no route; the pattern may then be that of
        #   a route that was only tried
        def find(env, missing:)
          pattern = env[PATTERN] || env[ROUTE]&.path&.spec&.to_s or return
          parameters = env[PARAMETERS] || {}
          return if missing && parameters.empty?
          action = action(pattern, parameters)
          endpoint(env["REQUEST_METHOD"], pattern, action) if action || pattern.end_with?(FORMAT)
        end

        # Returns an endpoint. Pattern and action may be nil.
        def endpoint(method, pattern, action) = [method, pattern&.delete_suffix(FORMAT), action].compact.join(" ")

        private

        # Clients choose what a pattern leaves open: any number of names.
        def action(pattern, parameters)
          controller, action = parameters.values_at(:controller, :action)
          "#{controller.camelize}Controller##{action}" if controller && action && !pattern.match?(/:(?:controller|action)\b/)
        end
      end
    end
  end
end
