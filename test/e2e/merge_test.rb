# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# `rperf convert` and `rperf merge`: which format a name stands for, several profiles as one, and
# what is refused.
class MergeTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  GOLDEN = File.join(ROOT, "test", "golden")
  MIXED = File.join(GOLDEN, "mixed.json")

  def assert_silent(*words, directory:)
    result = rperf(*words, directory:)
    assert_equal [0, "", ""], [result.code, result.out, result.err], result.inspect
  end

  # One sentence and nothing else.
  def assert_refused(code, sentence, *words, directory:)
    result = rperf(*words, directory:)
    assert_equal [code, "", "rperf: #{sentence}\n"], [result.code, result.out, result.err]
  end

  def content(directory, name) = File.binread(File.join(directory, name))

  def collapsed(directory, name) = rperf("convert", "--format", "collapsed", name, "-", directory:).out

  def test_the_name_tells_the_format
    in_directory do |directory|
      {
        "a.dot" => "mixed.dot", "a.callgrind" => "mixed.callgrind", "a.callgrind.out" => "mixed.callgrind", "a.md" => "mixed.md",
        "a.speedscope.json" => "mixed.speedscope.json", "a.firefox.json" => "mixed.firefox.json", "a.json" => "mixed.json",
        "a.collapsed" => "mixed.collapsed", "a.txt" => "mixed.txt"
      }.each do |name, golden|
        assert_silent("convert", MIXED, name, directory:)
        assert_equal File.binread(File.join(GOLDEN, golden)), content(directory, name), name
      end
      {"a.json.gz" => "mixed.json", "a.speedscope.json.gz" => "mixed.speedscope.json", "a.firefox.json.gz" => "mixed.firefox.json",
       "a.pb.gz" => "mixed.pb", "a.data" => "mixed.pb"}.each do |name, golden|
        assert_silent("convert", MIXED, name, directory:)
        assert_equal File.binread(File.join(GOLDEN, golden)), Zlib.gunzip(content(directory, name)), name
      end
    end
  end

  def test_a_format_by_name_wins
    in_directory do |directory|
      assert_silent("convert", "--format", "markdown", MIXED, "a.json", directory:)
      assert_equal File.binread(File.join(GOLDEN, "mixed.md")), content(directory, "a.json")
      result = rperf("convert", MIXED, "-", "--format", "pprof", directory:)
      assert_equal File.binread(File.join(GOLDEN, "mixed.pb")), Zlib.gunzip(result.out.b)
    end
  end

  def test_there_and_back_again
    in_directory do |directory|
      %w[a.speedscope.json.gz a.firefox.json a.pb.gz a.json].each do |name|
        assert_silent("convert", MIXED, name, directory:)
        assert_equal File.read(File.join(GOLDEN, "mixed.collapsed")), collapsed(directory, name), name
      end
    end
  end

  def test_several_profiles_as_one
    in_directory do |directory|
      FileUtils.cp(MIXED, directory)
      assert_silent("convert", MIXED, "b.pb.gz", directory:)
      assert_silent("merge", "-o", "sum.json", "mixed.json", "b.pb.gz", "mixed.json", directory:)
      weights = ->(text) { text.lines.to_h { |line| line.chomp.rpartition(" ").values_at(0, 2) }.transform_values(&:to_i) }
      once = weights.call(File.read(File.join(GOLDEN, "mixed.collapsed")))
      assert_equal once.transform_values { |weight| weight * 3 }, weights.call(collapsed(directory, "sum.json"))
    end
  end

  # All inputs have been read before the output takes the place of one of them.
  def test_an_input_may_be_the_output
    in_directory do |directory|
      FileUtils.cp(MIXED, File.join(directory, "a.json"))
      FileUtils.cp(MIXED, File.join(directory, "b.json"))
      File.symlink("b.json", File.join(directory, "link.json"))
      assert_silent("merge", "-o", "sum.json", "a.json", "b.json", directory:)
      assert_silent("merge", "-o", "link.json", "a.json", "b.json", directory:)
      assert_equal content(directory, "sum.json"), content(directory, "b.json")
      assert File.symlink?(File.join(directory, "link.json"))
      assert_silent("convert", "a.json", "a.json", directory:)
      assert_equal File.binread(MIXED), content(directory, "a.json")
    end
  end

  def test_an_input_that_was_to_be_the_output_is_whole_when_that_fails
    in_directory do |directory|
      FileUtils.cp([MIXED, File.join(GOLDEN, "fib.json")], directory)
      write_file(directory, "bad", "no profile\n")
      {%w[bad] => /cannot read 'bad'/, %w[missing] => /cannot read 'missing'/, %w[fib.json] => /cannot merge/}.each do |others, problem|
        result = rperf("merge", "-o", "mixed.json", "mixed.json", *others, directory:)
        assert_equal 1, result.code
        assert_match problem, result.err
        assert_equal File.binread(MIXED), content(directory, "mixed.json"), others
      end
      assert_equal %w[bad fib.json mixed.json], Dir.children(directory).sort - %w[.stdout .stderr]
    end
  end

  # What cannot be written in full (here: for a limit of 1 kB) leaves what was there.
  def test_an_input_that_was_to_be_the_output_is_whole_when_it_cannot_be_written
    in_directory do |directory|
      FileUtils.cp(MIXED, directory)
      script = "ulimit -f 1; exec \"$@\""
      command = [RUBY, RPERF, "merge", "-o", "mixed.json", "mixed.json", MIXED]
      result = run_program("bash", "-c", script, "bash", *command, directory:)
      assert_equal 1, result.code, result.inspect
      assert_match(/\Arperf: cannot write '.*mixed\.json': it would be larger than this process may write; raise/, result.err)
      assert_equal File.binread(MIXED), content(directory, "mixed.json")
      assert_equal %w[mixed.json], Dir.children(directory).sort - %w[.stdout .stderr]
    end
  end

  def test_profiles_that_measure_different_things
    in_directory do |directory|
      FileUtils.cp([MIXED, File.join(GOLDEN, "fib.json")], directory)
      sentence = "cannot merge 'mixed.json', 'fib.json': the profiles measure different things, wall (nanoseconds) and cpu " \
                 "(nanoseconds): use profiles of the same mode"
      assert_refused(1, sentence, "merge", "-o", "sum.json", "mixed.json", "fib.json", directory:)
      refute_path_exists File.join(directory, "sum.json")
    end
  end

  def test_what_makes_no_sense
    in_directory do |directory|
      FileUtils.cp(MIXED, directory)
      formats = "pprof, collapsed, text, json, dot, callgrind, speedscope, firefox, markdown, otlp, html"
      {
        %w[convert mixed.json] => "'rperf convert' needs two names, the profile and the file to write, but got 1",
        %w[convert a b c] => "'rperf convert' needs two names, the profile and the file to write, but got 3",
        %w[convert mixed.json -] => "'-' has no name that tells the format: add --format (#{formats})",
        %w[merge -o a.json] => "'rperf merge' needs the profiles to merge",
        %w[merge mixed.json] => "'rperf merge' needs the file to write: -o PATH",
        %w[convert --format speedscop mixed.json a] =>
          "--format must be #{formats.sub(", html", " or html")}, not 'speedscop'; did you mean 'speedscope'?"
      }.each { |words, sentence| assert_refused(2, sentence, *words, directory:) }
    end
  end

  def test_the_formats_of_a_report_take_filters_and_several_files
    in_directory do |directory|
      FileUtils.cp(MIXED, directory)
      result = rperf("report", "--collapsed", "--focus", "io_work", "--hide", "times", "mixed.json", "mixed.json", directory:)
      stack = "<main>;block in <main>;Object#io_work;Kernel#sleep"
      assert_equal ["#{stack} 6400000\n", "#{stack};[GVL blocked] 501200000\n", "#{stack};[GVL wait] 2468\n"], result.out.lines
      assert_equal [0, ""], [result.code, result.err]
      result = rperf("report", "--dot", "--ignore", "nobody", "mixed.json", directory:)
      assert_equal [0, "rperf: --ignore matches nothing in 'mixed.json'\n"], [result.code, result.err]
    end
  end

  def test_options_that_do_not_go_with_a_format
    in_directory do |directory|
      FileUtils.cp(MIXED, directory)
      {
        %w[--format json] => "--dot has a format of its own: leave out --format",
        %w[--pprof] => "--dot is not a view of Go's pprof: leave out --pprof",
        %w[--top --source a.rb] => "one view at a time: --dot and --top and --source were given"
      }.each { |words, sentence| assert_refused(2, sentence, "report", "--dot", *words, "mixed.json", directory:) }
    end
  end

  def test_nothing_is_written_when_the_profile_cannot_be_read
    in_directory do |directory|
      write_file(directory, "kept.json", "as it was")
      write_file(directory, "bad", "no profile\n")
      sentence = "it is not a profile: it should hold pprof, OTLP, JSON of rperf, collapsed stacks, or a profile of stackprof, speedscope " \
                 "or the Firefox Profiler"
      assert_refused(1, "cannot read 'bad': #{sentence}", "convert", "bad", "kept.json", directory:)
      assert_refused(1, "cannot read 'missing': there is no such file", "merge", "-o", "kept.json", MIXED, "missing", directory:)
      assert_equal "as it was", content(directory, "kept.json")
      assert_equal %w[bad kept.json], Dir.children(directory).sort - %w[.stdout .stderr]
    end
  end

  def test_a_place_that_cannot_be_written
    in_directory do |directory|
      path = File.join(directory, "none", "a.dot")
      sentence = "cannot write '#{path}': the directory '#{File.dirname(path)}' does not exist; create it, or name a file elsewhere"
      assert_refused(1, sentence, "convert", MIXED, "none/a.dot", directory:)
    end
  end

  def test_record_writes_every_format
    in_directory do |directory|
      write_file(directory, "work.rb", "100_000.times { |number| number.to_s }\n")
      {"a.speedscope.json" => "rperf report a.speedscope.json", "a.md" => "cat a.md", "a.dot" => "dot -Tsvg -O a.dot",
       "a.callgrind" => "callgrind_annotate a.callgrind", "a b.pb.gz" => "rperf report a\\ b.pb.gz"}.each do |name, viewer|
        result = rperf("record", "-o", name, "ruby", "work.rb", directory:)
        assert_equal 0, result.code, result.inspect
        assert_match(/\Arperf: wrote #{Regexp.escape(name)}: .*; look at it with: #{Regexp.escape(viewer)}\n\z/, result.err)
      end
      assert_equal 0, rperf("report", "--top", "a.speedscope.json", directory:).code
    end
  end
end
