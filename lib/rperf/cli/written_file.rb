# frozen_string_literal: true

require "shellwords"
require_relative "commands"
require_relative "../formats"
require_relative "../idle_time"
require_relative "../numbers"
require_relative "../output_file"
require_relative "../profile_totals"
require_relative "../utf8"

module Rperf
  class CLI
    # The sentence about a file that holds a profile: what it has, and which command shows it.
    class WrittenFile
      # Commands that show the formats that `rperf report` does not read.
      VIEWERS = {text: "cat", markdown: "cat", dot: "dot -Tsvg -O", callgrind: "callgrind_annotate"}.freeze
      # The file that `rperf report` takes without a name.
      DEFAULT = COMMANDS.fetch("record").defaults.fetch(:output)

      # values: the values of the command's options, with the output that was asked for
      def initialize(values)
        @values = values
      end

      # "wrote rperf.data: 1,234 samples, 1.23 s of CPU time; look at it with: rperf report"
      #
      # processes: number of processes whose profiles it has
      def line(profile, file, processes: 1)
        idle = IdleTime.new(profile, shown: @values.fetch(:idle, false))
        totals = ProfileTotals.new(idle.rest)
        facts = [samples(totals), totals.weight_text, *idle.fact]
        facts << Numbers.counted(processes, "process") if processes > 1
        facts << dropped(totals) unless totals.dropped_count.zero?
        "wrote #{file}: #{facts.join(", ")}#{"; #{advice(profile, file)}" if shows?(file)}"
      end

      private

      # Whether a command can show the file: it is one, and can be named as the terminal shows it.
      def shows?(file) = !OutputFile.new(@values[:output]).stream? && File.file?(file) && UTF8.printable(file) == file

      # Samples of a heap profile are of allocations, and not of what is in use.
      def samples(totals)
        return Numbers.counted(totals.tick_count, "sample") unless totals.figures[:mode] == :heap
        "#{Numbers.counted(totals.tick_count, "allocation")} sampled"
      end

      def dropped(totals)
        return "#{Numbers.counted(totals.dropped_count, "object")} dropped" if totals.allocated_objects
        "#{Numbers.counted(totals.dropped_count, "sample")} (#{totals.amount(totals.dropped_weight)}) dropped"
      end

      def advice(profile, file)
        format = Formats.for_profile(profile, *@values.values_at(:output, :format))
        format == Formats::PAGE ? "open it in a browser" : "look at it with: #{viewer(file, format)}"
      end

      def viewer(file, format)
        other = VIEWERS[format]
        name = word(file.start_with?("-") ? "./#{file}" : file) # Else it is an option.
        return "#{file.end_with?(".gz") ? "zcat" : other} #{name}" if other
        file.equal?(DEFAULT) ? "rperf report" : "rperf report #{name}"
      end

      # Returns a name as a shell reads it. Shellwords marks each letter that is not of ASCII, too.
      def word(name) = name.b.match?(%r{\A[\w./%+,:=@\x80-\xff-]+\z}n) ? name : Shellwords.escape(name)
    end
  end
end
