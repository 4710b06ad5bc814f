# frozen_string_literal: true

require_relative "../web/response"
require_relative "answer"
require_relative "guest_session"
require_relative "metrics"
require_relative "parameters"
require_relative "profile_kinds"
require_relative "recordings"
require_relative "status"
require_relative "threads"
require_relative "turn"

module Rperf
  module Control
    # Terms of a door: the requests that it answers.
    #
    # most_seconds: maximum length of a profile, in seconds
    # waits:        whether a request may wait for its answer
    # commands:     whether sessions may be started and stopped
    Terms = Data.define(:most_seconds, :waits, :commands)

    # Answers requests, whatever door they come through.
    class Router
      # Path at which Go's tools look for profiles.
      PPROF = "/debug/pprof"
      # Actions that answer requests, by path and method.
      ROUTES = {
        "/status" => {"GET" => :status},
        "/ledger" => {"GET" => :ledger},
        "/metrics" => {"GET" => :metrics},
        "/start" => {"POST" => :start},
        "/stop" => {"POST" => :stop},
        "/recordings" => {"GET" => :recordings, "POST" => :record},
        "/rejected" => {"GET" => :rejected},
        PPROF => {"GET" => :list},
        "#{PPROF}/goroutine" => {"GET" => :threads},
        "#{PPROF}/threads" => {"GET" => :threads},
        "#{PPROF}/symbol" => {"GET" => :symbol, "POST" => :symbol},
        **PROFILE_KINDS.keys.to_h { |name| ["#{PPROF}/#{name}", {"GET" => :profile}] }
      }.freeze
      # Sentences about paths that Go has and rperf does not have.
      ELSEWHERE = {
        "#{PPROF}/cmdline" => "rperf does not show the arguments of a process, which may be secret",
        "#{PPROF}/trace" => "rperf has no traces; --timeline keeps when samples were taken"
      }.freeze

      def initialize(terms)
        @terms = terms
        @turn = Turn.new
      end

      # Returns the Web::Response to a request, which has `method`, `path`, `query`, `[]` (headers),
      # `head?` and `body?`. The block waits the seconds that it is given. Raises Web::Refusal.
      def call(request, &pause)
        methods = actions(request.path)
        action = methods[request.head? ? "GET" : request.method] or raise Web::Refusal.wrong_method(methods.keys)
        raise Web::Refusal.new(400, "parameters belong into the address, not into a body") if request.body? && action != :symbol
        Native.own_work { send(action, request, pause) }
      rescue ArgumentError => error
        raise Web::Refusal.new(400, error.message)
      rescue Error => error
        raise Web::Refusal.new(409, error.message)
      end

      private

      # Returns the actions that answer a path, by method. Go's tools end the path of the list with
      # a slash, which Rails' router removes.
      def actions(path)
        return {"GET" => :recording} if path.start_with?(Recordings::PATH)
        ROUTES.fetch(path.chomp("/")) { raise Web::Refusal.new(404, ELSEWHERE.fetch(path, "there is nothing here; rperf answers #{ROUTES.keys.join(", ")}")) }
      end

      def status(request, _pause)
        Parameters.read(request.query, [])
        Web::Response.json(Status.to_h)
      end

      def ledger(request, _pause)
        Parameters.read(request.query, [])
        Web::Response.json({pid: Process.pid, ledger: Native.ledger})
      end

      def metrics(request, _pause)
        Metrics.response(request["accept"], **Parameters.read(request.query, %i[siblings]))
      end

      def start(request, _pause)
        check_commands
        seconds, options = Parameters.session(request.query)
        GuestSession.start(options, seconds:)
        Web::Response.json(Status.to_h)
      end

      def stop(request, _pause)
        check_commands
        format, mode = Parameters.read(request.query, %i[format mode]).values_at(:format, :mode)
        Answer.profile(GuestSession.stop(mode), format)
      end

      def check_commands
        return if @terms.commands
        raise Web::Refusal.new(403, "commands are given through the Unix socket, or with a token")
      end

      def recordings(request, _pause)
        Parameters.read(request.query, [])
        Recordings.list
      end

      def record(request, _pause)
        check_commands
        Recordings.make(Parameters.read(request.query, %i[reason])[:reason])
      end

      def recording(request, _pause)
        Parameters.read(request.query, [])
        Recordings.file(request.path)
      end

      # Answers with the profile that a destination of the agent refused, to find out the reason.
      def rejected(request, _pause)
        format = Parameters.read(request.query, %i[format])[:format]
        profile = (Agent.rejected if defined?(Agent.rejected)) or raise Web::Refusal.new(404, "no destination of an agent has refused a profile of this process")
        Answer.profile(profile, format)
      end

      def list(_request, _pause)
        all = {**PROFILE_KINDS.transform_values(&:about), "threads" => "where all threads are now, one each; also: goroutine"}
        Web::Response.new(200, Web::Headers::TEXT, all.map { |name, about| "#{name.ljust(all.keys.map(&:length).max)}  #{about}\n" }.join(""))
      end

      def threads(request, _pause)
        given = Parameters.read(request.query, %i[format debug])
        return Web::Response.new(200, Web::Headers::TEXT, Threads.text) if text?(given)
        Answer.profile(Threads.profile, given[:format])
      end

      def text?(given) = given[:debug].to_i.positive?

      # Go's pprof asks for symbols where a profile has none; rperf's profiles have names.
      def symbol(_request, _pause) = Web::Response.new(200, Web::Headers::TEXT, "num_symbols: 0\n")

      def profile(request, pause)
        kind = PROFILE_KINDS.fetch(File.basename(request.path))
        given = Parameters.read(request.query, kind.parameters, most_seconds: @terms.most_seconds)
        format = text?(given) ? :text : given[:format]
        seconds = given.fetch(:seconds, kind.seconds)
        return Answer.profile(@turn.take(1) { kind.past(seconds) }, format) if past?(request, given)
        check_waiting(request) if seconds
        return Answer.profile(kind.take(**given, &pause), format) if request.head? || seconds.nil?
        @turn.take(seconds) { Answer.profile(kind.take(**given, &pause), format) }
      end

      # Whether the recorder's profile is taken: on request, or where the request may not wait.
      def past?(request, given) = given.fetch(:past) { !waits?(request) && Recordings.any? }

      def waits?(request) = @terms.waits && !request.head?

      def check_waiting(request)
        return if waits?(request)
        raise ArgumentError, "a request may not wait for seconds here: ask through the control socket, or see 'wait: true' of Rperf::Endpoints"
      end
    end
  end
end
