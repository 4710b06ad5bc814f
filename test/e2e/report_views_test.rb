# frozen_string_literal: true

require "json"
require "pty"
require_relative "../support/program"

# The views and filters of `rperf report`, on a recorded profile; where pprof has them, with pprof
# as the judge.
class ReportViewsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  GOLDEN = File.join(ROOT, "test", "golden")
  SHOP = <<~RUBY
    class Shop
      def total(items)
        items.sum { |item| price(item) }
      end

      def price(item)
        (1..item).sum { |number| number * 3 % 7 }
      end
    end
    Thread.new { Shop.new.total([2000] * 500) }.join
    Shop.new.total([2000] * 500)
  RUBY

  # Each as rperf has it and as pprof has it.
  VIEWS = {
    %w[--top] => %w[-top],
    %w[--text --cum] => %w[-text -cum],
    %w[--tree] => %w[-tree],
    ["--tree", "--nodecount", "2", "--unit=ms"] => %w[-tree -nodecount=2 -unit=ms],
    %w[--peek=Shop#price] => %w[-peek=Shop#price],
    %w[--traces] => %w[-traces],
    %w[--labels] => %w[-tags],
    %w[--comments] => %w[-comments],
    %w[--top --focus price --hide=block --sort cum] => %w[-top -focus=price -hide=block -cum],
    %w[--tree --tagfocus thread_seq=2: --show Shop] => %w[-tree -tagfocus=thread_seq=2: -show=Shop],
    %w[--traces --tagignore thread_seq=1 --tagroot thread_seq] => %w[-traces -tagignore=thread_seq=1 -tagroot=thread_seq],
    %w[--top --nodefraction 0.2 --tagleaf thread_seq --ignore nothing] =>
      %w[-top -nodefraction=0.2 -tagleaf=thread_seq -ignore=nothing],
    %w[--top --sample-index samples] => %w[-top -sample_index=samples]
  }.freeze

  # With rperf.data and shop.rb.
  def directory
    shared_directory do |directory|
      write_file(directory, "shop.rb", SHOP)
      result = rperf("record", "ruby", "shop.rb", directory:)
      assert_equal 0, result.code, result.inspect
    end
  end

  def report(*words, **options)
    result = rperf("report", *words, directory:, **options)
    assert_equal 0, result.code, result.inspect
    result.out
  end

  def refused(*words)
    result = rperf(*words, directory:)
    assert_equal "", result.out
    assert_equal 1, result.err.lines.length, result.err
    [result.code, result.err.delete_prefix("rperf: ").chomp]
  end

  VIEWS.each do |words, expected|
    define_method(:"test_#{words.join(" ")}") do
      # Where no unit is asked for, rperf writes each value in the one that fits.
      unit = expected.grep(/\A-unit=/).empty? ? "-unit=auto" : nil
      go = run_program("go", "tool", "pprof", *expected, *unit, "rperf.data", directory:)
      assert_equal 0, go.code, go.inspect
      refute_empty go.out
      assert_equal go.out, report(*words)
      assert_equal go.out, report("--pprof", *words), "pprof gets the same options"
    end
  end

  def test_a_method_with_its_lines
    text = report("--method", "Shop#price")
    assert_match(/^Shop#price \(shop\.rb:6\)\n  flat: .*\n  callers \(.* in all\):\n(?: .*\n)* .*%  Shop#total\n/, text)
    assert_match(/^  code: shop\.rb\n.*line\n .* 6 \|   def price\(item\)\n +\S+ +[\d.]+[um]?s +7 \|     \(1\.\.item\)\.sum /, text)
    refute_includes text, "class Shop"
  end

  def test_a_file_with_its_lines
    assert_includes report("--source", "shop.rb"), " 3 |     items.sum { |item| price(item) }\n"
    gone = report("--source", "shop.rb", "../#{File.basename(directory)}/rperf.data").lines.length
    File.rename(File.join(directory, "shop.rb"), File.join(directory, "gone.rb"))
    text = report("--source", "shop.rb")
    assert_includes text, "    the file cannot be shown: there is no such file here\n"
    assert_operator text.lines.length, :<, gone
  ensure
    File.rename(File.join(directory, "gone.rb"), File.join(directory, "shop.rb"))
  end

  def test_a_name_that_is_not_there
    assert_equal [1, "cannot show 'rperf.data': there is no method 'Shop#prize'; did you mean 'Shop#price'? (--top lists the functions)"],
      refused("report", "--method", "Shop#prize")
    assert_equal [1, "cannot show 'rperf.data': there is no source file 'shap.rb'; did you mean 'shop.rb'? (--top lists the functions)"],
      refused("report", "--source", "shap.rb")
    assert_equal [1, "cannot show 'rperf.data': no function matches the expression of --peek"], refused("report", "--peek", "prize")
  end

  def test_json
    top = JSON.parse(report("--top", "--nodefraction", "0", "--format", "json"))
    assert_equal [1, "top", "cpu", "nanoseconds"], top.values_at("rperf_report", "view", "type", "unit")
    assert_equal top["total"], top["functions"].sum { |function| function["flat"] }
    method = JSON.parse(report("--method", "Shop#price", "--format=json"))["methods"].first
    assert_equal "  def price(item)", method.dig("files", 0, "lines", 0, "text")
  end

  def test_several_files_are_one
    one, two = %w[fib.json fib.pb].map { |name| File.join(GOLDEN, name) }
    total = ->(*files) { JSON.parse(report("--top", "--format", "json", *files))["total"] }
    assert_equal 2 * total.call(one), total.call(one, two)
    assert_equal [1, "cannot merge '#{one}', 'rperf.data.json': the profiles measure different things, cpu (nanoseconds) and " \
                     "time (nanoseconds): use profiles of the same mode"],
      refused("report", "--top", one, File.join(GOLDEN, "fib.collapsed")).then { |code, text| [code, text.sub(/'[^']*\.collapsed'/, "'rperf.data.json'")] }
  end

  def test_what_makes_no_sense
    {
      %w[report --top --dot] => "one view at a time: --top and --dot were given",
      %w[report --top --peek x] => "one view at a time: --top and --peek were given",
      %w[report --top --focus (] => "--focus takes a regular expression, and '(' is none (found open group without closing ')'): " \
                                    "put a backslash before a character that stands for itself",
      %w[report --top --nodecount -1] => "--nodecount must be a whole number from 0 to 1000000 (functions; 0 for all), not -1",
      %w[report --top --nodefraction 2] => "--nodefraction must be a number from 0 to 1 (a share of the total), not 2.0",
      %w[report --top --sort flut] => "--sort must be flat or cum, not 'flut'; did you mean 'flat'?",
      %w[report --top --format xml] => "--format must be text or json, not 'xml'",
      %w[report --format json] => "--format json needs a view, such as --top",
      %w[report --pprof --method x] => "Go's pprof has no view like --method: leave out --pprof",
      %w[report --pprof --top --format json] => "Go's pprof writes no JSON: leave out --pprof"
    }.each { |words, sentence| assert_equal [2, sentence], refused(*words) }
    assert_equal [1, "cannot read 'rperf.data': it has no values of the sample type 'space': its sample types are samples, events, cpu"],
      refused("report", "--top", "--sample-index", "space")
  end

  def test_filters_that_match_nothing_are_named
    result = rperf("report", "--top", "--focus", "nothing like this", "--tagroot", "nokey", directory:)
    assert_equal 0, result.code
    assert_equal ["rperf: --tagroot matches nothing in 'rperf.data'\n", "rperf: --focus matches nothing in 'rperf.data'\n"], result.err.lines
  end

  def test_a_difference_with_filters
    go = run_program("go", "tool", "pprof", "-unit=auto", "-tree", "-focus=price", "-diff_base=rperf.data", "rperf.data", directory:)
    result = rperf("diff", "--tree", "--focus", "price", "rperf.data", "rperf.data", directory:)
    assert_equal [0, go.out], [result.code, result.out], result.err
  end

  def test_on_a_terminal
    env = clean_environment.merge("PAGER" => "cat", "TERM" => "xterm", "NO_COLOR" => nil)
    plain = in_terminal(env.merge("NO_COLOR" => "1"))
    coloured = in_terminal(env)
    assert_includes coloured, "\e[1m      flat  flat%"
    assert_equal plain, coloured.gsub(/\e\[[\d;]*m/, "")
    assert_figures plain
    assert_match(/\Apaged: /, in_terminal(env.merge("PAGER" => "sed s/^/paged:\\ /"), "--traces"))
    refute_match(/\Apaged: /, in_terminal(env.merge("PAGER" => "sed s/^/paged:\\ /"), "--traces", "--no-pager"))
  end

  # The first row is the third line at the latest, and names say where a function is.
  def assert_figures(shown)
    total, heading, first = shown.lines
    assert_match(/\ATotal: [\d.]+m?s cpu in [\d.]+m?s \([\d.]+%\), /, total)
    assert_match(/\A +flat +flat% +sum% +cum +cum%$/, heading)
    assert_match(/\A +[\d.]+[mu]?s +[\d.]+% /, first)
    assert_match(/  <main> shop\.rb$/, shown)
    assert_match(/  block in <main>:10$/, shown)
    pprof = report("--top", "--unit", "minimum")
    assert_equal run_program("go", "tool", "pprof", "-top", "rperf.data", directory:).out, pprof, "elsewhere it is pprof's"
  end

  def in_terminal(env, *words)
    words = ["--top"] if words.empty?
    shown = +""
    PTY.spawn(env, RUBY, RPERF, "report", *words, chdir: directory) do |reader, _writer, pid|
      loop { shown << reader.readpartial(4096) }
    rescue Errno::EIO # The end of a terminal.
      Process.wait(pid)
    end
    shown.force_encoding("UTF-8").gsub("\r\n", "\n")
  end
end
