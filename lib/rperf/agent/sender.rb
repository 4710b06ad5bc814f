# frozen_string_literal: true

require_relative "../own_thread"
require_relative "answer"
require_relative "backoff"
require_relative "counters"
require_relative "outbox"

module Rperf
  class Agent
    # Delivers profiles to one destination, on a thread of its own, one after the other. It waits
    # where the destination does not answer; what came meanwhile waits in the outbox.
    class Sender
      # Seconds until the next attempt where the address is wrong, or the credentials are.
      WRONG_ADDRESS = 600
      UNAUTHORIZED = 300
      # How often a profile is made smaller, or sent again after an error of the server.
      HALVINGS = 1
      REPEATS = 1
      # Seconds until a thread that was killed is gone.
      KILLED = 0.1
      # Failures of the sender itself in a row that end it.
      OWN_FAILURES = 3

      # cpu_ns: processor time that its thread has used, in nanoseconds
      attr_reader :destination, :counters, :last_error, :cpu_ns

      # destination: what has `deliver(delivery, within:)`, which returns an Answer, and `finish`
      # log: an object with `info` and `warn`; spool: a Spool, or nil
      def initialize(destination, log:, spool: nil, backoff: Backoff.new)
        @destination, @log, @spool, @backoff = destination, log, spool, backoff
        @counters = Counters.new
        @outbox = Outbox.new { |delivery| put_aside(delivery, "outbox full") }
        @repeats = @cpu_ns = 0
        @state = :sent
      end

      # Begins to deliver.
      def start
        @thread = OwnThread.start("rperf sender") { run }
      end

      # Takes a Delivery over.
      def push(delivery)
        @counters.taken!
        @outbox.push(delivery)
      end

      # How many profiles wait.
      def waiting = @outbox.length

      # About how many bytes of memory they take.
      def size = @outbox.size

      # Whether the destination does not answer, or refuses everything.
      def troubled? = @state != :sent && @state != :rejected

      # Waits until everything has been delivered, for so many seconds. Whether it was.
      def flush(seconds) = @outbox.drained?(seconds)

      # Ends: what still waits is dropped. Where the destination was well, it has so many seconds
      # for it before.
      def stop(within: 0)
        flush(within) if within.positive? && !troubled?
        @thread&.kill&.join(KILLED)
        @outbox.close.each { |delivery| put_aside(delivery, "stopped") }
        @destination.finish
      end

      private

      def run
        failures = 0
        while (delivery = @outbox.first)
          begin
            deliver(delivery)
            failures = 0
          rescue StandardError => error
            drop(delivery, "internal error")
            @last_error = "#{error.class}: #{error.message}"
            break @log.warn("rperf: the agent ends after an error of its own: #{@last_error}") if (failures += 1) == OWN_FAILURES
          end
        end
      end

      def deliver(delivery)
        return drop(delivery, "too old") if Delivery.too_old?(delivery.till)
        answer = delivery.in_flight! { @destination.deliver(delivery) }
        note(answer)
        wait = pause_after(answer, delivery)
        @cpu_ns = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        @outbox.pause(wait) if wait
      end

      # What an answer means for a delivery. Returns the seconds to wait before the next attempt, or
      # nil where there is none to wait for.
      def pause_after(answer, delivery)
        case answer.kind
        when :sent then done(delivery)
        when :rejected then drop(delivery, "rejected")
        when :too_large then too_large(delivery)
        when :once_more then once_more(delivery, answer)
        when :unauthorized then UNAUTHORIZED unless @destination.renewed?
        when :wrong_address then WRONG_ADDRESS
        else @backoff.failed(answer.after)
        end
      end

      def done(delivery)
        @outbox.remove(delivery)
        @backoff.succeeded
        @repeats = 0
        @counters.sent!
        send_spooled
      end

      # What has no place here any more goes to the spool, where there is one.
      def put_aside(delivery, cause)
        @spool && @destination.spools? && @spool.put(@destination.entry(delivery)) ? @counters.spooled! : @counters.dropped!(cause)
      end

      # The server is well again: what waits in the spool goes, as long as nothing newer comes.
      def send_spooled
        return unless @spool && @destination.spools?
        going = true
        going &&= @spool.take(@destination.name) { |entry| going = resend(entry) } while going && @outbox.length.zero?
      end

      # Whether the entry is done with.
      def resend(entry)
        return spool_dropped("too old") if Delivery.too_old?(entry.till)
        answer = @destination.resend(entry)
        note(answer)
        return true.tap { @counters.sent_from_spool! } if answer.kind == :sent
        %i[rejected too_large].include?(answer.kind) && spool_dropped(answer.kind.to_s.tr("_", " "))
      end

      def spool_dropped(cause)
        @counters.dropped!("#{cause} (spool)")
        true
      end

      def drop(delivery, cause)
        @outbox.remove(delivery)
        @repeats = 0
        @counters.dropped!(cause)
        nil
      end

      def too_large(delivery)
        return drop(delivery, "too large") if delivery.scale <= 0.5**HALVINGS
        delivery.halve
        nil
      end

      def once_more(delivery, answer)
        return drop(delivery, "server error") if (@repeats += 1) > REPEATS
        @backoff.failed(answer.after)
      end

      # One line for each change of health.
      def note(answer)
        @last_error = answer.text unless answer.kind == :sent
        @counters.failed!(answer.kind.to_s.tr("_", " ")) unless answer.kind == :sent
        return if answer.kind == @state
        was, @state = @state, answer.kind
        return @log.info("rperf: profiles reach #{@destination.name} again") if answer.kind == :sent && was != :sent
        @log.warn("rperf: #{sentence(answer)}")
      end

      def sentence(answer)
        name = @destination.name
        case answer.kind
        when :unreachable then "#{name} does not answer (#{answer.text}); profiles wait for it"
        when :later then "#{name} takes nothing now (#{answer.text}); profiles wait for it"
        when :once_more then "#{name} has failed (#{answer.text}); the profile is sent once more"
        when :unauthorized then "#{name} refuses the credentials (#{answer.text}); check them: the next attempt is in five minutes"
        when :wrong_address then "#{name} does not know this path (#{answer.text}): is it the wrong address? The next attempt is in ten minutes"
        when :too_large then "#{name} finds a profile too large (#{answer.text}); half of it is sent"
        else "#{name} refuses a profile (#{answer.text}); it is dropped"
        end
      end
    end
  end
end
