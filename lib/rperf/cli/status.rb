# frozen_string_literal: true

require_relative "../numbers"
require_relative "../utf8"
require_relative "fetched_profile"
require_relative "ps"
require_relative "remote"

module Rperf
  class CLI
    # `rperf status`: prints the status of a process.
    class Status < Remote
      # Prints the status, or writes the profile that was refused; returns the exit status.
      def call
        return take_rejected if @values[:rejected]
        status = client.status
        $stdout.puts(@values[:layout] == :json ? JSON.pretty_generate(status) : lines(status).map { |line| UTF8.printable(line) })
        0
      end

      private

      def take_rejected
        profile = FetchedProfile.new({output: @values[:rejected]})
        profile.deliver(client.request("GET", "/rejected", {format: FetchedProfile::FORMAT}))
      end

      def lines(status)
        session, kept = status.values_at(:session, :kept)
        ["process #{status[:pid]}: #{Ps.program(status)}", "ruby: #{status[:ruby]}", "rperf: #{status[:rperf]}",
         "session: #{Ps.session(session)}#{ending(session)}", *("kept: the #{kept.join(" and ")} profile, for 'rperf stop #{pid}'" if kept.any?),
         *agent(status[:agent] || {}), *destinations(status.dig(:agent, :destinations) || {}), *recorder(status[:recorder])]
      end

      # Lines for what the agent has met.
      def agent(state)
        changes = state[:frequency_changes].to_i
        [*("agent: does not record: #{state[:problem]}" if state[:problem]),
         *("agent: the frequency was changed #{Numbers.counted(changes, "time")}#{", and is #{state[:frequency]} Hz" if state[:frequency]}" if changes.positive?)]
      end

      # A line for the recorder.
      def recorder(state)
        return unless state
        refused = state[:refused].map { |cause, number| "#{Numbers.grouped(number)} not made, since others were (#{cause})" }
        ["recorder: #{[keeps(state), "#{Numbers.counted(state[:made], "recording")} made", *refused,
                       *("#{Numbers.grouped(state[:failed])} failed" if state[:failed].positive?),
                       *("last error: #{state[:last_error]}" if state[:last_error])].join(", ")}"]
      end

      # What the recorder has in memory, or why it has nothing new.
      def keeps(state)
        return "does not record: #{state[:problem]}" if state[:problem]
        "keeps #{state[:seconds]} s (#{Numbers.bytes(state[:bytes])})"
      end

      # A line for each destination of the agent.
      def destinations(all) = all.map { |name, counts| "agent: #{name}: #{became(counts).join(", ")}" }

      # Counters of a destination's profiles, as texts.
      def became(counts)
        sent, taken, waiting, spooled, later = counts.values_at(:sent, :taken, :outbox, :spooled, :sent_from_spool).map { |number| Numbers.grouped(number) }
        dropped = counts[:dropped].map { |cause, number| "#{Numbers.grouped(number)} dropped (#{cause})" }
        ["#{sent} of #{taken} profiles sent", *dropped, *("#{waiting} wait" if counts[:outbox].positive?),
         *("#{spooled} put into the spool" if counts[:spooled].positive?), *("#{later} sent from there" if counts[:sent_from_spool].positive?),
         *("last error: #{counts[:last_error]}" if counts[:last_error])]
      end

      def ending(session)
        return unless session
        return ", started by the #{session[:started_by]}" unless session[:started_by] == "control"
        session[:ends_in_seconds] ? ", ends in #{session[:ends_in_seconds]} s" : ", for a profile that is being taken"
      end
    end
  end
end
