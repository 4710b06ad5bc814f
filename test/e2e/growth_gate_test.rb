# frozen_string_literal: true

require_relative "../support/program"

# `rperf diff --fail-above`: whether something grew, for continuous integration.
class GrowthGateTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  BASE = "<main>;parse 60000000000\n<main>;render 40000000000\n"
  # parse +130 s, render -10 s.
  TARGET = "<main>;parse 190000000000\n<main>;render 30000000000\n"
  OF_ALL = "%s%% of 100s (n = 100000 and 220000 ticks, estimated from the weights)"
  GREW = "grew by more than #{OF_ALL}, beyond chance:"
  PARSE = "rperf: 'parse' #{GREW} self +130s ±83s (+130.00%%), cumulative +130s ±83s (+130.00%%)\n"

  def with_profiles(base: BASE, target: TARGET)
    in_directory do |directory|
      write_file(directory, "base", base)
      write_file(directory, "target", target)
      yield directory
    end
  end

  def gate(percent, *words, directory:) = rperf("diff", "--fail-above", percent, *words, "base", "target", directory:)

  def test_what_grew_is_named
    with_profiles do |directory|
      result = gate("120", directory:)
      assert_equal [3, "", format(PARSE, "120")], [result.code, result.out, result.err]
      assert_equal [3, format(PARSE, "122.5")], gate("122.5%", directory:).then { |other| [other.code, other.err] }
    end
  end

  def test_the_total_and_the_callers_count_too
    with_profiles do |directory|
      result = gate("4", directory:)
      assert_equal 3, result.code
      assert_equal ["rperf: the total #{format(GREW, "4")} +120s ±110s (+120.00%)", format(PARSE, "4").chomp,
                    "rperf: '<main>' #{format(GREW, "4")} self 0 ±3.40ms (0%), cumulative +120s ±110s (+120.00%)"], result.err.lines(chomp: true)
    end
  end

  def test_as_much_as_is_allowed
    with_profiles do |directory|
      %w[130 130.1 1000000].each do |percent|
        result = gate(percent, directory:)
        assert_equal [0, "", ""], [result.code, result.out, result.err], percent
      end
    end
    with_profiles(target: BASE) { |directory| assert_equal 0, gate("0", directory:).code }
  end

  # All takes a third longer, as on a slower machine.
  def test_what_chance_explains_is_no_growth
    with_profiles(target: "<main>;parse 80000000000\n<main>;render 53000000000\n") do |directory|
      result = gate("10", directory:)
      assert_equal [0, "rperf: the total and 3 functions grew by more than 10% of 100s (n = 100000 and 133000 ticks, estimated from the " \
                       "weights), but not beyond chance: record for longer, and several times on each side\n"], [result.code, result.err]
    end
  end

  # The same where each of three recordings says it.
  def test_several_recordings_tell_a_slower_program_from_a_slower_machine
    with_profiles(target: "<main>;parse 80000000000\n<main>;render 53000000000\n") do |directory|
      words = %w[--base base --base base --base base target target target]
      result = rperf("diff", "--fail-above", "10", *words, directory:)
      assert_equal 3, result.code
      assert_includes result.err, "rperf: the total grew by more than 10% of 100s (n = 300000 and 399000 ticks"
    end
  end

  # The machine was busy during the second run.
  def test_waiting_for_a_processor_is_no_growth
    waiting = ->(seconds) { "<main>;[CPU wait] #{seconds}0000000\n<main>;parse;[CPU wait] #{seconds}00000000\n" }
    with_profiles(base: BASE + waiting.call(40), target: BASE + waiting.call(40_000)) do |directory|
      result = gate("5", "--top", directory:)
      assert_equal [0, ""], [result.code, result.err]
      assert_match(/ 4\.40s +1\.22hrs +\+1\.22hrs +4210\.34% +1\.22hrs +\+1\.22hrs +\[CPU wait\]$/, result.out)
      several = rperf("diff", "--fail-above", "5", *%w[--base base --base target base target], directory:)
      assert_equal [0, ""], [several.code, several.err]
    end
    with_profiles(base: BASE + waiting.call(40), target: TARGET + waiting.call(40_000)) do |directory|
      result = gate("120", directory:)
      assert_equal 3, result.code
      assert_match(/\Arperf: 'parse' grew by more than 120% of 100s without \[CPU wait\] \(n = [^)]+\), beyond chance: self \+130s /, result.err)
    end
  end

  def test_shares_can_be_compared_of_runs_of_different_length
    longer = BASE.gsub("0\n", "00\n")
    with_profiles(target: longer) do |directory|
      assert_equal 3, gate("50", directory:).code
      result = gate("1", "--normalise", directory:)
      assert_equal [0, ""], [result.code, result.err]
    end
  end

  def test_with_a_view
    with_profiles do |directory|
      {"--top" => "flat before", "--text" => "flat before"}.each do |view, text|
        result = gate("120", view, directory:)
        assert_equal [3, format(PARSE, "120")], [result.code, result.err]
        assert_includes result.out, text
      end
      result = gate("120", "--html", "page.html", directory:)
      assert_equal [3, "rperf: wrote page.html: open it in a browser\n#{format(PARSE, "120")}"], [result.code, result.err]
      assert_path_exists File.join(directory, "page.html")
    end
  end

  def test_with_a_view_whose_reader_has_gone
    with_profiles do |directory|
      script = 'exec 3> >(:); wait $!; "$0" "$@" >&3'
      {"120" => [3, format(PARSE, "120")], "130" => [0, ""]}.each do |percent, verdict|
        result = run_program("bash", "-c", script, RUBY, RPERF, "diff", "--fail-above", percent, "--top", "base", "target", directory:)
        assert_equal verdict, [result.code, result.err]
      end
    end
  end

  def test_with_filters
    with_profiles do |directory|
      assert_equal 0, gate("10", "--focus", "render", directory:).code
    end
  end

  # A misspelt filter, or a recording that failed, is no reason to be content.
  def test_nothing_to_compare_is_an_error
    with_profiles do |directory|
      sentence = "rperf: cannot compare 'base' and 'target': the filters leave nothing of either"
      {%w[--focus nobody] => "; --focus matches nothing", %w[--tagfocus nokey=1] => "; --tagfocus matches nothing",
       %w[--focus parse --ignore main] => ""}.each do |filters, reason|
        result = gate("10", *filters, directory:)
        assert_equal [1, "", "#{sentence}#{reason}\n"], [result.code, result.out, result.err]
      end
    end
    with_profiles(target: "<main>;parse 0\n") do |directory|
      result = gate("10", directory:)
      assert_equal 1, result.code
      assert_equal "rperf: cannot compare 'base' and 'target': the target has no weight, so nothing is compared\n", result.err
    end
  end

  def test_what_only_one_of_them_has
    with_profiles(base: "#{BASE}<main>;old 20000000000\n", target: "#{TARGET}<main>;new 30000000000\n") do |directory|
      gone = gate("10", "--focus", "old", directory:)
      assert_equal [0, "rperf: the filters leave nothing of 'target', so nothing grew, but something of 'base'\n"], [gone.code, gone.err]
      assert_equal 3, gate("10", "--focus", "new", directory:).code
    end
  end

  def test_rows_of_a_label_are_not_judged
    with_profiles do |directory|
      result = gate("10", "--by", "endpoint", directory:)
      sentence = "rperf: --fail-above judges functions, not the rows of --by: leave out one of them (JSON has beyond_chance)\n"
      assert_equal [2, "", sentence], [result.code, result.out, result.err]
    end
  end

  def test_values_that_make_no_sense
    with_profiles do |directory|
      ["x", "-1", "", "1e3", "5%%", "Infinity", "0x1"].each do |percent|
        result = gate(percent, directory:)
        sentence = "rperf: --fail-above must be a percentage, 0 or more, such as 5 or 0.5, not #{percent.inspect}\n"
        assert_equal [2, "", sentence], [result.code, result.out, result.err]
      end
    end
  end

  def test_failing_to_compare_is_another_status
    with_profiles(target: "not a profile\n") do |directory|
      result = gate("10", directory:)
      assert_equal 1, result.code
      assert_match(/\Arperf: cannot read 'target': [^\n]+\n\z/, result.err)
    end
  end

  # A program that got slower, from end to end.
  def test_recorded_profiles
    in_directory do |directory|
      write_file(directory, "work.rb", "def fast = 20_000.times.sum\ndef slow = ARGV[0].to_i.times.sum\n40.times { fast; slow }\n")
      {"base" => "20000", "target" => "600000"}.each do |name, count|
        assert_equal 0, rperf("record", "-o", name, "ruby", "work.rb", count, directory:).code
      end
      # It is some ten times the base; what the base holds besides is how long Ruby takes to start.
      result = gate("50", directory:)
      assert_equal 3, result.code, result.inspect
      assert_match(/^rperf: 'Object#slow' grew by more than 50% of /, result.err)
      same = rperf("diff", "--fail-above", "0", "target", "target", directory:)
      assert_equal [0, ""], [same.code, same.err]
    end
  end
end
