# frozen_string_literal: true

require "json"
require_relative "../support/program"
require "rperf/numbers"

# Threads that wait for work, in the reports about real programs.
class IdleTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Twelve threads wait for jobs that never come, one does all of them; it sleeps, so that a busy
  # machine changes nothing.
  POOL = <<~RUBY
    jobs = Queue.new
    idle = Queue.new
    12.times { |number| Thread.new { idle.pop }.name = "idle \#{number}" }
    def serve = sleep(0.2)
    worker = Thread.new { 3.times { jobs.pop; serve } }
    3.times { jobs << 1 }
    worker.join
  RUBY

  # A directory with the program's profile.
  def recorded(code)
    shared_directory(code) do |directory|
      write_file(directory, "program.rb", code)
      result = rperf("record", "-m", "wall", "-o", "p.json", "ruby", "program.rb", directory:)
      assert_equal 0, result.code, result.inspect
    end
  end

  def top(directory, *options) = JSON.parse(rperf("report", "--top", "--format", "json", *options, "p.json", directory:).out)

  def names(report) = report.fetch("functions").map { |function| function["name"] }

  # The weight of a function, 0 where it has no row.
  def cumulative(report, name) = report.fetch("functions").sum { |function| (function["name"] == name) ? function["cum"] : 0 }

  LINE = /^(\d+) threads? x [\d.]+m?s, [\d.]+s idle folded; --idle shows them$/

  def test_a_pool_that_waits_is_one_line
    directory = recorded(POOL)
    report, all = top(directory), top(directory, "--idle")
    assert_equal 13, report.dig("idle", "threads"), "the pool, and the main thread that joins"
    assert_equal [true, false], [report, all].map { |document| document.dig("idle", "folded") }
    assert_equal all["total"], report["total"] + report.dig("idle", "weight")
    # The worker, which is not idle, may have waited for the first job.
    assert_operator cumulative(report, "Thread::Queue#pop"), :<, cumulative(all, "Thread::Queue#pop") / 12
    assert_includes names(report), "Object#serve"
    text = rperf("report", "--top", "p.json", directory:).out
    assert_equal "13", text[LINE, 1]
    refute_match LINE, rperf("report", "--top", "--idle", "p.json", directory:).out
    rows = rperf("report", "--by", "thread", "--idle", "p.json", directory:).out
    12.times { |number| assert_match(/ idle #{number} \(thread \d+\) /, rows) }
    collapsed = rperf("report", "--collapsed", "p.json", directory:).out
    assert_includes collapsed, "Thread::Queue#pop", "exports keep everything"
  end

  # One thread sleeps for long, others do for a short time again and again.
  SLEEPERS = <<~RUBY
    Thread.new { sleep }
    Thread.new { 5.times { sleep 0.2 } }
    10.times { sleep 0.1 }
  RUBY

  def test_record_and_report_say_the_same
    %w[p.pb.gz p.json].each do |file|
      in_directory do |directory|
        write_file(directory, "program.rb", SLEEPERS)
        said = rperf("record", "-m", "wall", "-o", file, "ruby", "program.rb", directory:).err
        idle = JSON.parse(rperf("report", "--top", "--format", "json", file, directory:).out).fetch("idle")
        assert_equal 1, idle["threads"]
        assert_includes said, ", #{Rperf::Numbers.duration(idle["weight"])} idle in 1 thread"
      end
    end
  end

  def test_stat_leaves_it_out_too
    in_directory do |directory|
      write_file(directory, "program.rb", POOL)
      summary = rperf("stat", "ruby", "program.rb", directory:).err
      assert_match(/^  13 threads x [\d.]+m?s, [\d.]+s idle folded; --idle shows them$/, summary)
      blocked = ->(text) { text[/^ *([\d,.]+) ms .*GVL blocked/, 1].delete(",").to_f }
      all = rperf("stat", "--idle", "ruby", "program.rb", directory:).err
      refute_match(/folded/, all)
      assert_operator blocked[all], :>, 5 * blocked[summary]
    end
  end

  # The tables of `stat --report`, the files for people, what -p prints and what is said at the end.
  def test_texts_for_people_leave_it_out
    in_directory do |directory|
      write_file(directory, "program.rb", POOL)
      texts = %w[p.txt p.md].map do |name|
        result = rperf("record", "-m", "wall", "-p", "-o", name, "ruby", "program.rb", directory:)
        assert_match(/, [\d.]+ m?s of wall time, [\d.]+ s idle in 13 threads[,;]/, result.err)
        assert_match LINE, result.out
        assert_match(/ ms +[\d.]+%  Object#serve \(program.rb\)$/, result.out)
        File.read(File.join(directory, name))
      end
      report = rperf("stat", "--report", "ruby", "program.rb", directory:).err
      [*texts, report].each do |text|
        assert_match(/\b13 threads x [\d.]+m?s, [\d.]+s idle folded; --idle shows them$/, text)
        refute waited_seconds?(text), text
        assert_match(/block in <main>:5\b/, text)
      end
      assert_equal 1, report.scan("idle folded").length
    end
  end

  # Whether a row says seconds of waiting for work; what follows a wait is some milliseconds.
  def waited_seconds?(text) = text.lines.any? { |line| line.include?("Thread::Queue#pop") && line.match?(/\d s /) }

  def test_they_count_it_where_that_is_asked_for
    in_directory do |directory|
      write_file(directory, "program.rb", POOL)
      record = rperf("record", "-m", "wall", "--idle", "-v", "-p", "-o", "p.json", "ruby", "program.rb", directory:)
      converted = %w[text markdown].map { |format| rperf("convert", "--idle", "--format", format, "p.json", "-", directory:).out }
      view = rperf("report", "--markdown", "--idle", "p.json", directory:).out
      stat = rperf("stat", "--report", "--idle", "ruby", "program.rb", directory:).err
      [record.out, *converted, view, stat].each { |text| assert waited_seconds?(text), text }
      [record.out, record.err, *converted, view, stat].each { |text| refute_match(/folded|idle in/, text) }
    end
  end

  # A filter takes frames away that show waiting.
  def test_filters_come_after_it
    directory = recorded(POOL)
    [%w[--top], %w[--markdown]].product(["--mine", "--hide=GVL blocked", "--tagleaf=endpoint"]) do |view, filter|
      text = rperf("report", *view, filter, "p.json", directory:).out
      assert_match(/\b13 threads x [\d.]+m?s, [\d.]+s idle folded; --idle shows them$/, text, "#{view} #{filter}")
    end
    line = rperf("diff", "--top", "--mine", "p.json", "p.json", directory:).out[/^before .* folded; --idle shows them$/]
    page = rperf("diff", "--html", "-", "--mine", "p.json", "p.json", directory:).out
    assert_includes page, %("folded":"#{line}")
  end

  # What a page counts at first, in nanoseconds.
  def total_of_page(page)
    document = JSON.parse(page[%r{<script[^>]*id="data">(.*?)</script>}m, 1])
    samples = document.dig("target", "samples")
    idle = (samples["idle"] || [samples["weight"].length]).each_with_index.flat_map { |length, run| [run.odd?] * length }
    shown = document.dig("idle", "shown") != false
    samples["weight"].zip(idle).sum { |weight, is_idle| (is_idle && !shown) ? 0 : weight }
  end

  def test_the_page_says_what_the_terminal_says
    directory = recorded(POOL)
    page = ->(*options) { total_of_page(rperf("report", "--html", "-", *options, "p.json", directory:).out) }
    [[], %w[--idle]].each { |options| assert_equal top(directory, *options)["total"], page[*options], options.inspect }
    assert_operator page["--focus", "Queue#pop"], :<, page["--idle", "--focus", "Queue#pop"] / 12
    rperf("convert", "p.json", "p.html", directory:)
    assert_equal top(directory)["total"], total_of_page(File.read(File.join(directory, "p.html")))
  end

  # Nothing but waiting is what these programs are about.
  {
    "a main thread that sleeps" => "sleep 1",
    "one that sleeps below a timeout" => "require 'timeout'; Timeout.timeout(60) { sleep 1 }",
    "one that sleeps beside a pool" => "3.times { Thread.new { Queue.new.pop } }; sleep 1"
  }.each do |name, code|
    define_method("test_#{name.tr(" ", "_")}_still_does") do
      directory = recorded(code)
      function = top(directory).fetch("functions").find { |known| known["name"] == "Kernel#sleep" }
      assert_operator function["cum"], :>=, 900_000_000
    end
  end

  def test_a_program_of_threads_that_only_wait_is_shown
    directory = recorded("3.times.map { Thread.new { sleep 1 } }.each(&:join)")
    sleeping = top(directory).fetch("functions").find { |known| known["name"] == "Kernel#sleep" }
    assert_operator sleeping["cum"], :>=, 2_900_000_000
  end
end
