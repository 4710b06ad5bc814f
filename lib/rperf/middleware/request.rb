# frozen_string_literal: true

module Rperf
  class Middleware
    # One request: the endpoint that its samples are labelled with, as far as it is known by now.
    class Request
      # Where it is found in the Rack environment, by those who know the endpoint better.
      KEY = "rperf.request"

      # The request of this environment, with the endpoint that `endpoints` gives it.
      def self.begin(env, label_key, endpoints)
        given = endpoints.given(env)
        request = new(label_key, given || endpoints.by_path(env))
        if !given
          env[KEY] = request
        elsif env[KEY]&.label_key == label_key
          env.delete(KEY) # A name that the application gave is final.
        end
        request
      end

      attr_reader :label_key
      # The label's value.
      attr_reader :endpoint

      def initialize(label_key, endpoint)
        @label_key = label_key
        @endpoint = endpoint
        @thread = Thread.current
      end

      # The endpoint is known better now: labels the current thread. The middleware's own block ends the label.
      def rename(endpoint)
        @endpoint = endpoint
        Rperf.label(@label_key => endpoint)
      end

      # Ends the label of a thread that is not the request's own, where no block does it.
      def leave_thread
        Rperf.label(@label_key => nil) unless @thread.equal?(Thread.current)
      end

      # Runs the block with the label set, for work that is done after the application has returned.
      def resume(&) = Rperf.profile(@label_key => @endpoint, &)
    end
  end
end
