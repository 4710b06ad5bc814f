# frozen_string_literal: true

require_relative "../compilers"
require_relative "finding"

module Rperf
  module Doctor
    # The Ruby that runs, and the libraries and compilers in it.
    class Interpreter
      # Constants of other profilers, which sample, or hook into the VM, too.
      OTHERS = %w[StackProf Vernier Pf2 RubyProf MemoryProfiler Datadog::Profiling].freeze
      # Settings of programs: not those of the command alone, nor of rperf's checkout (bin/setup).
      SETTING = /\ARPERF_(?!TEST_|(?:RUBY|CACHE|EDITOR|REPOSITORY|PAGER)\z)/

      # Consequences of a compiler that is on.
      ON = {
        "YJIT" => "on: compiled methods are charged as interpreted ones are",
        "ZJIT" => "on: stacks are taken at safepoints, since its frames are laid out in another way"
      }.freeze

      # others: names of constants
      # env: the environment
      def initialize(others: OTHERS, env: ENV)
        @others, @env = others, env
      end

      # Returns the findings.
      def findings = [ruby, *compilers, others, settings].compact

      private

      def ruby = Finding.ok("ruby", RUBY_DESCRIPTION)

      # Findings about compilers: always about YJIT, about ZJIT where this Ruby has it.
      def compilers
        ["YJIT", *(Compilers.known - ["YJIT"])].map do |name|
          Finding.ok(name.downcase, Compilers.on?(name) ? ON.fetch(name) : "off")
        end
      end

      def others
        loaded = @others.select { |name| Object.const_defined?(name) }
        return if loaded.empty?
        Finding.note("profilers", "loaded, too: #{loaded.join(", ")}", "Run one profiler at a time: each sees what the other costs.")
      end

      # Finding about the names of rperf's settings. Values are not shown: they may be secrets.
      def settings
        names = @env.keys.grep(SETTING).sort
        return if names.empty?
        Finding.note("settings", "in the environment: #{names.join(", ")}", "They hold for each Ruby program that is started from here.")
      end
    end
  end
end
