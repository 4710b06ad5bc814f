# frozen_string_literal: true

require_relative "check"
require_relative "comparison"
require_relative "length"
require_relative "ruby_work"

module Accuracy
  # A program whose measured methods know their own cost, in ns on the clock of the mode. A case is
  # a subclass: `measures` and `ruby_work` name its methods, `turn` calls each of them once or more.
  class Case
    QUIET_BAR = 0.03
    BUSY_BAR = 0.05

    class << self
      def title(text = nil) = text ? @title = text : @title

      # Maximum errors, as fractions of the true time: on a quiet machine, and in all other
      # circumstances.
      def error_bar(quiet, busy: BUSY_BAR) = @bars = { quiet:, busy: }

      def bar_in(circumstance)
        return circumstance.busy? ? BUSY_BAR : QUIET_BAR unless @bars

        @bars.fetch(circumstance.busy? ? :busy : :quiet)
      end

      # Whether each measured method runs in one thread only; the profile must then show it in one.
      def one_thread_each(flag = nil) = flag.nil? ? (@one_thread_each || false) : @one_thread_each = flag

      # Environment variables with which the case's process starts.
      def environment(variables = nil) = variables ? @environment = variables : (@environment || {})

      # Names of the measured methods. `measures` adds methods that charge themselves by hand.
      def measured = @measured ||= []
      def measures(*names) = measured.concat(names)

      # Defines a method that works in Ruby for about `ns` of CPU time. body: see RubyWork.source.
      def ruby_work(name, ns:, body: :loop)
        measures(name)
        works[name] = ns
        class_eval(RubyWork.source(name, body), "ruby_work of #{name}")
      end

      # {method => ns} of the methods that `ruby_work` wrote.
      def works = @works ||= {}

      # Key of the labels of the case's requests; nil: methods are compared.
      def label_key = nil

      # Whether the true costs of the case are known under these conditions.
      def fits?(mode:, circumstance:, sampler:) = true

      # Whether the error of the case counts in the mean.
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

    # {method => ns}: costs that each method measured of itself since the last reset.
    attr_reader :costs
    # Lifetime of all threads of the case, in ns on the clock of the mode.
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

    # Finds the number of rounds for the wanted cost of each method. Then the case is ready to run.
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

    # The same under a sampler of Samplers; returns the sampler's result.
    def profile(sampler, seconds) = sampler.record { run(seconds) }

    # Returns the samples of a profile without error, from the costs that the case knows: for tests
    # of the bench itself.
    def perfect_samples
      rest = lives - costs.values.sum
      costs.each_with_index.map { |(name, ns), index| perfect_sample(name, ns, thread_seq: index + 1) } << perfect_sample("main", rest)
    end

    # Label sets to which these samples refer.
    def perfect_label_sets = [{}]

    # The true costs. Cases that cannot clock each call derive them from the profile's total.
    def truth(_attribution) = truth_alone

    # The true costs where no profile is known yet.
    def truth_alone = costs

    # The reported costs, which are compared with the truth.
    def reported(attribution) = attribution.by_method

    # Further checks on the profile. In every case it must hold the lives of the threads, once.
    def checks(attribution)
      [Check.new(name: "all time", truth: all_time(attribution), reported: attribution.total, tolerance: 0.03)]
    end

    # The lives of the threads. A case that knows bounds only returns the nearest to the profile.
    def all_time(_attribution) = lives

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

    # Adds the time of the block, in its thread, to the lives. `since`: the time of its beginning.
    def live(since: nil)
      start = since || Workloads.clock_ns
      yield
    ensure
      life = Workloads.clock_ns - start
      @lives_lock.synchronize { @lives += life }
    end

    # Starts a thread that calls the block until the case is over. In wall mode the life of a thread
    # includes the wait for its first turn.
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
