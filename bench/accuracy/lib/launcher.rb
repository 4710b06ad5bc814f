# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "case"
require_relative "collapsed"
require_relative "outcome"

module Accuracy
  # Runs a case in a process of its own and returns its Outcome.
  class Launcher
    CHILD = File.expand_path("../child.rb", __dir__)
    VMS = { "interpreter" => ["--disable-yjit"], "yjit" => ["--yjit"] }.freeze
    # Seconds beyond the maximum time of a case after which it counts as hung.
    PATIENCE_S = 120

    # A case runs for `seconds` on the clock of the mode, up to `most_seconds` where it needs more
    # ticks for its bar. circumstance: a Circumstance, in which `prefix` puts a command.
    def initialize(seconds:, most_seconds:, hz:, circumstance:, prefix:)
      @seconds = seconds
      @most_seconds = most_seconds
      @hz = hz
      @circumstance = circumstance
      @prefix = prefix
    end

    def run(name:, mode:, machine:, sampler:)
      Dir.mktmpdir("rperf-accuracy") do |directory|
        result_file = File.join(directory, "result.json")
        profile = File.join(directory, "rbspy.collapsed")
        watcher = sampler == "rbspy" ? rbspy(profile, mode) : []
        child = [RbConfig.ruby, *VMS.fetch(machine), CHILD, options(name, mode, sampler), result_file]
        output, status = capture(Case.all.fetch(name).environment, [*@prefix, *watcher, *child])
        outcome(name, mode, machine, sampler, output:, status:, result_file:, profile:)
      end
    end

    def self.rbspy? = ENV["PATH"].to_s.split(":").any? { |directory| File.executable?(File.join(directory, "rbspy")) }

    private

    def options(name, mode, sampler)
      inside = sampler == "rbspy" ? "external" : sampler
      JSON.generate(name:, mode:, seconds: @seconds, most_seconds: @most_seconds, hz: @hz,
                    circumstance: @circumstance.name, sampler: inside)
    end

    # Returns the output and the status of the process. A process that hangs is ended, so that the
    # next case has its turn. The process is also ended when the bench itself is ended meanwhile.
    def capture(environment, child)
      Open3.popen2e(environment, *child, pgroup: true) do |input, output, process|
        input.close
        text = Thread.new { output.read }
        text.report_on_exception = false
        hung = process.join((@most_seconds * Length::WALL_FACTOR) + PATIENCE_S).nil?
        [hung ? "it hung\n" : text.value, hung ? end_all(process) : process.value]
      ensure
        end_all(process)
      end
    end

    # Ends the process and all that it started: if they outlive it, they are in its group.
    def end_all(process)
      Process.kill("KILL", -process.pid)
      process.value
    rescue Errno::ESRCH
      process.value
    end

    # rbspy pauses the process for each sample unless an option says otherwise. This default is
    # kept.
    def rbspy(profile, mode)
      on_cpu = mode == "cpu" ? ["--on-cpu"] : []
      ["rbspy", "record", "--silent", "--rate", @hz.to_s, "--format", "collapsed", *on_cpu, "--file", profile, "--"]
    end

    def outcome(name, mode, machine, sampler, output:, status:, result_file:, profile:)
      about = { name:, mode:, machine:, sampler:, circumstance: @circumstance }
      return Outcome.failed(**about, message: complaint(output, status)) unless File.exist?(result_file)

      result = JSON.parse(File.read(result_file), symbolize_names: true)
      result.merge!(reported_by_rbspy(name, profile)) if sampler == "rbspy"
      Outcome.new(**about, result:)
    end

    def reported_by_rbspy(name, profile)
      return { reported: {} } unless File.exist?(profile)

      samples = Collapsed.parse(File.read(profile), ns_per_count: 1_000_000_000 / @hz)
      { reported: Attribution.new(samples:, measured: Case.all.fetch(name).measured).by_method }
    end

    # The first line of the output has the error, both when Ruby fails and when it crashes.
    def complaint(output, status)
      "#{status}: #{output.lines.first.to_s.strip[0, 300]}"
    end
  end
end
