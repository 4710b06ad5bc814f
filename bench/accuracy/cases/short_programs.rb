# frozen_string_literal: true

require "rbconfig"
require "tmpdir"

module Accuracy
  module Cases
    # Programs of 10 ms, each by itself under `rperf record`. The ticks in the method that does
    # nearly all of a program's work are compared, as time: each stands for a period. In both modes
    # as many are expected as there are periods in the CPU time of the method: a wait for a
    # processor may be one long sample, and further samples are no error. A hundred programs where
    # the bench runs its usual 8 s or more, fewer where it runs less.
    class ShortPrograms < Case
      title "programs of 10 ms under rperf record"
      # At least seven of ten ticks must be found.
      error_bar 0.30, busy: 0.30
      measures :work_ten_ms

      PROGRAM = File.expand_path("../short_program.rb", __dir__)
      RPERF = File.expand_path("../../../exe/rperf", __dir__)
      MOST = 100
      MOST_AFTER_S = 8.0
      # Maximum number of programs without the method, on a quiet machine and on a busy one.
      MISSING_QUIET = 0
      MISSING_BUSY = 1

      class << self
        def fits?(sampler:, **) = !%w[rbspy beside].include?(sampler)

        # The case counts ticks, not time.
        def in_mean? = false
      end

      def reset
        super
        @programs = []
      end

      def run(seconds)
        each_program(seconds) { |file| start(file) }
      end

      def profile(sampler, seconds)
        return super unless sampler.options

        profiles = each_program(seconds) { |file| record(file, sampler.options) }
        found_in(profiles, period_ns: 1_000_000_000 / sampler.hz)
      end

      def perfect_samples
        @programs.each_with_index.map { |ns, number| perfect_sample(:work_ten_ms, ns, thread_seq: number) }
      end

      def reported(attribution)
        attribution.by_method.to_h { |name, ns| [name, [ns, costs.fetch(name)].min] }
      end

      def checks(attribution)
        allowed = circumstance&.busy? ? MISSING_BUSY : MISSING_QUIET
        found = attribution.threads_of.fetch(:work_ten_ms, {}).size
        [Check.new(name: "programs with their method", truth: @programs.size, reported: found,
                   tolerance: allowed / @programs.size.to_f, unit: "programs")]
      end

      private

      # Yields a file for each program. The block runs the program, which writes its cost to the
      # file. Returns the results of the block.
      def each_program(seconds)
        @spent = seconds
        Dir.mktmpdir("rperf-accuracy-programs") do |directory|
          Array.new((MOST * [seconds / MOST_AFTER_S, 1].min).ceil) do |number|
            file = File.join(directory, number.to_s)
            yield(file).tap { settle(file) }
          end
        end
      end

      def settle(file)
        @programs << Integer(File.read(file))
        charge(:work_ten_ms, @programs.last)
      end

      # Returns the command of a program, with the VM of this process.
      def program(file)
        [RbConfig.ruby, RubyVM::YJIT.enabled? ? "--yjit" : "--disable-yjit", PROGRAM, file]
      end

      def start(file) = system(*program(file), exception: true)

      def record(file, options)
        profile = "#{file}.json"
        system(RbConfig.ruby, RPERF, "record", "--no-aggregate", *options, "--output", profile, "--", *program(file),
               err: File::NULL, exception: true)
        ::Rperf.load(profile)
      end

      # Each program is a thread of its own in the samples.
      def found_in(profiles, period_ns:)
        samples = profiles.each_with_index.flat_map do |data, number|
          data.fetch(:samples).map { |frames,| [frames, period_ns, number] }
        end
        { samples:, label_sets: [{}], sampler: Samplers::Rperf.engine(profiles.first), dropped: dropped_in(profiles) }
      end

      # Lost time of all profiles: {cause => ns}
      def dropped_in(profiles)
        profiles.flat_map { |data| data.fetch(:dropped).to_a }.each_with_object(Hash.new(0)) do |(cause, lost), sums|
          sums[cause] += lost.fetch(:weight_ns)
        end
      end
    end
  end
end
