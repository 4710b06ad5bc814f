# frozen_string_literal: true

require_relative "../handler_lock"

module Rperf
  class Agent
    # Counters of profiles: taken, sent, dropped (by cause), and put into the spool. Each profile
    # that was taken is in the outbox, or was counted as one of the others. Another process may have
    # taken those that are sent from the spool, which count apart, or dropped there, whose causes
    # name the spool.
    class Counters
      def initialize
        @lock = HandlerLock.new
        @taken = @sent = @spooled = @sent_from_spool = 0
        @dropped = Hash.new(0)
        @failed = Hash.new(0)
        @smaller = Hash.new(0)
      end

      # Counts a profile that was taken.
      def taken! = @lock.synchronize { @taken += 1 }
      # Counts a sent profile. losses: "label values" that became (other), "outermost frames" of
      # deep stacks, "lines", "links" of requests, or "light stacks", which joined their callers
      def sent!(losses = [])
        @lock.synchronize do
          @sent += 1
          losses.each { |part| @smaller[part] += 1 }
        end
      end
      # Counts a profile that was put into the spool.
      def spooled! = @lock.synchronize { @spooled += 1 }

      # Counts a profile of the spool that has arrived.
      def sent_from_spool! = @lock.synchronize { @sent_from_spool += 1 }

      # Counts a profile that was given up.
      def dropped!(cause) = @lock.synchronize { @dropped[cause] += 1 }

      # Counts an attempt that failed; the profile may still arrive.
      def failed!(cause) = @lock.synchronize { @failed[cause] += 1 }

      # Returns whether an attempt has succeeded or failed.
      def answered? = @lock.synchronize { @sent.positive? || @failed.any? }

      # {taken:, sent:, spooled:, sent_from_spool:, dropped: {cause => number}, failed: {...},
      # sent_without: {part => number}}
      def to_h
        @lock.synchronize do
          {taken: @taken, sent: @sent, spooled: @spooled, sent_from_spool: @sent_from_spool, dropped: @dropped.dup, failed: @failed.dup,
           sent_without: @smaller.dup}
        end
      end
    end
  end
end
