# frozen_string_literal: true

require_relative "run_directory"

module Rperf
  # Remarks about the processes of a RunDirectory that left no profile in it.
  class MissingProfiles
    # Maximum number of processes that a remark lists by number.
    NAMED = 3

    # marks:   the marks of the directory
    # written: the numbers of the processes whose profiles were read
    # running: the advice for a process that still runs
    def initialize(marks, written:, running:)
      @missing = marks.reject { |pid, text| text.start_with?("written ") && written.include?(pid) }
      @running = running
    end

    # Returns sentences for people, one for each reason.
    def remarks
      @missing.group_by { |pid, text| reason(pid, text) }.map { |reason, marks| "#{processes(marks.map(&:first))} #{reason}" }
    end

    private

    # "process 12", "5 processes (12, 13, 14, ...)"
    def processes(pids)
      return "process #{pids.first}" if pids.length == 1
      more = ", ..." if pids.length > NAMED
      "#{pids.length} processes (#{pids.sort.first(NAMED).join(", ")}#{more})"
    end

    def reason(pid, text)
      case text
      when /\Afailed: (.*)/m then "could not be profiled: #{RunDirectory.explain($1)}"
      when "stopped" then "left no profile: Rperf.stop was called by the program itself"
      else unfinished(pid)
      end
    end

    def unfinished(pid)
      return "left no profile: still running; #{@running}" unless RunDirectory.gone?(pid)
      "left no profile: ended by SIGKILL, a crash or _exit, or could not write it"
    end
  end
end
