# frozen_string_literal: true

# No tick interrupts a blocking system call. Makes blocking calls of every kind, with the GVL and
# without it, in a profiled process that burns CPU before, between and beside them, and counts EINTR
# and wake-ups.
#   ruby test/stress/eintr.rb --seconds 60 --mode wall
#   ruby test/stress/eintr.rb --control       a timer that does interrupt: the program must notice
# Exit status 1 when a call was disturbed.

require_relative "support/disturbance"
require_relative "support/options"
require_relative "support/waits"

module Stress
  # The program.
  class Eintr
    # CPU burnt before each wait, so that ticks are on when it begins.
    WARM_NS = 3_000_000

    def initialize(seconds:, frequency:, mode:, control:)
      @end_ns = Workloads.monotonic_ns + (seconds * 1e9).to_i
      @frequency = frequency
      @mode = mode
      @control = control
      @disturbance = Disturbance.new
    end

    def run
      ticking { every_wait until Workloads.monotonic_ns >= @end_ns }
      faults = @disturbance.faults
      puts "#{@control ? "bare timer" : @mode}: #{@disturbance.waits.sum { |_, wait| wait.calls }} waits, #{@disturbance.interrupted} EINTR", *faults
      exit(faults.empty? ? 0 : 1)
    end

    private

    def ticking(&)
      @control ? with_bare_timer(&) : with_rperf(&)
    end

    def with_bare_timer
      Workloads.arm_bare_timer(:thread, @frequency)
      yield
    ensure
      Workloads.disarm_bare_timer
    end

    def with_rperf(&)
      require_relative "../../bench/support/rperf"
      data = Rperf.start(mode: @mode, frequency: @frequency, &)
      abort "the profiler took no sample: nothing was tested" unless data[:sampling_count].positive?
      puts "engine: #{data[:engine]}, #{data[:sampling_count]} samples"
    end

    # (All waits with the GVL are made, also where the machine is so busy that the time is over.)
    def every_wait
      Waits.with_gvl.each { |name, call| watch(name, call) }
      beside_a_burning_thread { Waits.without_gvl.each { |name, call| wait("#{name} beside a burning thread", call) } }
      Waits.without_gvl.each { |name, call| wait(name, call) }
    end

    def wait(name, call) = (watch(name, call) if Workloads.monotonic_ns < @end_ns)

    def watch(name, call)
      Workloads.burn_thread_cpu(WARM_NS)
      @disturbance.watch(name, &call)
    end

    def beside_a_burning_thread
      burning = true
      burner = Thread.new { Workloads.spin(10_000) while burning }
      yield
    ensure
      burning = false
      burner&.join
    end
  end
end

options = Stress::Options.parse(ARGV, banner: "Usage: ruby test/stress/eintr.rb [options]", seconds: 10.0, frequency: 1000,
                                      mode: :cpu, control: false) do |parser, set|
  parser.on("--mode MODE", %i[cpu wall], "cpu or wall (default: cpu)") { |mode| set[:mode] = mode }
  parser.on("--control", "instead of the profiler, a timer that interrupts") { set[:control] = true }
end
Stress::Eintr.new(**options).run
