# frozen_string_literal: true

module Rperf
  class Middleware
    # Puma's request handler. It looks up the client's address before it calls the application, and
    # writes the response afterwards, each time without the GVL: where threads contend for that, it
    # waits for it. That belongs to the request, too, but no middleware sees it.
    module PumaRequests
      class << self
        # Whose label the handler has.
        attr_reader :middleware

        # From now on requests are labelled from the handler on, as this middleware would do it,
        # where Puma is the server.
        def watch(middleware)
          return unless defined?(::Puma)
          require "puma/server"
          @middleware = middleware
          ::Puma::Server.prepend(self)
        end
      end

      # Puma's own, with the label.
      def handle_request(client, *) = PumaRequests.middleware.cover(client.env) { super }
    end
  end
end
