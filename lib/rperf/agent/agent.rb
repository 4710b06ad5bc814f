# frozen_string_literal: true

require_relative "../background_part"
require_relative "../begun"
require_relative "../variables"
require_relative "../web/loopback"
require_relative "delivery"
require_relative "destinations"
require_relative "log"
require_relative "reporter"
require_relative "sender"
require_relative "series"
require_relative "settings"

module Rperf
  # Continuous profiling: sends a profile of each minute to a profile store.
  #
  #   Rperf::Agent.start(push: "pyroscope+https://profiles.example.org", service: "shop")
  #
  # By the environment alone: RPERF_PUSH_URL=... ruby -rrperf/agent app.rb
  #
  # The agent never stops or changes the program. Its failures are counted, and one line in the log
  # reports them.
  class Agent
    # Maximum time that the end of a process waits for a last profile, in seconds. A process that is
    # younger than YOUNG, in seconds, sends none.
    LAST = 1.0
    YOUNG = 5
    # Time that a caller may wait.
    TIMEOUT = Options::Value::Number.new(0..86_400, "seconds")
    private_constant :TIMEOUT

    extend BackgroundPart

    class << self
      # Starts the agent of this process, and of the processes that it forks.
      #
      # push:      where profiles go: pyroscope+https://HOST, otlp+https://HOST (OpenTelemetry),
      #            otlp (the address that OTEL_EXPORTER_OTLP_ENDPOINT says), parca+https://HOST,
      #            pprof+https://HOST/PATH (POST of a gzipped pprof file), file:PATTERN with %t
      #            (time), %p (process) and %m (mode); several as an Array, or separated by commas
      # service:   name of the program there (by default that in OTEL_SERVICE_NAME or
      #            OTEL_RESOURCE_ATTRIBUTES, that of the Rails application, or the program's)
      # labels:    a Hash of further labels of all profiles, such as env and version
      # headers:, basic_auth: [user, password], token:, token_file: credentials; a value may be a
      #            Proc that returns it
      # timeout: maximum time for the answer of a server, in seconds (20)
      # compression: :none sends OTLP uncompressed (:gzip)
      # ca_file:, client_certificate:, client_key: files for https, besides those the system trusts
      # deny:      keys of Rperf.label whose labels are not sent to servers
      # paths:     :relative sends paths without the directories of the project and of gems
      #            (:absolute)
      # period:    length of a profile in seconds, 1 to 600 (60)
      # mode:, frequency:, interval:, slow: of the session that it starts where none runs (:both,
      #            99, nil, nil)
      # wall:      :work sends only the wall time of requests and jobs, where CPU time is sent, too;
      #            :all sends all wall time (:work)
      # share:     the share of processes that send, 0 to 1; which ones changes each day (1)
      # duty:      "10s/60s" records ten seconds of each minute; nothing is scaled (nil: always)
      # max_overhead: the share of a processor that sampling may use before the frequency is lowered
      #            (0.01)
      # spool:     a directory for profiles that have no room in memory any more, or that a process
      #            leaves behind; processes share it (nil: none)
      # logger:    an object with `info` and `warn` (Rails.logger, else stderr)
      #
      # A setting without a keyword may come from the environment (see Settings::VARIABLES).
      #
      # Returns nil. Ends an agent that the environment has started. Raises ArgumentError with one
      # sentence for a wrong value, Rperf::Error where the agent runs already or in another Ractor
      # than the main one.
      def start(**keywords)
        start_by_program do
          Variables.complain_of_unknown
          Settings.from_env(ENV, **keywords)
        end
      end

      # Starts the agent with the settings of the environment. Nothing happens without
      # RPERF_PUSH_URL. A wrong setting is reported by one line on stderr.
      def start_from_env(env = ENV)
        Variables.complain_of_unknown(env)
        start_by_environment { Settings.from_env(env) unless env["RPERF_PUSH_URL"].to_s.empty? }
      end

      # State of the agent, a Hash without secrets; nil where the agent does not run.
      def status = @current&.status

      # The profile that a destination refused last, a Native::Profile; nil where there is none.
      def rejected = @current&.rejected

      # Whether the agent runs in this process.
      def running? = !@current.nil?

      # Hands a further profile, a Native::Profile, to all destinations.
      def push(profile) = @current&.push(profile)

      # Takes a profile of the time since the last one, and waits at most `timeout` seconds for its
      # delivery. Returns whether everything was delivered; nil where the agent does not run. Raises
      # ArgumentError if `timeout` is no number from 0 to 86400, Rperf::Error in a signal handler.
      def flush(timeout: 5)
        TIMEOUT.check(timeout, "timeout:")
        Error.check_handler("Rperf::Agent.flush")
        @current&.flush(timeout)
      end

      # Ends the agent, and a session that it started. Profiles that wait have `timeout` seconds.
      # Raises Rperf::Error in a Ractor other than the main one, and otherwise as `flush` does.
      def stop(timeout: LAST)
        Error.check_ractor("Rperf::Agent.stop")
        TIMEOUT.check(timeout, "timeout:")
        Error.check_handler("Rperf::Agent.stop")
        @current&.stop(timeout)
        forget
      end

      private

      # A forked child has the settings of its parent, which has told where profiles go.
      def make(settings) = new(settings, told: settings.equal?(@settings))

      def give_way = stop(timeout: 0)

      def finish
        @current&.finish
      rescue StandardError => error
        Error.complain error.message
      end
    end

    # told: whether the log has the lines about these settings already
    def initialize(settings, told: false)
      @settings, @told = settings, told
      @log = Log.new(settings[:logger])
      @series = Series.new(service: settings[:service], labels: settings[:labels])
      @spool = spool
      @senders = Destinations.of(settings, @series).map { |destination| Sender.new(destination, log: @log, spool: @spool) }
      @reporter = Reporter.new(settings, @series, @senders, log: @log)
      @started = now
    end

    # Begins to record and to send.
    def start
      @reporter.start
      @senders.each(&:start)
      tell unless @told
    end

    # See Agent.status.
    def status
      counted = @senders.to_h { |sender| [sender.destination.name, counts(sender)] }
      own = @reporter.status
      own[:internal_errors] += counted.each_value.sum { |counts| counts[:dropped].fetch("internal error", 0) }
      {service: @series.service, instance: @series.instance, **own, destinations: counted}
    end

    # See Agent.rejected.
    def rejected = @senders.filter_map(&:rejected).max_by(&:till)&.profile

    # See Agent.push.
    def push(profile) = @reporter.push(profile)

    # See Agent.flush.
    def flush(timeout)
      till, before = now + timeout, undelivered
      taken = @reporter.flush(timeout)
      drained = @senders.map { |sender| sender.flush([till - now, 0].max) }.all?
      [taken, drained, undelivered == before].all?
    end

    # See Agent.stop.
    def stop(timeout = 0)
      till = now + timeout
      @reporter.stop(last: timeout)
      @senders.each { |sender| sender.stop(within: [till - now, 0].max) }
    end

    # Ends with the process: sends a last profile where a destination works or a spool takes it.
    def finish
      is_young = now - @started < YOUNG
      @log.info("rperf: no profile of this process: it has ended within #{YOUNG} s") if is_young && !@told && @reporter.status[:session] && @senders.none? { |sender| sender.counters.answered? }
      hopeless = !@spool && @senders.all? { |sender| sender.health.troubled? }
      stop(is_young || hopeless ? 0 : LAST)
    end

    # Hides the settings, which have secrets.
    def inspect = "#<#{self.class}>"

    private

    # Returns the spool, or nil. A directory that cannot be used costs some profiles, not all.
    def spool
      Spool.new(@settings[:spool]) if @settings[:spool]
    rescue Error => error
      @log.warn("rperf: #{error.message}; the agent goes on without it")
      nil
    end

    # Number of profiles that were dropped, or put into the spool.
    def undelivered = @senders.sum { |sender| sender.counters.to_h.then { |counts| counts[:spooled] + counts[:dropped].values.sum } }

    # Logs where profiles go.
    def tell
      places = @senders.map { |sender| sender.destination.name }.join(", ")
      @log.info("rperf: profiles of #{@series.service} go to #{places}, each of #{length}#{condition}")
      warn_of_plain_http
    end

    def counts(sender)
      counters = sender.counters.to_h
      {**counters, outbox: sender.waiting, outbox_bytes: sender.size, last_error: sender.health.last_error, last_success: sender.health.last_success}
    end

    # For the log: the length of a profile.
    def length = @settings[:duty]&.then { |duty| "#{duty.on} s in #{duty.of} s" } || "#{@settings[:period].to_i} s"

    # For the log: the frequency of a session that the agent has begun, or why nothing is recorded.
    def condition
      frequency, problem = @reporter.status.values_at(:frequency, :problem)
      problem ? ", but not now: #{problem}" : (" at #{frequency} Hz" if frequency)
    end

    def warn_of_plain_http
      open = @settings.destinations.find do |kind, url|
        kind != :file && url.scheme == "http" && !Web::Loopback.host?(url.host) && @settings.credentials(url).any?
      end
      @log.warn("rperf: credentials go to #{open.last.host} without encryption: use #{open.first}+https") if open
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
