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

    def initialize(seconds:, hz:)
      @seconds = seconds
      @hz = hz
    end

    def run(name:, mode:, machine:, sampler:)
      Dir.mktmpdir("rperf-accuracy") do |directory|
        result_file = File.join(directory, "result.json")
        inside = sampler == "rbspy" ? "external" : sampler
        child = [RbConfig.ruby, *VMS.fetch(machine), CHILD, name, mode, @seconds.to_s, @hz.to_s, inside, result_file]
        profile = File.join(directory, "rbspy.collapsed")
        child = rbspy(profile, mode) + child if sampler == "rbspy"
        output, status = capture(child)
        outcome(name, mode, machine, sampler, output:, status:, result_file:, profile:)
      end
    end

    def self.rbspy? = ENV["PATH"].to_s.split(":").any? { |directory| File.executable?(File.join(directory, "rbspy")) }

    private

    # A process that hangs is a result too: it is ended, and the next case has its turn.
    def capture(child)
      Open3.popen2e(*child, pgroup: true) do |input, output, process|
        input.close
        text = Thread.new { output.read }
        text.report_on_exception = false
        hung = process.join(@seconds * 5 + 30).nil?
        Process.kill("KILL", -process.pid) if hung
        [hung ? "it hung\n" : text.value, process.value]
      end
    end

    # rbspy pauses the process for each sample unless told otherwise; that is its default, so it is kept.
    def rbspy(profile, mode)
      on_cpu = mode == "cpu" ? ["--on-cpu"] : []
      ["rbspy", "record", "--silent", "--rate", @hz.to_s, "--format", "collapsed", *on_cpu, "--file", profile, "--"]
    end

    def outcome(name, mode, machine, sampler, output:, status:, result_file:, profile:)
      about = { name:, mode:, machine:, sampler: }
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

    # The line that says what went wrong comes first when Ruby fails, and when it crashes.
    def complaint(output, status)
      "#{status}: #{output.lines.first.to_s.strip[0, 300]}"
    end
  end
end
