# frozen_string_literal: true

module Rperf
  class Middleware
    # Puma's request handler. It looks up the client's address before it calls the application, and
    # writes the response afterwards, each time without the GVL. When threads contend for the GVL,
    # the handler waits for it. This waiting belongs to the request, too, but no middleware sees it.
    module PumaRequests
      class << self
        # Middleware whose label the handler sets.
        attr_reader :middleware

        # Labels requests from Puma's handler on, like this middleware.
        def watch(middleware)
          @middleware = middleware
          hook
        end

        # Changes the handler once Puma is loaded: `rackup` loads it after the application, and
        # Rack's handler for Puma alone only makes the module.
        def hook = @hooked ||= (defined?(::Puma::Server) && ::Puma::Server.prepend(self))
      end

      # Runs Puma's own method with the label set. Puma 8 names the thread before the client.
      def handle_request(*arguments)
        client = arguments.find { |argument| argument.is_a?(::Puma::Client) } or return super
        PumaRequests.middleware.cover(client.env) { super }
      end
    end
  end
end
