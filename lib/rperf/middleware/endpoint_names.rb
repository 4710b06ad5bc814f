# frozen_string_literal: true

require_relative "../../rperf"

module Rperf
  class Middleware
    # Names for the endpoints of requests. Their number is limited, whatever the number of paths:
    # all endpoints beyond the limit share one name.
    class EndpointNames
      # Default of the maximum number of names.
      LIMIT = 500
      # Allowed limits: a session has at most 10,000 label sets in all.
      LIMITS = Options::Value::WholeNumber.new(1..10_000, "endpoints")
      # The name of all endpoints beyond the limit.
      OTHER = "(other)"
      # Names of requests without a route, by their method; all other methods share one name.
      WITHOUT_ROUTE = %w[GET HEAD POST PUT PATCH DELETE OPTIONS].to_h { |method| [method, "#{method} (no route)".freeze] }.freeze

      # Returns the name of a request without a route. It does not count towards the limit.
      def self.without_route(env) = WITHOUT_ROUTE.fetch(env["REQUEST_METHOD"], "(no route)")

      # Key of the label that has the name, a Symbol.
      attr_reader :key
      # Labels of a request whose name may change.
      attr_reader :labels

      # key:    the label's key
      # limit:  maximum number of names, 1 to 10000
      # naming: is called with the Rack environment and returns the name, or nil to derive it from
      #   the path
      def initialize(key, limit: LIMIT, naming: nil)
        raise ArgumentError, "endpoint: must respond to call, not #{Error.shown(naming)}" unless naming.nil? || naming.respond_to?(:call)
        @key = key
        @labels = Work.late_labels(key)
        @limit = LIMITS.check(limit, "limit:")
        @naming = naming
        @names = {}
        @lock = Mutex.new
      end

      # Returns the name that the application gives; nil if it gives none, or an empty one.
      def given(env) = @naming && named_by_application(env)

      # Returns the name itself, or the common name of all endpoints beyond the limit.
      def bounded(name) = @names[name] || admit(name)

      # Returns the name itself if it has been given before, otherwise nil.
      def known(name) = @names[name]

      private

      def named_by_application(env)
        name = @naming.call(env).to_s
        bounded(name) unless name.empty?
      rescue StandardError => error
        complain(error)
        nil
      end

      def admit(name)
        return OTHER if @names.size >= @limit
        @lock.synchronize do
          @names.size < @limit ? @names[name] ||= -UTF8.of_bytes(name) : OTHER
        end
      end

      # An error in the naming must neither break the request nor fill the log.
      def complain(error)
        return if @complained
        @complained = true
        Error.complain "the endpoint of a request could not be named (#{Error.headline(error)}); its path is used instead"
      end
    end
  end
end
