# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# `rperf report` and `rperf diff`, with Go's pprof as the judge.
class ViewsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  GOLDEN = File.join(ROOT, "test", "golden")
  FOREIGN = %w[go_cpu.pb.gz go_heap.pb.gz].map { |name| File.join(GOLDEN, "foreign", name) }.freeze
  WORK = <<~RUBY
    def inner(count) = count.times.sum { |number| number * number }
    def outer = inner(ARGV.first.to_i) + [3, 1, 2].cycle.first(2000).sort.first
    200.times { outer }
  RUBY

  # What Go's pprof prints with rperf's default: each value in the unit that fits it.
  def go(*arguments, directory:, env: {})
    result = run_program("go", "tool", "pprof", "-unit=auto", *arguments, directory:, env:)
    assert_equal 0, result.code, result.inspect
    result.out
  end

  # What rperf prints, without a word on stderr.
  def view(*words, directory:, env: {})
    result = rperf(*words, directory:, env:)
    assert_equal [0, ""], [result.code, result.err], result.inspect
    result.out
  end

  # pprof's text without what rperf's profiles do not keep.
  def plain(text) = text.gsub(/^(File|Build ID): .*\n/, "").gsub(/ \((partial-)?inline\)$/, "")

  def record(directory, name, count: 500)
    write_file(directory, "work.rb", WORK)
    result = rperf("record", "-o", name, "ruby", "work.rb", count.to_s, directory:)
    assert_equal 0, result.code, result.inspect
  end

  # A PATH that has nothing.
  def without_go(directory)
    empty = File.join(directory, "empty")
    FileUtils.mkdir_p(empty)
    {"PATH" => empty}
  end

  def test_a_recorded_profile_looks_as_in_pprof
    in_directory do |directory|
      record(directory, "rperf.data")
      %w[UTC Asia/Tokyo America/New_York Asia/Kathmandu].each do |zone|
        env = {"TZ" => zone}
        expected = go("-top", "rperf.data", directory:, env:)
        assert_includes expected, "Object#outer"
        assert_equal expected, view("report", "--top", directory:, env:)
        assert_equal go("-text", "rperf.data", directory:, env:), view("report", "--text", "rperf.data", directory:, env:)
      end
    end
  end

  def test_profiles_of_other_programs_look_as_in_pprof
    in_directory do |directory|
      FOREIGN.each do |path|
        expected = go("-top", path, directory:)
        assert_includes expected, "main."
        assert_equal plain(expected), view("report", "--top", path, directory:)
        assert_equal expected, view("report", "--pprof", "--top", path, directory:), "what is pprof stays as it is"
      end
    end
  end

  def test_a_tree_of_a_difference_looks_as_in_pprof
    in_directory do |directory|
      record(directory, "base.data", count: 200)
      record(directory, "target.data", count: 800)
      expected = go("-tree", "-diff_base=base.data", "target.data", directory:)
      assert_includes expected, "Object#inner"
      assert_equal expected, view("diff", "--tree", "base.data", "target.data", directory:)
      assert_equal go("-tree", "-diff_base=target.data", "base.data", directory:), view("diff", "--tree", "target.data", "base.data", directory:)
      assert_equal go("-top", "-diff_base=base.data", "target.data", directory:), view("diff", "--pprof", "--top", "base.data", "target.data", directory:)
    end
  end

  def test_a_normalised_difference_looks_as_in_pprof
    in_directory do |directory|
      record(directory, "base.data", count: 200)
      record(directory, "target.data", count: 800)
      expected = go("-tree", "-normalize", "-diff_base=base.data", "target.data", directory:)
      assert_includes expected, "Object#inner"
      %w[--normalise --normalize].each do |option|
        assert_equal expected, view("diff", "--tree", option, "base.data", "target.data", directory:)
      end
      expected = go("-text", "-normalize", "-diff_base=base.data", "target.data", directory:)
      assert_equal expected, view("diff", "--pprof", "--text", "--normalise", "base.data", "target.data", directory:)
    end
  end

  # The changes are those of pprof; before and after are what each profile says.
  def test_a_difference_in_columns
    in_directory do |directory|
      record(directory, "base.data", count: 200)
      record(directory, "target.data", count: 800)
      top = view("diff", "--top", "--unit", "ns", "base.data", "target.data", directory:)
      assert_equal top, view("diff", "base.data", "target.data", "--text", "--unit", "ns", directory:)
      row = top[/^.*Integer#\*$/] || top[/^.*Object#inner$/]
      before, after, change = row.scan(/[-+]?\d+(?=ns|\s)/).map(&:to_i)
      assert_equal after - before, change, row
      flats = %w[base.data target.data].map { |path| view("report", "--top", "--unit", "ns", path, directory:)[/^ *(\d+)ns .*  #{Regexp.escape(row[/\S+\z/])}$/, 1].to_i }
      assert_equal flats, [before, after]
    end
  end

  def test_every_format_and_any_name
    in_directory do |directory|
      env = without_go(directory)
      text = File.read(File.join(GOLDEN, "fib.json"))
      write_file(directory, "plain", text)
      File.binwrite(File.join(directory, "packed.txt"), Zlib.gzip(text))
      expected = view("report", "--top", File.join(GOLDEN, "fib.pb"), directory:, env:)
      assert_match(/^ +flat +flat% +sum% +cum +cum%$/, expected)
      %w[plain packed.txt].each { |path| assert_equal expected, view("report", "--top", path, directory:, env:) }
      collapsed = view("report", "--top", File.join(GOLDEN, "fib.collapsed"), directory:, env:)
      assert_equal rows(expected), rows(collapsed)
    end
  end

  def test_formats_can_be_compared_with_each_other
    in_directory do |directory|
      result = view("diff", "--top", *%w[mixed.json mixed.pb].map { |name| File.join(GOLDEN, name) }, directory:, env: without_go(directory))
      assert_match(/^Type: wall, 322.61ms before, 322.61ms after: 0 \(0%\)\nn = \d+ and \d+ ticks: 0 of \d+ functions changed beyond chance/, result)
    end
  end

  def test_only_go_s_own_views_need_go
    in_directory do |directory|
      profile = write_file(directory, "p.collapsed", "<main>;work 1000\n")
      env = without_go(directory)
      {
        ["report", "--pprof", profile] => "'rperf report --pprof' needs Go's pprof, and there is no 'go': .*apt-get install golang-go.*, or leave out --pprof",
        ["diff", "--pprof", "--top", profile, profile] => "'rperf diff --pprof' needs Go's pprof, .* or leave out --pprof"
      }.each do |words, sentence|
        result = rperf(*words, directory:, env:)
        assert_equal [1, ""], [result.code, result.out]
        assert_match(/\Arperf: #{sentence}\n\z/, result.err)
      end
      assert_includes view("report", "--top", profile, directory:, env:), "100%        1us   100%  work\n"
    end
  end

  def test_what_pprof_is_told_about_its_browser
    in_directory do |directory|
      profile = write_file(directory, "p.collapsed", "<main>;work 1000\n")
      File.chmod(0o755, write_file(directory, "bin/go", "#!/bin/sh\necho \"$@\"\n"))
      env = {"PATH" => "#{directory}/bin:#{ENV.fetch("PATH")}"}
      said = [[], %w[--no-browser]].map { |words| view("report", "--pprof", *words, profile, directory:, env:) }
      assert_equal ["tool pprof -http=localhost:0 ", "tool pprof -http=localhost:0 -no_browser "], (said.map { |line| line[/\A.* (?=-unit)/] })
    end
  end

  def test_other_profiles_are_converted_for_pprof
    in_directory do |directory|
      write_file(directory, "p.collapsed", "<main>;work 1000\n")
      assert_match(/1us   100%  work$/, view("report", "--pprof", "--text", "p.collapsed", directory:))
    end
  end

  def test_profiles_that_measure_different_things_are_not_compared
    in_directory do |directory|
      sentence = "the profiles measure different things, cpu (nanoseconds) and inuse_space (bytes): use profiles of the same mode"
      [%w[--top], %w[--top --normalise]].each do |words|
        result = rperf("diff", *words, *FOREIGN, directory:)
        assert_equal [1, ""], [result.code, result.out]
        assert_equal "rperf: cannot compare '#{FOREIGN[0]}' and '#{FOREIGN[1]}': #{sentence}\n", result.err
      end
    end
  end

  def test_a_reader_that_goes_away
    in_directory do |directory|
      script = "\"$0\" \"$1\" report --top \"$2\" | true"
      result = run_program("bash", "-o", "pipefail", "-c", script, RUBY, RPERF, FOREIGN.first, directory:)
      assert_includes [0, 1], result.code
      assert_equal "", result.err
    end
  end

  private

  # The table.
  def rows(text) = text.lines.drop_while { |line| !line.include?("flat%") }.drop(1)
end
