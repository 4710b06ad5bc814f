# frozen_string_literal: true

require_relative "../begun"
require_relative "../forks"
require_relative "../web/loopback"
require_relative "delivery"
require_relative "destinations"
require_relative "log"
require_relative "reporter"
require_relative "sender"
require_relative "series"
require_relative "settings"

module Rperf
  # Continuous profiling: a profile of each minute goes to a profile store.
  #
  #   Rperf::Agent.start(push: "pyroscope+https://profiles.example.org", service: "shop")
  #
  # By the environment alone: RPERF_PUSH_URL=... ruby -rrperf/agent app.rb
  #
  # Nothing of it stops or changes the program: what fails is counted, and one line in the log says
  # so.
  class Agent
    # Seconds: the end of a process waits so long for a last profile, unless it is younger than
    # YOUNG.
    LAST = 1.0
    YOUNG = 5

    @current = nil
    @settings = nil

    class << self
      # Starts the agent of this process, and of the processes that it forks.
      #
      # push:      where profiles go: pyroscope+https://HOST, otlp+https://HOST (OpenTelemetry),
      #            otlp (where OTEL_EXPORTER_OTLP_ENDPOINT says), parca+https://HOST,
      #            pprof+https://HOST/PATH (POST of a gzipped pprof file), file:PATTERN with %t
      #            (time), %p (process) and %m (mode); or an Array of these
      # service:   what the program is called there (what OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
      #            the Rails application or the program say)
      # labels:    a Hash of further labels of all of its profiles, such as env and version
      # headers:, basic_auth: [user, password], token:, token_file: credentials; a value may be a
      #            Proc, which is called for it
      # timeout: seconds that a server has for its answer (20)
      # compression: :none sends OTLP as it is (:gzip)
      # ca_file:, client_certificate:, client_key: files for https, beside what the system trusts
      # deny:      keys of Rperf.label whose labels are not sent
      # paths:     :relative sends paths without the directories of the project and of gems
      #            (:absolute)
      # period:    seconds of a profile, 1 to 600 (60)
      # mode:, frequency:, slow: of the session that it starts where none runs (:both, 99, nil)
      # wall:      :work sends the wall time of requests and jobs alone, where CPU time is sent,
      #            too; :all that of everything (:work)
      # share:     the part of all processes that do it, 0 to 1; which ones changes each day (1)
      # duty:      "10s/60s" records ten seconds of each minute, and scales nothing (nil: always)
      # max_overhead: the part of a processor that sampling may use before the frequency is lowered
      #            (0.01)
      # spool:     a directory in which profiles wait that have no room in memory any more, or that
      #            a process leaves behind; processes share it (nil: none)
      # logger:    what has `info` and `warn` (Rails.logger, else stderr)
      #
      # What no keyword says, the environment may say (see Settings::VARIABLES).
      #
      # Returns nil. One that the environment has started ends. Raises ArgumentError with one
      # sentence for a wrong value, Rperf::Error where it runs already or in another Ractor than the
      # main one.
      def start(**keywords)
        raise Error, "Rperf::Agent.start works in the main Ractor only: call it there" unless Ractor.main?
        settings = Settings.from_env(ENV, **keywords)
        stop(timeout: 0) if @by_environment
        run(settings)
        install
        nil
      end

      # The same as the environment says. Nothing happens without RPERF_PUSH_URL; what is wrong
      # there is one line on stderr.
      def start_from_env(env = ENV)
        return if env["RPERF_PUSH_URL"].to_s.empty? || @current
        run(Settings.from_env(env))
        @by_environment = true
        install
      rescue StandardError => error
        Error.complain "the agent does not run: #{error.message}"
      end

      # How it is: a Hash; nil where it does not run. Without secrets.
      def status = @current&.status

      # The profile that a destination refused last, a Native::Profile; nil where there is none.
      def rejected = @current&.rejected

      # Whether it runs in this process.
      def running? = !@current.nil?

      # Hands a further profile, a Native::Profile, to all destinations.
      def push(profile) = @current&.push(profile)

      # Takes a profile of the time since the last one, and waits for its delivery, for `timeout`
      # seconds. Whether everything was delivered; nil where it does not run.
      def flush(timeout: 5) = @current&.flush(timeout)

      # Ends it; a session that it started ends, too. What waits has `timeout` seconds.
      def stop(timeout: LAST)
        @current&.stop(timeout)
        @current = @settings = @by_environment = nil
      end

      # In a process that goes on after a fork.
      def begin_anew
        settings, @current, @starting = @settings, nil, nil
        run(settings) if settings
      rescue StandardError => error
        Error.complain "the agent does not run: #{error.message}"
      end

      private

      # (Another thread may start one meanwhile.)
      def run(settings)
        raise Error, "the agent runs already: stop it with Rperf::Agent.stop before you start another" if @current || @starting
        @starting = true
        begin
          agent = new(settings)
          agent.start
          @settings, @current = settings, agent
        ensure
          @starting = nil
        end
      end

      def install
        return if @installed
        @installed = true
        Forks.watch(self)
        at_exit { finish }
      end

      # At the end of the process.
      def finish
        @current&.finish
      rescue StandardError => error
        Error.complain error.message
      end
    end

    def initialize(settings)
      @settings = settings
      @log = Log.new(settings[:logger])
      @series = Series.new(service: settings[:service], labels: settings[:labels])
      spool = Spool.new(settings[:spool]) if settings[:spool]
      @senders = Destinations.of(settings, @series).map { |destination| Sender.new(destination, log: @log, spool:) }
      @reporter = Reporter.new(settings, @series, @senders, log: @log)
      @started = now
    end

    # Begins.
    def start
      @reporter.start # It may fail: then nothing has begun.
      @senders.each(&:start)
      places = @senders.map { |sender| sender.destination.name }.join(", ")
      @log.info("rperf: profiles of #{@series.service} go to #{places}, each of #{@settings[:period].to_i} s#{rate}")
      warn_of_plain_http
    end

    # See Agent.status.
    def status
      counted = @senders.to_h { |sender| [sender.destination.name, counts(sender)] }
      {service: @series.service, instance: @series.instance, **@reporter.status, destinations: counted}
    end

    # See Agent.rejected.
    def rejected = @senders.filter_map(&:rejected).max_by(&:till)&.profile

    # See Agent.push.
    def push(profile) = @reporter.push(profile)

    # See Agent.flush.
    def flush(timeout)
      till = now + timeout
      @reporter.flush(timeout)
      @senders.map { |sender| sender.flush([till - now, 0].max) }.all?
    end

    # See Agent.stop.
    def stop(timeout)
      till = now + timeout
      @reporter.stop(last: timeout)
      @senders.each { |sender| sender.stop(within: [till - now, 0].max) }
    end

    # At the end of the process: a last profile where all is well, or where a spool takes it.
    def finish
      is_young = now - @started < YOUNG
      @log.info("rperf: no profile of this process: it has ended within #{YOUNG} s") if is_young && @senders.all? { |sender| sender.counters.to_h[:sent].zero? }
      hopeless = !@settings[:spool] && @senders.all? { |sender| sender.health.troubled? }
      stop(is_young || hopeless ? 0 : LAST)
    end

    # Settings have secrets.
    def inspect = "#<#{self.class}>"

    private

    def counts(sender)
      counters = sender.counters.to_h
      {**counters, outbox: sender.waiting, outbox_bytes: sender.size, last_error: sender.health.last_error, last_success: sender.health.last_success}
    end

    # Of the session, where the agent has begun it, and where it has ticks.
    def rate = (" at #{@reporter.status[:frequency]} Hz" if @reporter.status[:frequency])

    def warn_of_plain_http
      open = @settings.destinations.find do |kind, url|
        kind != :file && url.scheme == "http" && !Web::Loopback.host?(url.host) && @settings.credentials(url).any?
      end
      @log.warn("rperf: credentials go to #{open.last.host} without encryption: use #{open.first}+https") if open
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
