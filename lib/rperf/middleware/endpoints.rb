# frozen_string_literal: true

module Rperf
  class Middleware
    # Names for the endpoints of requests, few of them however many paths there are: after so many
    # names the others share one.
    class Endpoints
      # How many names there are unless the program says otherwise.
      LIMIT = 500
      # How many it may ask for: a session has 10,000 label sets for everything.
      LIMITS = Options::Value::WholeNumber.new(1..10_000, "endpoints")
      # The name of all endpoints beyond the limit.
      OTHER = "(other)"
      # What requests without a route have in common, by their method; others than these are one.
      WITHOUT_ROUTE = %w[GET HEAD POST PUT PATCH DELETE OPTIONS].to_h { |method| [method, "#{method} (no route)".freeze] }.freeze

      # The name of a request without a route, which uses up none of the names.
      def self.without_route(env) = WITHOUT_ROUTE.fetch(env["REQUEST_METHOD"], "(no route)")

      # limit:  how many names, 1 to 10000
      # naming: is called with the Rack environment and returns the name, or nil to leave it to the
      #   path
      def initialize(limit: LIMIT, naming: nil)
        raise ArgumentError, "endpoint: must respond to call, not #{naming.inspect}" unless naming.nil? || naming.respond_to?(:call)
        @limit = LIMITS.check(limit, "limit:")
        @naming = naming
        @names = {}
        @lock = Mutex.new
      end

      # The name that the application gives, or nil.
      def given(env)
        name = @naming&.call(env)
        name && bounded(name.to_s)
      rescue StandardError => error
        complain(error)
        nil
      end

      # The name itself, or that of all which are beyond the limit.
      def bounded(name) = @names[name] || admit(name)

      # The name itself, if it has been given before, or nil.
      def known(name) = @names[name]

      private

      def admit(name)
        return OTHER if @names.size >= @limit
        @lock.synchronize do
          @names.size < @limit ? @names[name] ||= -name.dup.force_encoding(Encoding::UTF_8).scrub : OTHER
        end
      end

      # A mistake in the naming must neither break the request nor fill the log.
      def complain(error)
        return if @complained
        @complained = true
        Error.complain "the endpoint of a request could not be named (#{error.class}: #{error.message.lines.first.to_s.chomp}); " \
          "its path is used instead"
      end
    end
  end
end
