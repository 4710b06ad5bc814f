# frozen_string_literal: true

require_relative "../support/readers"

# What `rperf convert` writes is read by the programs that it is written for.
class ConvertTest < Minitest::Test
  include Readers

  GOLDEN = File.join(ROOT, "test", "golden")
  ALL_NAMES = JSON.parse(File.read(File.join(GOLDEN, "mixed.json")))["functions"].map { |function| function["label"].tr("\n", " ") }.freeze

  WORK = <<~RUBY
    require "rperf"
    def burn(seconds)
      stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
      [1, 2].sum until Process.clock_gettime(Process::CLOCK_MONOTONIC) > stop
    end
    def nap = sleep(0.05)
    data = Rperf.start(mode: :wall, aggregate: false) do
      other = Thread.new { Rperf.label(job: "thread") { burn(0.1) } }
      Rperf.label(request: "first") { burn(0.1) }
      nap
      other.join
    end
    Rperf.save("raw.json", data)
  RUBY

  # A directory with a profile of samples in their order, `raw.json`, and one of all that profiles
  # can hold, `mixed.json`.
  def profiles
    shared_directory do |directory|
      write_file(directory, "work.rb", WORK)
      output(RUBY, "-I#{Paths::LIB}", "work.rb", directory:)
      FileUtils.cp(File.join(GOLDEN, "mixed.json"), directory)
    end
  end

  def convert(from, to, directory:)
    result = rperf("convert", from, to, directory:)
    assert_equal [0, "", ""], [result.code, result.out, result.err], result.inspect
    to
  end

  def total(file, directory) = JSON.parse(File.read(File.join(directory, file)))["samples"].sum { |sample| sample[1] }

  def test_graphviz
    directory = profiles
    picture = svg(convert("raw.json", "raw.dot", directory:), directory:)
    assert_match(/>Object#burn</, picture)
    assert_match(/>\[GVL blocked\]</, picture)
    odd = svg(convert("mixed.json", "mixed.dot", directory:), directory:)
    assert_includes odd, "Odd#odd;name with 日本語 &quot;quotes&quot;"
    assert_equal 11, odd.scan("class=\"edge\"").length
  end

  def test_callgrind
    directory = profiles
    text = annotate(convert("raw.json", "raw.callgrind", directory:), "--inclusive=yes", directory:)
    assert_equal total("raw.json", directory), text[/^([\d,]+) .*PROGRAM TOTALS$/, 1].delete(",").to_i
    assert_match(/ work\.rb:Object#burn$|\/work\.rb:Object#burn$/, text)
    odd = annotate(convert("mixed.json", "mixed.callgrind.out", directory:), directory:)
    assert_includes odd, "322,609,875 (100.0%)  PROGRAM TOTALS"
    assert_match(/ 44,100,000 \(13\.67%\)  mixed\.rb:Object#cpu_work$/, odd)
    assert_match(/  999,999 \( 0\.31%\)  lib\/ödd;name\.rb:Odd#odd;name with 日本語 "quotes"$/, odd)
    assert_match(/ 500,000 \( 0\.15%\)  \?\?\?:<no stack>$/, odd)
  end

  def test_speedscope
    directory = profiles
    profile = speedscope(convert("raw.json", "raw.speedscope.json", directory:), directory:)
    assert_equal ["main (thread 1)", "Thread 2"], profile["profiles"].map { |thread| thread["name"] }
    assert_equal total("raw.json", directory), profile["profiles"].sum { |thread| thread["weights"].sum }
    busiest = profile["profiles"].max_by { |thread| thread["weights"].sum }
    assert_equal busiest, profile["profiles"][profile["activeProfileIndex"]]
    frames = profile["shared"]["frames"]
    roots = profile["profiles"][0]["samples"].filter_map(&:first).map { |frame| frames[frame]["name"] }.uniq
    assert_includes roots, "<main>"
    odd = speedscope(convert("mixed.json", "mixed.speedscope.json", directory:), directory:)
    assert_equal ALL_NAMES.length, odd["shared"]["frames"].length
  end

  def test_firefox_profiler
    directory = profiles
    firefox(convert("raw.json", "raw.firefox.json", directory:), directory:) do |ask|
      threads = ask.call("thread", "list")["threads"].map { |thread| thread["name"] }
      assert_equal ["main", "Thread 2"], threads
      samples = ask.call("thread", "samples", "--thread", "t-0", "--include-idle")
      assert_includes samples["topFunctionsByTotal"].map { |function| function["name"] }, "Object#nap"
      categories = samples["categoryBreakdown"]["categories"].to_h { |category| [category["name"], category["samples"]] }
      assert_operator categories["GVL"], :>=, 25, "the nap of 50 ms is off the GVL, but for the way there and back"
      assert_operator categories["Ruby"] || 0, :>, 0
      labels = ask.call("thread", "markers", "--thread", "t-0", "--list")["flatMarkers"]
      assert_includes labels.map { |marker| marker["name"] }, "[GVL blocked]"
      assert_includes labels.map { |marker| marker["label"] }, "request=first"
    end
  end

  def test_firefox_profiler_has_the_same_times
    directory = profiles
    firefox(convert("mixed.json", "mixed.firefox.json", directory:), directory:) do |ask|
      functions = ask.call("thread", "samples", "--thread", "t-1", "--include-idle")["topFunctionsBySelf"]
      times = functions.to_h { |function| [function["name"], function["selfSamples"]] }
      assert_in_delta 250.6, times["[GVL blocked]"], 1e-6
      assert_in_delta 44.1, times["Object#cpu_work"], 1e-6
      assert_empty ask.call("thread", "markers", "--thread", "t-1", "--list")["flatMarkers"], "merged samples have no order"
    end
  end

  def test_markdown
    directory = profiles
    text = File.read(File.join(directory, convert("raw.json", "raw.md", directory:)))
    assert_match(/^\| .* \| `Object#burn` \| `\S*work\.rb` \|$/, text)
    assert_match(/^\| .* \| `request` \| `first` \|$/, text)
    assert_operator text.bytesize, :<, 40_000
  end

  def test_report_writes_the_same_to_stdout
    directory = profiles
    %w[dot callgrind collapsed speedscope firefox markdown].each do |format|
      result = rperf("report", "--#{format}", "mixed.json", directory:)
      written = rperf("convert", "--format", format, "mixed.json", "-", directory:)
      assert_equal [0, "", written.out], [result.code, result.err, result.out], format
      refute_empty result.out
    end
  end
end
