# frozen_string_literal: true

require_relative "runner"
require_relative "selection"
require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # `rperf diff`: shows what changed from one profile to another, or from several to several.
    class Diff < Runner
      # Shows the difference; returns the exit status.
      def call
        refuse_judged_rows
        bases, targets = sides
        subject = Subject.new(targets, bases:, values: @values)
        selection = Selection.new(@values)
        status = show(subject)
        status.zero? && @values[:fail_above] ? judge(selection, subject) : status
      end

      private

      def refuse_judged_rows
        return unless @values[:by] && @values[:fail_above]
        raise Failure.usage("--fail-above judges functions, not the rows of --by: leave out one of them (JSON has beyond_chance)")
      end

      # Shows the view; returns its exit status. A verdict is given also where the reader of the
      # view has gone.
      def show(subject)
        View.show("diff", @values, subject)
      rescue Errno::EPIPE
        raise unless @values[:fail_above]
        $stdout = File.new(File::NULL, "w") # The rest of the view is dropped.
        0
      end

      # `--fail-above`: prints a line to stderr for each function that grew by more than that share
      # of the base's total. Returns the exit status.
      def judge(selection, subject)
        grown, by_chance = selection.growth(subject, @values[:fail_above])
        [*grown, *by_chance].each { |line| Error.complain(line) }
        grown.empty? ? 0 : Failure::GROWN
      end

      # The files of the base and of the target.
      def sides
        return of_two_words unless @values[:bases]
        return [@values[:bases], @words] if @words.any?
        raise Failure.usage("'rperf diff --base' needs the target, too: rperf diff --base #{@values[:bases].first} TARGET...")
      end

      def of_two_words
        return @words.each_slice(1).to_a if @words.length == 2
        View.refuse_files_as_values(@values) if @words.length < 2
        raise Failure.usage("'rperf diff' compares two files, base and target, but got #{@words.length}; " \
                            "for several on a side: --base FILE --base FILE ... TARGET...")
      end
    end
  end
end
