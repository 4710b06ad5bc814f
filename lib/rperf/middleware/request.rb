# frozen_string_literal: true

require_relative "../../rperf"
require_relative "endpoint_names"
require_relative "parts"
require_relative "routes"

module Rperf
  class Middleware
    # A request: a unit of work whose name is its endpoint.
    class Request < Work
      include Parts

      # Key of the request in the Rack environment, for code that knows the endpoint better.
      KEY = "rperf.request"

      # Makes the request of this environment. Its name is one of `endpoints`.
      # given:   the application's own name for it, or nil
      # reached: whether it has reached a middleware, not only the server
      def initialize(env, endpoints, given = nil, reached: true)
        super(:request, given || Work.endpoint_by_path(env), key: endpoints.key, labels: (endpoints.labels unless given), late: given.nil?)
        @env = env
        @endpoints = endpoints
        @given = given
        @thread = Thread.current
        begin_parts(@thread)
        @unrouted = !reached
        # A request with a given name does not replace the request of another middleware with
        # another key.
        env[KEY] = self unless given && env[KEY]
      end

      # Returns whether only the head of the answer is wanted.
      def head? = @env["REQUEST_METHOD"] == "HEAD"

      # Returns whether this request runs and has this environment and key. A request that the
      # application makes to itself has another environment.
      def covers?(env, key) = @token && !paused? && @env.equal?(env) && @key == key

      # Notes that a middleware is called with it. Until then it has no route: servers answer some
      # requests themselves, whatever their path.
      def reach = @unrouted = false

      # Notes the application's response and returns it: it may say that there is no route, or that
      # the request failed.
      def answer(response)
        status, headers, = response if response.is_a?(Array)
        @status = status.is_a?(Integer) ? status : Routes.status(status)
        @unrouted = Routes.none?(@status, headers)
        error! if @status >= Routes::SERVER_ERROR
        @left_by = nil
        response
      end

      # Notes the exception that has left the application. Without an answer further out, the
      # request has failed, though the server rescues the exception.
      def left_by(error) = @left_by = error

      # Returns whether the request failed: an exception left it, or its status says so.
      def failed? = @failed || !@left_by.nil?

      # Sets the application's own name. The first one is final.
      def give(name) = @given ||= rename(name)

      # Sets the endpoint that a router has found. The first one is final: its action may run
      # another one, or may fail, so that another one shows the error. Labels the thread if it is
      # not the request's own.
      def route(endpoint)
        @routed ||= @env[Routes::KEY] = endpoint
        rename(@routed) unless @given
        Rperf.label(key => name) if elsewhere?
      end

      # Removes the label from a thread that is not the request's own, if no block does so.
      def leave_thread
        Rperf.label(key => nil) if elsewhere?
      end

      # Returns the exception that left it, or that Rails or Sinatra turned into a response.
      def exception = super || @left_by || @env["action_dispatch.exception"] || @env["sinatra.error"]

      private

      def elsewhere? = @thread != Thread.current

      def last_name = @given || Routes.find(@env, missing: @unrouted) || name_by_path || EndpointNames.without_route(@env)

      # Clients can ask for any number of paths: a path that was only turned away so far gets no
      # name.
      def name_by_path
        return if @unrouted
        Routes.any_path?(@env, @status) ? @endpoints.known(name) : @endpoints.bounded(name)
      end
    end
  end
end
