# frozen_string_literal: true

module Rperf
  class Middleware
    # The body of a response, which may make its parts only when the server asks for them, after the
    # application has
    # returned: that work is labelled, too.
    class LabelledBody
      # What a body may do; servers decide by it how they send it.
      DOING = %i[each call to_ary].freeze

      # The response, its body wrapped unless it has its parts already or the server reads them from
      # a file.
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

      # Hands the parts to the block.
      def each(&block) = @request.resume { @body.each(&block) }

      # Writes to a stream.
      def call(stream) = @request.resume { @body.call(stream) }

      # The parts of a body that is complete. For one that is not, Rails returns something that will
      # make them.
      def to_ary
        parts = @request.resume { @body.to_ary }
        parts.is_a?(Array) ? parts : LabelledBody.new(parts, @request)
      end

      # Tells the body that no more is wanted.
      def close
        @request.resume { @body.close } if @body.respond_to?(:close)
      end

      # As the body itself answers.
      def respond_to?(name, include_all = false)
        DOING.include?(name) ? @body.respond_to?(name, include_all) : super
      end

      private

      def respond_to_missing?(name, include_all) = @body.respond_to?(name, include_all)

      def method_missing(name, ...) = @body.respond_to?(name) ? @body.public_send(name, ...) : super
    end
  end
end
