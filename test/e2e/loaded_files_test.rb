# frozen_string_literal: true

require_relative "../support/program"

# A program that loads a big file: while the VM parses and compiles it, the thread's innermost frame
# is one of the VM's own that runs neither a method nor code.
class LoadedFilesTest < Minitest::Test
  include ProgramSupport

  METHODS = 20_000
  BIG = Array.new(METHODS) { |number| "def method_#{number}(a, b) = a ? [a, b, { a: b }] : \"\#{a} \#{b}\"\n" }.join

  def test_its_time_is_that_of_the_method_which_loads_it
    [[], %w[--signal none]].each do |engine|
      in_directory do |directory|
        File.write(File.join(directory, "big.rb"), BIG)
        rperf("record", "-f", "1000", "-o", "p.json", *engine, "ruby", "-e", 'load "./big.rb"', directory:)
        stacks = Rperf.load(File.join(directory, "p.json"))[:samples].map { |frames,| frames.map(&:last) }
        inside = stacks.reject { |frames| frames.index("[truncated]").nil? || frames.last == "[truncated]" }
        assert_empty inside, "the mark stands for callers alone"
        assert_includes stacks.map(&:first), "Kernel#load"
      end
    end
  end
end
