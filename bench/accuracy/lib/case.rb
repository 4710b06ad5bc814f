# frozen_string_literal: true

require_relative "check"
require_relative "comparison"
require_relative "length"
require_relative "ruby_work"

module Accuracy
  # A program of which every measured method knows its own cost, in ns on the clock of the mode. A
  # case is a subclass: `measures` and `ruby_work` name its methods, `turn` calls each of them once
  # or more.
  class Case
    QUIET_BAR = 0.03
    BUSY_BAR = 0.05

    class << self
      def title(text = nil) = text ? @title = text : @title

      # The largest errors allowed, fractions of the true time: on a quiet machine, in all other
      # circumstances.
      def error_bar(quiet, busy: BUSY_BAR) = @bars = { quiet:, busy: }

      def bar_in(circumstance)
        return circumstance.busy? ? BUSY_BAR : QUIET_BAR unless @bars

        @bars.fetch(circumstance.busy? ? :busy : :quiet)
      end

      # Each measured method runs in one thread only, and the profile must show it in one.
      def one_thread_each(flag = nil) = flag.nil? ? (@one_thread_each || false) : @one_thread_each = flag

      # Variables of the environment with which its process starts.
      def environment(variables = nil) = variables ? @environment = variables : (@environment || {})

      # The names of the measured methods; `measures` adds those that charge themselves by hand.
      def measured = @measured ||= []
      def measures(*names) = measured.concat(names)

      # A measured method that works in Ruby for about `ns` of CPU time. body: see RubyWork.source.
      def ruby_work(name, ns:, body: :loop)
        measures(name)
        works[name] = ns
        class_eval(RubyWork.source(name, body), "ruby_work of #{name}")
      end

      # {method => ns} of the methods that `ruby_work` wrote.
      def works = @works ||= {}

      # The label that tells the case's requests apart; nil: methods are compared.
      def label_key = nil

      # Whether the truth of the case is known there.
      def fits?(mode:, circumstance:, sampler:) = true

      # Whether its error has a part in the mean.
      def in_mean? = true

      # All cases, by the name of their file.
      def all
        Dir[File.expand_path("../cases/*.rb", __dir__)].sort.to_h { |file| [File.basename(file, ".rb"), load_case(file)] }
      end

      private

      def load_case(file)
        require file
        name = File.basename(file, ".rb").split("_").map(&:capitalize).join
        Cases.const_get(name)
      end
    end

    # {method => ns}: what each method measured of itself since the last reset.
    attr_reader :costs
    # ns on the clock of the mode, summed over all threads of the case.
    attr_reader :lives
    # The Circumstance in which the case runs; nil: a quiet machine.
    attr_accessor :circumstance
    # Seconds on the clock of the mode that the last run took.
    attr_reader :spent

    def initialize
      @rounds = Hash.new(1)
      reset
    end

    def reset
      @costs = self.class.measured.to_h { |name| [name, 0] }
      @lives = 0
      @lives_lock = Mutex.new
    end

    # Finds out how many rounds make the wanted cost; after it the case is ready to run.
    def prepare
      self.class.works.each do |name, ns|
        @rounds[name] = RubyWork.calibrate(ns) do |rounds|
          @rounds[name] = rounds
          public_send(name)
        end
      end
    end

    # Runs the case for about `seconds` on the clock of the mode.
    def run(seconds)
      @length = Length.new(seconds)
      live { turns }
      @spent = @length.spent
    end

    # The same under a sampler of Samplers; returns what that found.
    def profile(sampler, seconds) = sampler.record { run(seconds) }

    # The samples of a profile without error, from what the case knows: for testing the bench
    # itself.
    def perfect_samples
      rest = lives - costs.values.sum
      costs.each_with_index.map { |(name, ns), index| perfect_sample(name, ns, thread_seq: index + 1) } << perfect_sample("main", rest)
    end

    # The label sets to which these samples refer.
    def perfect_label_sets = [{}]

    # What is compared. Cases that cannot clock each call derive it from the profile's total.
    def truth(_attribution) = truth_alone

    # The same where nothing is known of the profile yet.
    def truth_alone = costs

    # What it is compared with.
    def reported(attribution) = attribution.by_method

    # Further checks on the profile. Every case: the profile holds the lives of the threads, once.
    def checks(attribution)
      [Check.new(name: "all time", truth: lives, reported: attribution.total, tolerance: 0.03)]
    end

    private

    def turns = repeat { turn }

    # Calls the block until the case is over, but once in any case.
    def repeat
      loop do
        yield
        break if over?
      end
    end

    def over? = @length.over?

    # Adds what the block takes, in its thread, to the lives; `since`: what counts as its beginning.
    def live(since: nil)
      start = since || Workloads.clock_ns
      yield
    ensure
      life = Workloads.clock_ns - start
      @lives_lock.synchronize { @lives += life }
    end

    # A thread that calls the block until the case is over. In wall mode a thread that waits for its
    # first turn lives already.
    def working_thread(&turn)
      born = Workloads.monotonic_ns if Workloads.clock == :wall
      Thread.new { live(since: born) { repeat(&turn) } }
    end

    def perfect_sample(name, ns, thread_seq: 1, leaf: [], label_set: 0)
      [[*leaf, ["perfect.rb", "block in Perfect##{name}"], ["perfect.rb", "<main>"]], ns, thread_seq, label_set]
    end

    # Calls the block, and charges what it costs to the method `name`.
    def clocked(name)
      start = Workloads.clock_ns
      result = yield
      charge(name, Workloads.clock_ns - start)
      result
    end

    def charge(name, ns)
      @costs[name] += ns
    end

    def one_less(number) = number - 1
  end

  module Cases
  end
end
