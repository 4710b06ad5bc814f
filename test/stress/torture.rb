# frozen_string_literal: true

# Ticks at 10 kHz over everything that ever broke a profiler of Ruby; see hazards/. Rounds of
# sessions of time and of objects, each over all hazards in a random order; between them sessions
# that start and stop in a loop; half-way YJIT is switched on. Ends with status 1 and a sentence for
# each thing that is wrong with a profile, and by a crash when there is one.
#   ruby test/stress/torture.rb --seconds 1800

require "timeout"
require_relative "support/limits"
require_relative "support/options"
require_relative "support/verdict"
require_relative "../../bench/support/rperf"
require_relative "../../bench/workloads/workloads"
Dir[File.join(__dir__, "hazards", "*.rb")].sort.each { |file| require file }

module Stress
  # The program.
  class Torture
    SLICE_NS = 60_000_000
    RESTARTS = 40

    def initialize(seconds:, frequency:, seed:, only:)
      @start_ns = Workloads.monotonic_ns
      @length_ns = (seconds * 1e9).to_i
      @frequency = frequency
      @random = Random.new(seed)
      @seed = seed
      @hazards = hazards(only)
      @faults = []
      @totals = Hash.new(0)
    end

    def run
      @round = 0
      until over? || @faults.any?
        enable_yjit if half_way?
        session(mode: %i[cpu wall][@round % 2], aggregate: @round % 3 != 2, native: @round % 4 < 2)
        restarts(mode: %i[wall cpu][@round % 2])
        objects(mode: %i[heap alloc][@round % 2], watch: [nil, :event][@round / 2 % 2])
        both(mode: %i[cpu wall][@round / 2 % 2], beside: %i[alloc heap][@round % 2])
        @round += 1
      end
      report
    end

    private

    def hazards(only)
      names = Hazards.constants.select { |name| only.nil? || only.include?(name.to_s) }
      abort "no hazard is called #{only}: there are #{Hazards.constants.join(", ")}" if names.empty?
      names.sort.map { |name| Hazards.const_get(name).new }
    end

    def elapsed = Workloads.monotonic_ns - @start_ns
    def over? = elapsed >= @length_ns
    def half_way? = elapsed >= @length_ns / 2

    def enable_yjit
      RubyVM::YJIT.enable if defined?(RubyVM::YJIT) && !RubyVM::YJIT.enabled?
    end

    def session(mode:, aggregate:, native:)
      limits = Limits.new(mode)
      data = limits.watch { Rperf.start(mode:, frequency: @frequency, aggregate:, native:) { all_hazards } }
      count(data)
      @faults.concat(Verdict.new(data, limits:).faults)
    end

    # Objects are sampled, in heap mode with few records, so that they are halved again and again.
    def objects(mode:, watch:)
      settings = mode == :heap ? {objects: 1000, min_age: @random.rand(3)} : {}
      settings[:malloc_interval] = [1, 1000, nil].sample(random: @random) unless watch
      settings[:native_memory] = @random.rand(2).zero? unless watch
      data = Rperf.start(mode:, watch:, interval: [1, 7, 500].sample(random: @random), **settings) { all_hazards }
      count(data)
      @faults.concat(Verdict.new(data, limits: nil).faults_of_objects)
      # Whatever moves and collects, the direct watch sees all.
      missed = data[:dropped]["not seen"]
      @faults << "the direct watch has missed objects: #{missed}" if data[:engine] == :direct && missed
    end

    # Time and objects in one session.
    def both(mode:, beside:)
      limits = Limits.new(mode)
      objects = nil
      times = limits.watch do
        times, objects = Rperf.start(mode: [mode, beside], frequency: @frequency, interval: 7) { all_hazards }
        times
      end
      [times, objects].each { |data| count(data) }
      @faults.concat(Verdict.new(times, limits:).faults, Verdict.new(objects, limits: nil).faults_of_objects)
    end

    def all_hazards
      @hazards.shuffle(random: @random).each do |hazard|
        hazard.run(Workloads.monotonic_ns + SLICE_NS)
        # Half-way means in the middle of a session, too.
        enable_yjit if half_way?
        break if over?
      end
    end

    # Sessions so short that ticks of the one arrive in the next, with threads that outlive them.
    # They pass, or each start and stop would wait for the end of their time slices of 100 ms.
    def restarts(mode:)
      busy = true
      beside = Array.new(2) { Thread.new { Workloads.spin(20_000) && Thread.pass while busy } }
      RESTARTS.times do |i|
        Rperf.start(mode:, frequency: @frequency, native: i % 3 == 0)
        Workloads.spin(@random.rand(200_000))
        Rperf.snapshot(clear: true) if i.even?
        data = Rperf.stop
        @faults.concat(restart_faults(data))
      end
    ensure
      busy = false
      beside&.each(&:join)
    end

    def restart_faults(data)
      return ["Rperf.stop returned #{data.inspect} in a loop of starts and stops"] unless data.is_a?(Hash)

      data[:samples].any? { |_, weight| weight.negative? } ? ["a negative weight after a restart"] : []
    end

    def count(data)
      @totals[:samples] += data[:sampling_count]
      @totals[:stacks] += data[:samples].size
      data[:dropped].each { |cause, lost| @totals["dropped, #{cause}"] += lost[:samples] }
      @engines = (@engines || []) | [data[:engine]]
    end

    def report
      puts "torture: #{@round} rounds, seed #{@seed}, engine #{@engines.join(" and ")}, " \
           "#{@totals.map { |name, number| "#{name} #{number}" }.join(", ")}"
      @faults.uniq.first(20).each { |fault| puts "fault: #{fault}" }
      abort "the profiler took no sample: nothing was tested" unless @totals[:samples].positive?
      exit(@faults.empty? ? 0 : 1)
    end
  end
end

Warning[:experimental] = false
options = Stress::Options.parse(ARGV, banner: "Usage: ruby test/stress/torture.rb [options]", seconds: 30.0, frequency: 10_000,
                                      seed: Random.new_seed % 100_000, only: nil) do |parser, set|
  parser.on("--seed N", Integer, "for the order of things (default: random, and printed)") { |seed| set[:seed] = seed }
  parser.on("--only LIST", Array, "some hazards only, by the names of their classes") { |only| set[:only] = only }
end
Stress::Torture.new(**options).run
