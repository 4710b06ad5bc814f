# frozen_string_literal: true

require_relative "../agent/delivery"
require_relative "../agent/destinations"
require_relative "../agent/series"
require_relative "../agent/settings"
require_relative "../otlp_resource"
require_relative "../profile_file"
require_relative "../profile_totals"
require_relative "progress"
require_relative "runner"

module Rperf
  class CLI
    # `rperf push`: sends profiles to a profile store, as the agent sends them.
    class Push < Runner
      # Advice for an Answer of each kind.
      ADVICE = {unreachable: "is it there?", later: "try again later", once_more: "try again later", too_large: "filter or convert it first",
                unauthorized: "see RPERF_PUSH_TOKEN_FILE and RPERF_PUSH_HEADERS", wrong_address: "is the address right?"}.freeze

      # Beginning of an address, which may be written in front of the files.
      ADDRESS = %r{\A[a-z+]+://}

      def initialize(values, words)
        super
        *paths, @url = words
        @paths = paths.map { |word| ProfileFile.path(word) }
      end

      # Sends the profiles, or explains what would be sent; returns the exit status.
      def call
        raise Failure.usage("'rperf push' needs the profiles and the address of the store: rperf push FILE... URL") if @paths.empty?
        raise Failure.usage("the address of the store comes last: rperf push FILE... URL") if @paths.any? { |path| path.match?(ADDRESS) }
        check_verifies
        @paths.each do |path|
          @values[:explain] ? explain(path) : push(path)
          finish
        end
        0
      ensure
        finish
      end

      private

      # Closes the destination. The next file has its own, and with --verify a label of its own.
      def finish
        @destination&.finish
        @destination = nil
      end

      def push(path)
        delivery = Agent::Delivery.new(ProfileFile.new(path).profile)
        answer = Progress.new.during("sending '#{path}'") { destination.deliver(delivery) }
        raise Failure, refusal(path, answer) unless answer.kind == :sent
        note("sent '#{path}' to #{destination.name}: #{about(delivery)}")
        verify(path, delivery) if @values[:verify]
      end

      # Prints what would be sent, and sends nothing.
      def explain(path)
        raise Failure.usage("--explain works with servers only, not with files") unless destination.respond_to?(:entry)
        delivery = Agent::Delivery.new(ProfileFile.new(path).profile)
        entry = destination.entry(delivery)
        $stdout.puts("'#{path}' would be sent to #{destination.name}", *lines(delivery, entry).map { |name, text| "  #{name.ljust(8)}  #{text}" })
      end

      def lines(delivery, entry)
        named = destination.named(delivery)
        {path: entry.path, headers: entry.headers.map { |name, value| "#{name}: #{value}" }.join(", "),
         **({as: named.map { |name, value| "#{name}=#{value.inspect}" }.join(", ")} if named.any?),
         profile: ProfileTotals.new(delivery.profile).weight_text + age(delivery), body: "#{Numbers.grouped(entry.body.bytesize)} bytes",
         limits: delivery.losses.empty? ? "nothing is beyond the limits of stores" : "the limits of stores take #{delivery.losses.join(", ")}"}
          .transform_keys(&:to_s)
      end

      # ", which ended 5 minutes ago"
      def age(delivery)
        return "; the file does not say when it was recorded" if delivery.profile.start_time_ns.zero?
        minutes = (Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - delivery.till) / 60e9
        old = "; stores refuse what is an hour old" if Agent::Delivery.too_old?(delivery.till)
        ", which ended #{Numbers.counted(minutes.round, "minute")} ago#{old}"
      end

      def refusal(path, answer)
        "'#{path}' was not taken by #{destination.name}: #{[answer.text, ADVICE[answer.kind]].compact.join("; ")}"
      end

      # Describes a delivery: "1.20 s of CPU time; the store's limits took label values".
      def about(delivery)
        lost = delivery.losses
        ProfileTotals.new(delivery.profile).weight_text + (lost.empty? ? "" : "; the store's limits took #{lost.join(", ")}")
      end

      def verify(path, delivery)
        found = Progress.new.during("asking #{destination.name}") { destination.stored(delivery) }
        sent = delivery.profile.weight
        raise Failure, "#{destination.name} has taken '#{path}', and has #{found} of its #{sent}: look at its log" unless found == sent
        note("verified: it has all of it")
      end

      def check_verifies
        return if !@values[:verify] || destination.respond_to?(:stored)
        raise Failure.usage("--verify works with pyroscope+https only, which can be asked for what it has")
      end

      def destination
        raise Failure.usage("'rperf push' sends to one address: call it once for each") if settings.destinations.length > 1
        @destination ||= Agent::Destinations.of(settings, series).first
      rescue ArgumentError => error
        raise Failure.usage(error.message.sub(/\Apush:/, "the address"))
      end

      # The series of the profiles. It has no label `host`: they were not recorded on this host.
      def series
        service = settings[:service] || OTLPResource.of_environment["service.name"]
        raise Failure.usage("what is the program called in the store? Say --service NAME, or set RPERF_SERVICE") if service.to_s.empty?
        labels = @values[:verify] ? {rperf_push: SecureRandom.uuid} : {}
        Agent::Series.new(service:, labels: {host: nil, **settings[:labels], **labels})
      end

      def settings = @settings ||= Agent::Settings.from_env(ENV, push: @url, service: @values[:service])
    end
  end
end
