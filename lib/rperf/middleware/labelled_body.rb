# frozen_string_literal: true

module Rperf
  class Middleware
    # The body of a response. A body may make its parts only when the server asks for them, after
    # the application has returned; this work belongs to the request, too. The request ends when the
    # body is closed. A body that cannot be closed, or whose parts have been copied, has no more to
    # do by then: it ends the request itself.
    class LabelledBody
      # Methods of bodies that servers test for to decide how they send a body.
      DOING = %i[each call to_ary].freeze

      # Key of a header whose value writes the response instead of the body (partial hijack).
      HIJACK = "rack.hijack"

      # Returns the response with its body wrapped, unless the body has its parts already, or the
      # server reads them from a file or knows the body's class. If wrapped, the request goes on in
      # the body, unless the server may leave the body alone, as WEBrick does if the answer to HEAD
      # is a stream.
      def self.wrap(response, request)
        return response unless response.is_a?(Array)
        status, headers, body = response
        return response if body.nil? || body.is_a?(Array) || body.respond_to?(:to_path) || of_falcon?(body)
        request.keep unless (headers.respond_to?(:key?) && headers.key?(HIJACK)) || (request.head? && !body.respond_to?(:each))
        [status, headers, new(body, request)]
      end

      # Falcon takes bodies of this class as they are, and sends their length.
      def self.of_falcon?(body) = defined?(::Protocol::HTTP::Body::Readable) && body.is_a?(::Protocol::HTTP::Body::Readable)
      private_class_method :of_falcon?

      def initialize(body, request)
        @body = body
        @request = request
      end

      # Yields the parts.
      def each(&block) = @request.resume(last: last?) { @body.each(&block) }

      # Writes the body to a stream.
      def call(stream) = @request.resume(last: last?) { @body.call(stream) }

      # Returns the parts of a complete body, which closes itself then. For other bodies Rails
      # returns an object that makes the parts later.
      def to_ary
        parts = @request.resume { @body.to_ary }
        return LabelledBody.new(parts, @request) unless parts.is_a?(Array)
        @request.finish
        parts
      end

      # Tells the body that the server needs no further parts.
      def close
        return @request.finish if last?
        @request.resume(last: true) { @body.close }
      end

      # Answers like the body itself.
      def respond_to?(name, include_all = false)
        DOING.include?(name) ? @body.respond_to?(name, include_all) : super
      end

      private

      # Returns whether the body has nothing to do after its parts have been made.
      def last? = !@body.respond_to?(:close)

      def respond_to_missing?(name, include_all) = @body.respond_to?(name, include_all)

      def method_missing(name, ...) = @body.respond_to?(name) ? @body.public_send(name, ...) : super
    end
  end
end
