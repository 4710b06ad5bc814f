# frozen_string_literal: true

require_relative "check"
require_relative "comparison"
require_relative "ruby_work"

module Accuracy
  # A program of which every measured method knows its own cost, in ns on the clock of the mode. A case is a
  # subclass: `measures` and `ruby_work` name its methods, `turn` calls each of them once or more.
  class Case
    class << self
      def title(text = nil) = text ? @title = text : @title

      # The largest error allowed, a fraction of the true time.
      def error_bar(fraction = nil) = fraction ? @error_bar = fraction : (@error_bar || 0.03)

      # Each measured method runs in one thread only, and the profile must show it in one.
      def one_thread_each(flag = nil) = flag.nil? ? (@one_thread_each || false) : @one_thread_each = flag

      # The names of the measured methods; `measures` adds those that charge themselves by hand.
      def measured = @measured ||= []
      def measures(*names) = measured.concat(names)

      # A measured method that works in Ruby for about `ns` of CPU time. Styles: see RubyWork::BODIES.
      def ruby_work(name, ns:, style: :loop)
        measures(name)
        works[name] = ns
        class_eval(RubyWork.source(name, style), "ruby_work of #{name}")
      end

      # {method => ns} of the methods that `ruby_work` wrote.
      def works = @works ||= {}

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

    # Runs the case for about `seconds` of wall time.
    def run(seconds)
      live { turns_until(Workloads.monotonic_ns + (seconds * 1e9).to_i) }
    end

    # The samples of a profile without error, from what the case knows: for testing the bench itself.
    def perfect_samples
      rest = lives - costs.values.sum
      costs.each_with_index.map { |(name, ns), index| perfect_sample(name, ns, thread_seq: index + 1) } << perfect_sample("main", rest)
    end

    # What the costs are compared with. Cases that cannot clock each call derive it from the profile's total.
    def truth(_attribution) = costs

    # The same where nothing is known of the profile yet.
    def truth_alone = costs

    # Further checks on the profile. Every case: the profile holds the lives of the threads, once.
    def checks(attribution)
      [Check.new(name: "all time", truth: lives, reported: attribution.total, tolerance: 0.03)]
    end

    private

    def turns_until(end_ns)
      turn while Workloads.monotonic_ns < end_ns
    end

    # Adds what the block takes, in its thread, to the lives; `since`: what counts as its beginning.
    def live(since: nil)
      start = since || Workloads.clock_ns
      yield
    ensure
      life = Workloads.clock_ns - start
      @lives_lock.synchronize { @lives += life }
    end

    def perfect_sample(name, ns, thread_seq: 1, leaf: [])
      [[*leaf, ["perfect.rb", "block in Perfect##{name}"], ["perfect.rb", "<main>"]], ns, thread_seq]
    end

    def charge(name, ns)
      @costs[name] += ns
    end

    def one_less(number) = number - 1
  end

  module Cases
  end
end
