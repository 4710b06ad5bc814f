# frozen_string_literal: true

require_relative "../facade"
require_relative "../utf8"
require_relative "cause"

module Rperf
  module Recorder
    # Sees which units of work are worth a recording: one that took long, one that is still open
    # after long, and one that an exception has left. Units say themselves when they begin and end,
    # each on its thread.
    class WorkWatch
      # Units of one name that must have ended before their p95 says something, and how often it is
      # read: at each of so many looks.
      ENOUGH = 200
      LEARN = 5

      # When a unit began, on which thread, and whether it was named.
      Open = Struct.new(:began, :thread, :named)
      private_constant :Open

      # settings: :slow, :stuck, :times_p95 and :exception of Settings. The block is called with a
      # Cause, on the unit's thread; it must not wait, nor raise.
      def initialize(settings, &found)
        @slow, @stuck, @times_p95 = settings.values_at(:slow, :stuck, :times_p95)
        @exceptions = settings[:exception]
        @found = found
        @open = {}.compare_by_identity
        @p95 = {}
        @looks = 0
      end

      # A unit of work begins.
      def began(work) = @open[work] = Open.new(now, Thread.current)

      # It has ended.
      def ended(work)
        open = @open.delete(work) or return
        cause = (exception(work) if @exceptions.any?) || slow(work, now - open.began)
        @found.call(cause.with(unit: unit(work, open))) if cause
      end

      # The Cause where a unit is still open after long; it is named once.
      def look
        learn if @times_p95 && (@looks += 1) % LEARN == 1
        return unless @stuck
        # A copy, made at once: others may begin and end meanwhile.
        work, open = @open.to_a.find { |_work, open| now - open.began >= @stuck && !open.named }
        return unless work
        open.named = true
        Cause.new(:stuck, "#{shown(work)} is still open after #{seconds(now - open.began)} (stuck: #{@stuck})", unit(work, open))
      end

      private

      def exception(work)
        error = work.exception or return
        named = error.class.ancestors.any? { |ancestor| @exceptions.include?(ancestor.name) }
        Cause.new(:exception, "#{shown(work)} ended by #{error.class}") if named
      end

      def slow(work, took)
        return Cause.new(:slow, "#{shown(work)} took #{seconds(took)} (slow: #{@slow})") if @slow && took >= @slow
        p95 = @p95[[work.kind, name(work)]] if @times_p95
        return unless p95 && took > @times_p95 * p95
        Cause.new(:slow, "#{shown(work)} took #{seconds(took)}, and 95 % of its kind take at most #{seconds(p95)} (times_p95: #{@times_p95})")
      end

      def learn
        rows = Rperf.ledger.select { |row| row.units >= ENOUGH }
        @p95 = rows.to_h { |row| [[row.kind, row.name], row.p95] }
      end

      # As its label and the ledger has them.
      def name(work) = UTF8.of(work.name)
      def unit(work, open) = Unit.new(work.key, name(work), open.thread.native_thread_id, open.began)
      def shown(work) = "#{work.kind} #{name(work)}"
      def seconds(number) = format("%.2f s", number)
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
