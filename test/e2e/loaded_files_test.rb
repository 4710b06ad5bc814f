# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# Files that programs load.
class LoadedFilesTest < Minitest::Test
  include ProgramSupport
  include SpentTime

  METHODS = 20_000
  BIG = Array.new(METHODS) { |number| "def method_#{number}(a, b) = a ? [a, b, { a: b }] : \"\#{a} \#{b}\"\n" }.join

  # While the VM parses and compiles a big one, the thread's innermost frame is one of the VM's own
  # that runs neither a method nor code.
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

  # Compiles its file in the first run, and takes the code from a cache in the next, as bootsnap has
  # every Rails application do.
  CACHED = <<~RUBY
    code = File.exist?("app.bin") ? RubyVM::InstructionSequence.load_from_binary(File.binread("app.bin")) : RubyVM::InstructionSequence.compile_file("app.rb")
    File.binwrite("app.bin", code.to_binary)
    code.eval
  RUBY

  def test_code_from_a_cache_is_that_of_its_file
    in_directory do |directory|
      File.write(File.join(directory, "app.rb"), "require #{SpentTime::BURNING.dump}\n\ndef once = Burning.burn(0.1)\n\ndef twice = Burning.burn(0.2)\n\np [once, twice].map(&:to_a)\n")
      %w[interpreter yjit].product([1, 2]) do |vm, run|
        result = rperf("record", "-o", "p.json", "ruby", *("--yjit" if vm == "yjit"), "-e", CACHED, directory:)
        samples = Rperf.load(File.join(directory, "p.json"))[:samples]
        weights = %w[Object#once Object#twice].map { |name| samples.select { |frames,| frames.include?(["app.rb", name]) }.sum { |sample| sample[1] } }
        JSON.parse(result.out).zip(weights) { |spent, weight| assert_spent Burning::Spent.new(*spent), weight, "#{vm}, run #{run}" }
        lines = rperf("report", "--source", "app.rb", "p.json", directory:).out.lines.grep(/Burning\.burn/)
        assert_equal 2, lines.grep(/\d(\.\d+)?m?s /).length, lines.inspect
      end
    end
  end
end
