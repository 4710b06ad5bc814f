# frozen_string_literal: true

require_relative "../compilers"
require_relative "finding"

module Rperf
  module Doctor
    # The Ruby that runs, and what has been loaded into it.
    class Interpreter
      # Constants of what samples, or hooks into the VM, too.
      OTHERS = %w[StackProf Vernier Pf2 RubyProf MemoryProfiler Datadog::Profiling].freeze
      # Settings of rperf, but for those of its own checkout (bin/setup).
      SETTING = /\ARPERF_(?!TEST_|RUBY\z|CACHE\z)/

      # What it means that a compiler is on.
      ON = {
        "YJIT" => "on: compiled methods are charged as interpreted ones are",
        "ZJIT" => "on: stacks are taken at safepoints, since its frames are laid out in another way"
      }.freeze

      # others: names of constants
      # env: the environment
      def initialize(others: OTHERS, env: ENV)
        @others, @env = others, env
      end

      # Findings about it.
      def findings = [ruby, *compilers, others, settings].compact

      private

      def ruby = Finding.ok("ruby", RUBY_DESCRIPTION)

      # ZJIT is told where this Ruby has it, YJIT always.
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

      # Their names only: values may be secrets.
      def settings
        names = @env.keys.grep(SETTING).sort
        return if names.empty?
        Finding.note("settings", "in the environment: #{names.join(", ")}", "They hold for each Ruby program that is started from here.")
      end
    end
  end
end
