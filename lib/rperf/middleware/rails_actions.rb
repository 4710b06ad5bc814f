# frozen_string_literal: true

module Rperf
  class Middleware
    # Listens to Rails, which knows the route and the action of a request only after the middleware
    # was called: "GET /users/:id UsersController#show".
    module RailsActions
      # Rails' announcement that a controller begins and ends an action.
      EVENT = "process_action.action_controller"
      FORMAT = "(.:format)"

      class << self
        # Begins to listen, once, where there is something to listen to.
        def watch
          return unless defined?(::ActiveSupport::Notifications)
          @subscription ||= ::ActiveSupport::Notifications.subscribe(EVENT, self)
        end

        # An action begins. In ActionController::Live this is another thread than the request's.
        def start(_name, _id, payload)
          labelled(payload)&.route(endpoint(payload))
        end

        # The action has ended.
        def finish(_name, _id, payload)
          labelled(payload)&.leave_thread
        end

        private

        def labelled(payload) = payload[:request]&.get_header(Request::KEY)

        # There are as many as there are routes: no limit is needed.
        def endpoint(payload)
          request = payload[:request]
          pattern = request.route_uri_pattern if request.respond_to?(:route_uri_pattern)
          [request.request_method, pattern&.delete_suffix(FORMAT), "#{payload[:controller]}##{payload[:action]}"].compact.join(" ")
        end
      end
    end
  end
end
