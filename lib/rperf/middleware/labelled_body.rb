# frozen_string_literal: true

module Rperf
  class Middleware
    # The body of a response. A body may make its parts only when the server asks for them, after
    # the application has returned; this class labels that work, too.
    class LabelledBody
      # Methods of bodies that servers test for to decide how they send a body.
      DOING = %i[each call to_ary].freeze

      # Returns the response with its body wrapped, unless the body has its parts already or the
      # server reads them from a file.
      def self.wrap(response, request)
        return response unless response.is_a?(Array)
        status, headers, body = response
        return response if body.nil? || body.is_a?(Array) || body.respond_to?(:to_path)
        [status, headers, new(body, request)]
      end

      def initialize(body, request)
        @body = body
        @request = request
      end

      # Yields the parts.
      def each(&block) = @request.resume { @body.each(&block) }

      # Writes the body to a stream.
      def call(stream) = @request.resume { @body.call(stream) }

      # Returns the parts of a complete body. For other bodies Rails returns an object that makes
      # the parts later.
      def to_ary
        parts = @request.resume { @body.to_ary }
        parts.is_a?(Array) ? parts : LabelledBody.new(parts, @request)
      end

      # Tells the body that the server needs no further parts.
      def close
        @request.resume { @body.close } if @body.respond_to?(:close)
      end

      # Answers like the body itself.
      def respond_to?(name, include_all = false)
        DOING.include?(name) ? @body.respond_to?(name, include_all) : super
      end

      private

      def respond_to_missing?(name, include_all) = @body.respond_to?(name, include_all)

      def method_missing(name, ...) = @body.respond_to?(name) ? @body.public_send(name, ...) : super
    end
  end
end
