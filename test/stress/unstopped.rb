# frozen_string_literal: true

# Programs that end while a session runs, which nothing stops: each shape of ending in both modes,
# seldom and often ticked, in the interpreter, under YJIT and with M:N threads. Ends with status 1
# when one of them crashes or hangs.
#   ruby test/stress/unstopped.rb --runs 200

require "rbconfig"
require "tempfile"
require "timeout"
require_relative "support/options"

module Stress
  # The runs.
  class Unstopped
    PROGRAM = File.expand_path("unstopped/program.rb", __dir__)
    LIBRARY = File.expand_path("../../lib", __dir__)
    # Shape to exit status: an error that nothing rescues ends a program with 1.
    SHAPES = { ensured_threads: 0, unrescued_error: 1, ractors: 0, finalizers: 0, silenced_events: 0,
               manual_collections: 0, forked: 0, executed: 0 }.freeze
    MACHINES = { interpreter: [{}, %w[--disable-yjit]], yjit: [{}, %w[--yjit]], mn: [{ "RUBY_MN_THREADS" => "1" }, []] }.freeze
    FREQUENCIES = [100, 10_000].freeze
    # Seconds after which a program is taken to hang; one takes less than two.
    LIMIT = 120

    def initialize(runs:, shapes:, machines:)
      @runs = runs
      @shapes = shapes || SHAPES.keys.map(&:to_s)
      @machines = machines || MACHINES.keys.map(&:to_s)
    end

    def run
      kinds = @shapes.product(@machines, %w[cpu wall], FREQUENCIES)
      failures = kinds.sum { |kind| failures_of(*kind) }
      puts "unstopped: #{kinds.size} kinds of programs, #{@runs} runs each, #{failures} failed"
      exit(failures.zero?)
    end

    private

    def failures_of(shape, machine, mode, frequency)
      failed = Array.new(@runs) { outcome(shape, machine, mode, frequency) }.compact
      failed.first(1).each { |text| puts "#{shape}, #{machine}, #{mode}, #{frequency} Hz: #{failed.size} of #{@runs} failed\n#{text}" }
      failed.size
    end

    # nil when the program ended as it should.
    def outcome(shape, machine, mode, frequency)
      env, flags = MACHINES.fetch(machine.to_sym)
      Tempfile.create("rperf-unstopped") do |output|
        words = [RbConfig.ruby, "--disable-gems", *flags, "-I#{LIBRARY}", PROGRAM, shape, mode, frequency.to_s]
        status = wait(Process.spawn(env, *words, %i[out err] => output))
        next if status&.exitstatus == SHAPES.fetch(shape.to_sym)
        output.rewind
        "#{status || "it hung"}: #{output.read(2_000)}"
      end
    end

    def wait(pid)
      Timeout.timeout(LIMIT) { Process.wait2(pid).last }
    rescue Timeout::Error
      Process.kill("KILL", pid)
      Process.wait(pid)
      nil
    end
  end
end

options = Stress::Options.parse(ARGV, banner: "Usage: ruby test/stress/unstopped.rb [options]",
                                      runs: 3, shapes: nil, machines: nil) do |parser, set|
  parser.on("--runs N", Integer, "of each kind (default: 3)") { |runs| set[:runs] = runs }
  parser.on("--shapes LIST", Array, "of #{Stress::Unstopped::SHAPES.keys.join(",")} (default: all)") { |list| set[:shapes] = list }
  parser.on("--machines LIST", Array, "of #{Stress::Unstopped::MACHINES.keys.join(",")} (default: all)") { |list| set[:machines] = list }
end
Stress::Unstopped.new(**options).run
