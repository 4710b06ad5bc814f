# frozen_string_literal: true

require_relative "routes"

module Rperf
  class Middleware
    # One request: a unit of work whose name is its endpoint.
    class Request < Work
      # Where it is found in the Rack environment, by those who know the endpoint better.
      KEY = "rperf.request"

      # The request of this environment, whose name is one of `endpoints`.
      # given: the application's own name for it, or nil
      def initialize(env, label_key, endpoints, given = nil)
        super(:request, given || Work.endpoint_by_path(env), key: label_key, late: given.nil?)
        @env = env
        @endpoints = endpoints
        @given = given
        @thread = Thread.current
        # What is named already leaves the place to a request that another middleware labels with
        # another key.
        env[KEY] = self unless given && env[KEY]
      end

      # Whether a request with this environment runs as this one, with this key, and is none that
      # the application makes to itself.
      def covers?(env, key) = @token && @env.equal?(env) && @key == key

      # The application has returned this response, which is handed back: it may say that there is
      # no route, or that the request failed.
      def answer(response)
        status, headers, = response if response.is_a?(Array)
        @unrouted = Routes.none?(status, headers)
        @refused = Routes::CLIENT_ERROR.cover?(status)
        error! if Routes::SERVER_ERROR.cover?(status)
        response
      end

      # The application's own name. The first one is final.
      def give(name) = @given ||= rename(name)

      # A router has found the endpoint, maybe on another thread, which is labelled then.
      def route(endpoint)
        @env[Routes::KEY] = endpoint
        rename(endpoint) unless @given
        Rperf.label(key => name) if elsewhere?
      end

      # Ends the label of a thread that is not the request's own, where no block does it.
      def leave_thread
        Rperf.label(key => nil) if elsewhere?
      end

      # The exception that has left it, or that Rails or Sinatra has made an answer of.
      def exception = super || @env["action_dispatch.exception"] || @env["sinatra.error"]

      # Runs the block with the label set, for work that is done after the application has returned.
      def resume(&) = Rperf.profile(key => name, &)

      private

      def elsewhere? = @thread != Thread.current

      def last_name = @given || Routes.find(@env, missing: @unrouted) || name_by_path || Endpoints.without_route(@env)

      # Strangers ask for as many paths as they like: one that was only refused so far gets no name.
      def name_by_path
        return if @unrouted
        @refused ? @endpoints.known(name) : @endpoints.bounded(name)
      end
    end
  end
end
