# frozen_string_literal: true

require_relative "../facade"
require_relative "../numbers"
require_relative "../utf8"
require_relative "cause"

module Rperf
  module Recorder
    # Finds units of work that are worth a recording: a unit that took long, one that is still open
    # after long, and one that an exception has left. Units report when they begin and end, each on
    # its own thread.
    class WorkWatch
      # Minimum number of ended units of one name before their p95 counts. The p95 is read at every
      # `LEARN`-th look.
      ENOUGH = 200
      LEARN = 5

      # When a unit began, on which thread, and whether a Cause has named it.
      Open = Struct.new(:began, :thread, :named)
      private_constant :Open

      # settings: :slow, :stuck, :times_p95 and :exception of Settings. The block is called with a
      # Cause, on the unit's thread. It must neither wait nor raise.
      def initialize(settings, &found)
        @slow, @stuck, @times_p95 = settings.values_at(:slow, :stuck, :times_p95)
        @exceptions = settings[:exception]
        @found = found
        @open = {}.compare_by_identity
        @p95 = {}
        @looks = 0
      end

      # Notes a unit of work that begins.
      def began(work) = @open[work] = Open.new(now, Thread.current)

      # Looks at a unit of work that has ended.
      def ended(work)
        open = @open.delete(work) or return
        cause = (exception(work) if @exceptions.any?) || slow(work, work.seconds || (now - open.began))
        @found.call(cause.with(unit: unit(work, open))) if cause
      end

      # Returns the Cause where a unit is still open after long. Each unit is named once.
      def look
        learn if @times_p95 && (@looks += 1) % LEARN == 1
        # A copy, made at once: other threads may begin and end units meanwhile.
        units, abandoned = @open.to_a.partition { |_work, open| open.thread.alive? }
        # A fiber that its thread has not run to its end leaves its units open.
        abandoned.each { |work,| @open.delete(work) }
        return unless @stuck
        work, open = units.find { |work, open| now - open.began >= @stuck && !open.named && !work.paused? }
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

      # The unit's name, as its label and the ledger have it.
      def name(work) = UTF8.of(work.name)

      # Returns nil for a unit whose thread has no native thread now (`RUBY_MN_THREADS`).
      def unit(work, open) = open.thread.native_thread_id&.then { |id| Unit.new(work.key, name(work), id, open.began) }

      def shown(work) = "#{work.kind} #{name(work)}"
      def seconds(number) = Numbers.duration(number * 1e9)
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
