# frozen_string_literal: true

require "rbconfig"
require_relative "neighbours"
require_relative "quota"

module Accuracy
  # The load of the machine while a case runs, or the case's limit of processor time; and the bar
  # for the mean error under it.
  class Circumstance
    QUIET_MEAN_BAR = 0.012
    BUSY_MEAN_BAR = 0.02
    WORKLOADS = File.expand_path("../../workloads/workloads.rb", __dir__)

    attr_reader :name, :title

    # busy: the bars are those of a busy machine.
    # scarce: threads wait for a processor for milliseconds at a time.
    # The block makes the circumstance, calls its argument with the words that go before a command,
    # and ends the circumstance again.
    def initialize(name, title, busy: true, scarce: busy, &making)
      @name = name
      @title = title
      @busy = busy
      @scarce = scarce
      @making = making
    end

    def busy? = @busy
    def scarce? = @scarce
    def mean_bar = busy? ? BUSY_MEAN_BAR : QUIET_MEAN_BAR

    # Yields the words that put a command into the circumstance, which lasts as long as the block.
    # Raises Quota::Unavailable where the system does not allow it.
    def around(&work) = @making.call(work)

    # A process keeps the processors to which it is bound when it becomes another program.
    PIN = [RbConfig.ruby, "-r", WORKLOADS, "-e", "Workloads.on_one_cpu { exec(*ARGV) }"].freeze
    JOIN = ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"'].freeze

    # All circumstances, by name.
    ALL = [
      new("quiet", "quiet", busy: false) { |work| work.call([]) },
      new("two", "two busy neighbours") { |work| Neighbours.beside(2) { work.call([]) } },
      new("four", "four busy neighbours") { |work| Neighbours.beside(4) { work.call([]) } },
      new("sessions", "two busy neighbours in sessions of their own") do |work|
        Neighbours.beside(2, own_sessions: true) { work.call([]) }
      end,
      new("pinned", "pinned to one processor", scarce: false) { |work| work.call(PIN) },
      new("quota", "a CFS quota of 60 % of one processor") do |work|
        Quota.around { |processes| work.call([*JOIN, processes]) }
      end
    ].to_h { |circumstance| [circumstance.name, circumstance] }.freeze
  end
end
