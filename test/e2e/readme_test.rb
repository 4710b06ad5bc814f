# frozen_string_literal: true

require_relative "../support/program"
require "rperf/cli"

# What docs/tour.md shows is what its commands print, but for the numbers. The commands of README.md
# are there, too.
class ReadmeTest < Minitest::Test
  include ProgramSupport

  TEXT = File.read(File.join(ROOT, "README.md"))
  TOUR = File.read(File.join(ROOT, "docs", "tour.md"))
  # A command and what is shown of its output.
  SHOWN = TOUR.scan(/^```text\n\$ bin\/rperf ([^\n]+)\n(.*?)^```$/m).freeze
  CUT = "..."
  NUMBER = /\d(?:[\d,.]*\d)?/
  # Drops depend on the machine.
  DROPS = /, #{NUMBER} dropped/

  SHOWN.each do |command, output|
    define_method(:"test_#{command.tr(" /.", "_")}") do
      in_directory do |directory|
        File.symlink(File.join(ROOT, "examples"), File.join(directory, "examples"))
        result = rperf(*command.split, directory:)
        assert_equal 0, result.code, result.inspect
        refute_empty result.out
        assert_match(/^Flat:$/, result.out + result.err) if command.match?(/\Aexec | -p /)
        printed = "#{result.out}#{result.err}".lines.map { |line| shape(line) }
        missing = output.lines.reject { |line| line.chomp == CUT || printed.include?(shape(line)) }
        assert_empty missing, result.inspect
        assert_empty printed.grep(/ idle folded;/) - output.lines.map { |line| shape(line) }, "what is left out is said"
      end
    end
  end

  def test_each_example_is_shown
    assert_equal Dir.children(File.join(ROOT, "examples")).sort, SHOWN.map { |command, _| File.basename(command.split.last) }.uniq.sort
  end

  def test_the_commands_of_the_first_screen_are_there
    first_screen = TEXT.lines.first(20).join
    ["bin/rperf exec ruby examples/mixed.rb", "bin/test"].each do |command|
      assert_includes first_screen, command
      assert File.executable?(File.join(ROOT, command.split.first)), command
    end
  end

  # What users will see comes first: a sentence, the commands, a picture.
  def test_the_first_screen_is_for_users
    first_screen = TEXT.lines.first(20).join
    assert_includes first_screen, "gem install rperf && rperf record ruby app.rb && rperf report"
    assert_includes first_screen, "](docs/images/"
    assert_nil first_screen[/\b(?:GVL|VM|safepoints?|engines?|extension|native|Rust|ticks?|hooks?|stacks?)\b/i]
  end

  def test_the_commands_of_the_recipes_are_understood
    commands = [TEXT, TOUR].join.scan(/^(rperf (?:stat|record|report|diff|exec|convert|merge) .*?)(?: +#.*)?$/).flatten
    assert_operator commands.length, :>=, 5
    commands.each { |command| check_words(command.split.drop(1)) }
  end

  def test_a_line_that_is_not_printed_would_be_found
    refute_equal shape("  1.0 ms  2.0%  Object#a (a.rb)"), shape("  1.0 ms  2.0%  Object#b (a.rb)")
    assert_equal shape("  1.0 ms  2.0%  Object#a (a.rb)"), shape("1,011.0 ms 22.0%  Object#a (a.rb)")
    assert_equal shape("Total: 1031.2ms (cpu)"), shape("Total: 1.37s (cpu)")
    assert_equal shape("9 samples / 8 triggers, 7 dropped, 0.1% profiler overhead"),
      shape("1 samples / 2 triggers, 3.3% profiler overhead")
  end

  private

  # A line without what differs from run to run: figures with the units that fit them, and the width
  # of columns.
  def shape(line) = line.gsub(DROPS, "").gsub(NUMBER, "N").gsub(/N ?(?:s|ms|us)\b/, "N ms").split.join(" ")

  def check_words((name, *words))
    _values, rest = Rperf::CLI::Parser.new(Rperf::CLI.command(name)).parse(words)
    refute_empty rest
  end
end
