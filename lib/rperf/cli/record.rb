# frozen_string_literal: true

require_relative "run"
require_relative "terminal"
require_relative "written_file"

module Rperf
  class CLI
    # `rperf record`: writes the profile to a file, or as text to stdout.
    class Record < Run
      def initialize(values, words)
        super
        # With --print, a profile is written to a file only where the user names the file. Its text
        # has the format text, whether or not that is said.
        return unless values[:print] && values[:output].equal?(WrittenFile::DEFAULT)
        @values = values.merge(output: nil, format: (values[:format] unless values[:format] == :text))
      end

      private

      def check
        if @values[:print] && output&.stdout?
          raise Failure.usage("--print and -o #{output.path} both write to stdout: name a file, or leave out one of the two")
        end
        super
      end

      # `rperf record` shows nothing of GC.stat, whose names would stay in the program's heap.
      def environment(session) = super.merge("RPERF_GC_STAT" => nil)

      def deliver(collection, _times)
        profiles = collection.profiles
        print_statistics(profiles)
        guard { print(profiles) } if @values[:print] # The file is written also where stdout takes nothing.
        written = WrittenFile.new(@values)
        write_each(profiles) { |profile, file| note(written.line(profile, file, processes: collection.count)) }
      end

      # Prints the profiles as text. The program's last line may have no line break.
      def print(profiles)
        columns = Terminal.new.columns
        profiles.each { |profile| $stdout.write("\n", Formats.text(profile, columns:, idle: idle?)) }
        $stdout.flush
      end
    end
  end
end
