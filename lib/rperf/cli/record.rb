# frozen_string_literal: true

require "shellwords"
require_relative "commands"
require_relative "run"
require_relative "../idle_time"
require_relative "../numbers"
require_relative "../profile_totals"

module Rperf
  class CLI
    # `rperf record`: writes the profile to a file, or as text to stdout.
    class Record < Run
      # Commands that show the formats that `rperf report` does not read.
      VIEWERS = {text: "cat", markdown: "cat", dot: "dot -Tsvg -O", callgrind: "callgrind_annotate"}.freeze
      DEFAULT_OUTPUT = COMMANDS.fetch("record").defaults.fetch(:output)

      def initialize(values, words)
        super
        # With --print, a profile is written to a file only where the user names the file. Its text
        # has the format text, whether or not that is said.
        return unless values[:print] && values[:output].equal?(DEFAULT_OUTPUT)
        @values = values.merge(output: nil, format: (values[:format] unless values[:format] == :text))
      end

      private

      def check
        super
        return unless @values[:print] && output&.stdout?
        raise Failure.usage("--print and -o #{output.path} both write to stdout: name a file, or leave out one of the two")
      end

      # `rperf record` shows nothing of GC.stat, whose names would stay in the program's heap.
      def environment(session) = super.merge("RPERF_GC_STAT" => nil)

      def deliver(collection, _times)
        profiles = collection.profiles
        print_statistics(profiles)
        guard { print(profiles) } if @values[:print] # The file is written also where stdout takes nothing.
        write_each(profiles) { |profile, file| note(closing_line(profile, file, collection.count)) }
      end

      # Prints the profiles as text. The program's last line may have no line break.
      def print(profiles)
        profiles.each { |profile| $stdout.write("\n", Formats.bytes(profile, :text, idle: idle?)) }
        $stdout.flush
      end

      # "wrote rperf.data: 1,234 samples, 1.23 s of CPU time; look at it with: rperf report"
      def closing_line(profile, file, processes)
        idle = IdleTime.new(profile, shown: idle?)
        totals = ProfileTotals.new(idle.rest)
        facts = [Numbers.counted(totals.tick_count, "sample"), totals.weight_text, *idle.fact]
        facts << Numbers.counted(processes, "process") if processes > 1
        facts << dropped(totals) unless totals.dropped_count.zero?
        "wrote #{file}: #{facts.join(", ")}#{"; #{advice(file)}" if !output.stream? && File.file?(file)}"
      end

      def dropped(totals)
        return "#{Numbers.counted(totals.dropped_count, "object")} dropped" if totals.allocated_objects
        "#{Numbers.counted(totals.dropped_count, "sample")} (#{totals.amount(totals.dropped_weight)}) dropped"
      end

      def advice(file)
        format = Formats.for(@values[:output], @values[:format], timeline: @values[:timeline])
        format == Formats::PAGE ? "open it in a browser" : "look at it with: #{viewer(file, format)}"
      end

      def viewer(file, format)
        other = VIEWERS[format]
        name = Shellwords.escape(file.start_with?("-") ? "./#{file}" : file) # Else it is an option.
        return "#{file.end_with?(".gz") ? "zcat" : other} #{name}" if other
        file.equal?(DEFAULT_OUTPUT) ? "rperf report" : "rperf report #{name}"
      end
    end
  end
end
