# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../support/program"

# What the ending of a file's name makes of a profile, by every way that writes one.
class EndingsOfNamesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  CODE = "def work = 300_000.times { |i| i.to_s }; work"
  LIBRARY = "-I#{Paths::LIB}"

  # Each way to write a file, as the words that do it.
  def ways(name)
    {
      "record" => [RUBY, RPERF, "record", "-o", name, "ruby", "-e", CODE],
      "stat" => [RUBY, RPERF, "stat", "-o", name, "ruby", "-e", CODE],
      "convert" => [RUBY, RPERF, "convert", "given.json.gz", name],
      "merge" => [RUBY, RPERF, "merge", "-o", name, "given.json.gz", "given.json.gz"],
      "start" => [RUBY, LIBRARY, "-rrperf", "-e", "Rperf.start(output: #{name.inspect}) { #{CODE} }"],
      "save" => [RUBY, LIBRARY, "-rrperf", "-e", "Rperf.save(#{name.inspect}, Rperf.load('given.json.gz'))"]
    }
  end

  # What a test writes beside the profile goes with its end.
  def with_a_profile
    given = shared_directory { |directory| rperf("record", "-o", "given.json.gz", "ruby", "-e", CODE, directory:) }
    in_directory do |directory|
      FileUtils.cp(File.join(given, "given.json.gz"), directory)
      yield directory
    end
  end

  def test_every_way_writes_json_in_gz
    each_way_writes("p.json.gz") { |bytes| assert_includes functions(Zlib.gunzip(bytes)), "Object#work" }
  end

  def test_every_way_writes_the_page
    each_way_writes("p.html") do |bytes|
      assert_operator bytes, :start_with?, "<!doctype html>"
      assert_includes bytes, "Object#work"
      assert_includes bytes, "<title>p.html"
    end
  end

  def each_way_writes(name)
    with_a_profile do |directory|
      ways(name).each do |way, words|
        result = run_program(*words, directory:)
        assert_equal 0, result.code, [way, result].inspect
        yield File.read(File.join(directory, name), encoding: Encoding::UTF_8)
        File.delete(File.join(directory, name))
      end
    end
  end

  def functions(json) = JSON.parse(json)["functions"].map { |function| function["label"] }

  # Before anything is run, and with nothing written.
  def test_no_way_writes_what_no_format_ends_in
    with_a_profile do |directory|
      ways("p.xyz").each do |way, words|
        result = run_program(*words, directory:)
        assert_includes result.err, "'p.xyz' ends in '.xyz', which no format has: use .data, .pb, ", way
        assert_equal %w[start save].include?(way) ? 1 : 2, result.code
        assert_equal 1, result.err.lines.length unless %w[start save].include?(way)
      end
      assert_equal %w[given.json.gz], Dir.children(directory) - %w[.stdout .stderr]
    end
  end

  def test_the_environment_with_such_a_name_leaves_the_program_alone
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "p.xyz"}
      result = run_program(RUBY, LIBRARY, "-rrperf", "-e", "puts 1; exit 3", directory:, env:)
      assert_equal [3, "1\n"], [result.code, result.out]
      assert_match(/\Arperf: 'p\.xyz' ends in '\.xyz', which no format has: [^\n]+\n\z/, result.err)
    end
  end

  # What rperf puts into a name is not its ending: it has none still.
  def test_names_without_an_ending_that_become_several
    in_directory do |directory|
      %w[app app.gz].each { |name| rperf("record", "-m", "cpu,alloc", "-o", name, "ruby", "-e", CODE, directory:) }
      rperf("stat", "-m", "cpu,alloc", "-o", "stat", "ruby", "-e", CODE, directory:)
      run_program(RUBY, LIBRARY, "-rrperf", "-e", "Rperf.start(mode: [:cpu, :alloc], output: 'api') { #{CODE} }", directory:)
      %w[app.cpu app.alloc app.cpu.gz app.alloc.gz stat.cpu stat.alloc api.cpu api.alloc].each do |name|
        assert_includes rperf("report", "--top", name, directory:).out, "Object#work", name
      end
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "env"}
      child = run_program(RUBY, LIBRARY, "-rrperf", "-e", "p fork { #{CODE} }; Process.wait", directory:, env:).out.to_i
      assert_includes rperf("report", "--top", "env.#{child}", directory:).out, "Object#work"
    end
  end

  # Those of `rperf record`, and that of version 0.9.
  def test_report_reads_the_newest_default_file
    in_directory do |directory|
      files = %w[rperf.data rperf.json.gz]
      files.each { |name| rperf("record", "-o", name, "ruby", "-e", "def in_#{name[/\w+\z/]} = 1_000_000.times { |i| i * i }; in_#{name[/\w+\z/]}", directory:) }
      shown = ->(name) { assert_includes rperf("report", "--top", "--focus", "in_", directory:).out, "Object#in_#{name}" }
      shown["gz"]
      FileUtils.touch(File.join(directory, "rperf.data"), mtime: Time.now + 60)
      shown["data"]
      File.delete(File.join(directory, "rperf.data"))
      shown["gz"]
      rperf("record", "-m", "both", "ruby", "-e", "def in_both = 2_000_000.times { |i| i * i }; in_both", directory:)
      shown["both"]
      File.delete(File.join(directory, "rperf.wall.data"))
      shown["both"]
      %w[rperf.cpu.data rperf.json.gz].each { |name| File.delete(File.join(directory, name)) }
      assert_match(/\Arperf: cannot read 'rperf\.data': there is no such file; name one, [^\n]+\n\z/, rperf("report", "--top", directory:).err)
    end
  end

  def test_the_page_by_option_and_on_stdout
    with_a_profile do |directory|
      assert_operator rperf("convert", "--format", "html", "given.json.gz", "-", directory:).out, :start_with?, "<!doctype html>"
      recorded = rperf("record", "-o", "p.html", "ruby", "-e", CODE, directory:)
      assert_match(/\Arperf: wrote p\.html: .*; open it in a browser\n\z/, recorded.err)
    end
  end
end
