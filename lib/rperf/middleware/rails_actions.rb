# frozen_string_literal: true

require_relative "rails_route"
require_relative "request"

module Rperf
  class Middleware
    # A subscriber to Rails' events. Rails knows the route and the action of a request only after
    # the middleware was called: "GET /users/:id UsersController#show".
    module RailsActions
      # Rails' event for the beginning and the end of a controller's action.
      EVENT = "process_action.action_controller"

      class << self
        # Subscribes once, if Active Support's notifications are loaded.
        def watch
          return unless defined?(::ActiveSupport::Notifications)
          @subscription ||= ::ActiveSupport::Notifications.subscribe(EVENT, self)
        end

        # Names the endpoint when an action begins. ActionController::Live uses another thread.
        def start(_name, _id, payload)
          labelled(payload)&.route(endpoint(payload))
        end

        # Removes the label when the action has ended.
        def finish(_name, _id, payload)
          labelled(payload)&.leave_thread
        end

        private

        def labelled(payload) = payload[:request]&.get_header(Request::KEY)

        # The number of these names is bounded by the number of routes: no limit is needed.
        def endpoint(payload)
          request = payload[:request]
          pattern = request.route_uri_pattern if request.respond_to?(:route_uri_pattern)
          RailsRoute.endpoint(request.request_method, pattern, "#{payload[:controller]}##{payload[:action]}")
        end
      end
    end
  end
end
