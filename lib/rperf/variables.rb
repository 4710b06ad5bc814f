# frozen_string_literal: true

require_relative "errors"
require_relative "options"
require_relative "suggestion"

module Rperf
  # Variables of the environment whose names begin with RPERF_. A misspelt one has no effect, so
  # rperf says that there is no such variable.
  module Variables
    PREFIX = "RPERF_"
    # Those that users set, beside those of sessions.
    OTHERS = %w[
      CONTROL LISTEN TOKEN_FILE RECORDER PUSH_URL PUSH_HEADERS PUSH_TOKEN_FILE PUSH_PERIOD SERVICE LABELS SHARE DUTY
      MAX_OVERHEAD SPOOL EDITOR REPOSITORY PAGER TRACE
    ].map { |name| "#{PREFIX}#{name}" }.freeze
    # Those that rperf sets itself, and those of its proofs.
    OWN = %w[
      SESSION_DIR FIRST_PID WRITTEN GC_STAT RUBY_ABI EXTENSION LAYOUT_PROOF ALLOCATION_PROOF MALLOC_PROOF
    ].map { |name| "#{PREFIX}#{name}" }.freeze
    # Those of rperf's development, which shells of its developers have.
    DEVELOPMENT = /\ARPERF_(?:CACHE|CHROMIUM|RUBY|TEST|ZIG)/

    class << self
      # Names the variables that there are not, each in one sentence on stderr: once in a process
      # and its children. (The first process that is profiled, or `rperf record`, has named them.)
      def complain_of_unknown(env = ENV)
        return if @has_complained || env["RPERF_SESSION_DIR"] || env["RPERF_FIRST_PID"]
        @has_complained = true
        unknown(env).each { |sentence| Error.complain(sentence) }
      end

      # Returns a sentence for each variable that looks like one of rperf's and is none. A session
      # that begins by the environment has no other settings: then each unknown variable gets one.
      def unknown(env)
        profiled = Options::Value::Truth.parse(env["RPERF_ENABLED"].to_s) == true
        names = env.keys.select { |name| name.start_with?(PREFIX) && !DEVELOPMENT.match?(name.b) }
        (names - known - OWN).filter_map { |name| sentence(name, profiled) }
      end

      private

      def known = [*OTHERS, *Options::TABLE.values.map(&:env)]

      def sentence(name, profiled)
        meant = meant(name)
        return "there is no variable #{name}; did you mean '#{meant}'?" if meant
        return "there is no variable #{name}; the agent has #{known.grep(/_PUSH_/).join(", ")}" if name.start_with?("#{PREFIX}PUSH_")
        "there is no variable #{name} ('rperf help' lists them)" if profiled
      end

      # Returns the variable that is meant by a name with a few other letters, or with further words
      # behind it; nil if there is none.
      def meant(name)
        near = Suggestion.nearest(name.delete_prefix(PREFIX), known.map { |one| one.delete_prefix(PREFIX) })
        near ? "#{PREFIX}#{near}" : known.select { |one| name.start_with?("#{one}_") }.max_by(&:length)
      end
    end
  end
end
