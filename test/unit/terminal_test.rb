# frozen_string_literal: true

require_relative "../support/on_terminal"
require "rperf/cli/progress"
require "rperf/cli/terminal"

class TerminalTest < Minitest::Test
  include OnTerminal

  def shown(text, env, **options) = on_terminal { |out| Rperf::CLI::Terminal.new(out, env:).show(**options) { |sheet| sheet << text } }

  def test_colours_are_for_terminals_only
    reader, writer = IO.pipe
    assert_nil Rperf::CLI::Terminal.new(writer, env: {}).colour
    on_terminal do |out|
      colour = ->(env) { Rperf::CLI::Terminal.new(out, env:).colour }
      assert_equal [true, true, false, false], [{}, {"NO_COLOR" => ""}, {"NO_COLOR" => "1"}, {"TERM" => "dumb"}].map(&colour)
    end
  ensure
    [reader, writer].each(&:close)
  end

  def test_the_length_of_a_line
    reader, writer = IO.pipe
    assert_nil Rperf::CLI::Terminal.new(writer, env: {}).columns
    on_terminal { |out| assert_equal 80, Rperf::CLI::Terminal.new(out, env: {}).columns }
    on_terminal do |out|
      out.winsize = [0, 0]
      assert_nil Rperf::CLI::Terminal.new(out, env: {}).columns, "the terminal does not say"
    end
  ensure
    [reader, writer].each(&:close)
  end

  def test_long_text_is_paged
    long = "line\n" * 24
    number = {"PAGER" => "sed s/line/paged/"}
    assert_equal "paged\n" * 24, shown(long, number)
    assert_equal "line\n" * 23, shown("line\n" * 23, number), "it fits"
    assert_equal long, shown(long, number, paged: false)
    assert_equal long, shown(long, {"PAGER" => "cat"})
    assert_equal "own\n" * 24, shown(long, number.merge("RPERF_PAGER" => "sed s/line/own/"))
  end

  def test_less_gets_the_options_that_git_gives_it
    long = "line\n" * 24
    assert_equal "FRX -c\n", shown(long, {"PAGER" => "cat >/dev/null; echo $LESS $LV"})
    assert_equal "X -c\n", shown(long, {"PAGER" => "cat >/dev/null; echo $LESS $LV", "LESS" => "X"})
  end

  def test_a_pager_that_leaves_early_or_is_not_there
    assert_equal "line\n", shown("line\n" * 100_000, {"PAGER" => "head -n 1"})
    assert_includes shown("line\n" * 24, {"PAGER" => "no-such-pager 2>/dev/null"}), "line\n" * 24
  end

  def test_nobody_writes_for_a_pager_that_has_ended
    parts = 0
    text = on_terminal do |out|
      Rperf::CLI::Terminal.new(out, env: {"PAGER" => "head -n 1"}).show do |sheet|
        loop { (sheet << "line\n" * 10_000) && parts += 1 }
      end
    end
    assert_equal "line\n", text
    assert_operator parts, :<, 1000
  end

  def test_progress_ends_before_the_text_begins
    text = on_terminal do |out|
      Rperf::CLI::Progress.new(out, patience: 60, beside: out).during("reading") do |silence|
        silence.call
        out.write("text")
      end
    end
    assert_equal "text", text
  end

  # A terminal that also notes what is written to it.
  def noting(out, queue)
    Object.new.tap do |spoken|
      %i[tty? winsize].each { |name| spoken.define_singleton_method(name) { out.public_send(name) } }
      spoken.define_singleton_method(:write) { |words| out.write(words).tap { queue << words } }
    end
  end

  def test_progress_is_told_after_a_while
    queue = Thread::Queue.new
    text = on_terminal do |out|
      spoken = noting(out, queue)
      assert_equal 7, Rperf::CLI::Progress.new(spoken, patience: 0.0).during("reading") { queue.pop && 7 }
    end
    assert_match(/\A\r\e\[Krperf: reading, 0 s .*\r\e\[K\z/, text)
  end

  # What the terminal clears is one row.
  def test_progress_is_one_row_of_any_terminal
    queue = Thread::Queue.new
    text = on_terminal do |out|
      out.winsize = [24, 20]
      Rperf::CLI::Progress.new(noting(out, queue), patience: 0.0).during("reading 'a\e[2J\nü.data'") { queue.pop }
    end
    assert_match(/\A\r\e\[Krperf: reading 'a\u{fffd}\[\r\e\[K/, text)
  end

  def test_progress_is_not_told_where_it_would_stay
    before, ENV["TERM"] = ENV.fetch("TERM", nil), "dumb"
    on_terminal do |out|
      threads = Thread.list
      Rperf::CLI::Progress.new(out, patience: 60).during("reading") { assert_equal threads, Thread.list }
    end
  ensure
    ENV["TERM"] = before
  end

  def test_progress_goes_on_while_the_text_goes_to_a_file
    queue = Thread::Queue.new
    text = on_terminal do |out|
      spoken = noting(out, queue)
      File.open(__FILE__) do |beside|
        Rperf::CLI::Progress.new(spoken, patience: 0.0, beside:).during("writing") { |silence| silence.call || queue.pop }
      end
    end
    assert_match(/\A\r\e\[Krperf: writing, 0 s .*\r\e\[K\z/, text)
  end

  def test_progress_is_not_told_when_it_is_quick_or_nobody_sees_it
    assert_equal "", on_terminal { |out| assert_equal 7, Rperf::CLI::Progress.new(out, patience: 60).during("reading") { 7 } }
    reader, writer = IO.pipe
    Rperf::CLI::Progress.new(writer, patience: 0).during("reading") { Thread.pass }
    writer.close
    assert_empty reader.read
  ensure
    reader&.close
  end

  def test_without_a_thread_a_task_has_no_report
    none = ->(*) { raise ThreadError, "can't create Thread: Resource temporarily unavailable" }
    shown = on_terminal do |out|
      Thread.stub(:new, none) { assert_equal 7, Rperf::CLI::Progress.new(out, patience: 0).during("reading") { |silence| silence.call || 7 } }
    end
    assert_equal "", shown
  end

  def test_progress_ends_with_an_exception
    text = on_terminal do |out|
      assert_raises(ArgumentError) { Rperf::CLI::Progress.new(out, patience: 60).during("reading") { raise ArgumentError } }
    end
    assert_equal "", text
  end
end
