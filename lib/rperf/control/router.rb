# frozen_string_literal: true

require_relative "../web/response"
require_relative "answer"
require_relative "guest_session"
require_relative "parameters"
require_relative "status"

module Rperf
  module Control
    # What may be asked for at a door.
    #
    # name:         the door's, for `status`
    # most_seconds: how long a profile may last at most
    # waits:        whether a request may wait for its answer
    # commands:     whether sessions may be started and stopped
    Terms = Data.define(:name, :most_seconds, :waits, :commands)

    # Answers requests, whatever door they come through.
    class Router
      # The methods and what answers them, by path.
      ROUTES = {
        "/status" => {"GET" => :status},
        "/start" => {"POST" => :start},
        "/stop" => {"POST" => :stop}
      }.freeze

      def initialize(terms)
        @terms = terms
      end

      # The Web::Response to a request, which has `method`, `path`, `query`, `[]` (headers) and
      # `body?`. The block returns when so many seconds have passed. Raises Web::Refusal.
      def call(request, &pause)
        methods = ROUTES.fetch(request.path) { raise Web::Refusal.new(404, "there is nothing here; rperf answers #{ROUTES.keys.join(", ")}") }
        action = methods[request.head? ? "GET" : request.method] or refuse_method(methods)
        raise Web::Refusal.new(400, "parameters belong into the address, not into a body") if request.body?
        Native.own_work { send(action, request, pause) }
      rescue ArgumentError => error
        raise Web::Refusal.new(400, error.message)
      rescue Error => error
        raise Web::Refusal.new(409, error.message)
      end

      private

      def refuse_method(methods)
        allowed = methods.keys.join(", ")
        raise Web::Refusal.new(405, "only #{allowed} is possible here", "allow" => allowed)
      end

      def status(request, _pause)
        Parameters.read(request.query, [])
        Web::Response.new(200, Status::HEADERS, Status.new.to_json)
      end

      def start(request, _pause)
        check_commands
        seconds, options = Parameters.session(request.query)
        GuestSession.start(options, seconds:)
        Web::Response.new(200, Status::HEADERS, Status.new.to_json)
      end

      def stop(request, _pause)
        check_commands
        format, mode = Parameters.read(request.query, %i[format mode]).values_at(:format, :mode)
        Answer.profile(GuestSession.stop(mode), format)
      end

      def check_commands
        return if @terms.commands
        raise Web::Refusal.new(403, "sessions are started and stopped through the Unix socket, or with a token")
      end
    end
  end
end
