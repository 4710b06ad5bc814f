# frozen_string_literal: true

module Rperf
  class Middleware
    # The body of a response that makes its parts when the server asks for them, after the application has returned:
    # that work is labelled, too.
    class LabelledBody
      # Whether a body has these depends on the body.
      WORKING = %i[each call].freeze

      # The response, its body wrapped unless it is complete already (to_ary) or the server reads it from a file.
      def self.wrap(response, request)
        return response unless response.is_a?(Array)
        status, headers, body = response
        return response if body.nil? || body.respond_to?(:to_ary) || body.respond_to?(:to_path)
        [status, headers, new(body, request)]
      end

      def initialize(body, request)
        @body = body
        @request = request
      end

      # Hands the parts to the block.
      def each(&block) = @request.resume { @body.each(&block) }

      # Writes to a stream.
      def call(stream) = @request.resume { @body.call(stream) }

      # Tells the body that no more is wanted.
      def close
        @request.resume { @body.close } if @body.respond_to?(:close)
      end

      # Servers decide by this how to send a body.
      def respond_to?(name, include_all = false)
        WORKING.include?(name) ? @body.respond_to?(name, include_all) : super
      end

      private

      def respond_to_missing?(name, include_all) = @body.respond_to?(name, include_all)

      def method_missing(name, ...) = @body.respond_to?(name) ? @body.public_send(name, ...) : super
    end
  end
end
