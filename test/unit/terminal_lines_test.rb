# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/terminal_lines"

class TerminalLinesTest < Minitest::Test
  def hanging(text, columns) = Rperf::TerminalLines.hanging("ok  ", text, columns)

  def test_a_text_hangs_below_its_beginning
    text = "poll: stacks are read from outside, at the tick"
    assert_equal "ok  #{text}", hanging(text, nil)
    assert_equal "ok  #{text}", hanging(text, 4 + text.length)
    assert_equal <<~TEXT.chomp, hanging(text, 3 + text.length)
      ok  poll: stacks are read from outside, at the
          tick
    TEXT
    assert_equal <<~TEXT.chomp, hanging(text, 24)
      ok  poll: stacks are
          read from outside,
          at the tick
    TEXT
  end

  def test_a_long_word_stays_whole
    text = "see a https://example.org/a/long/path b"
    assert_equal "ok  see a\n    https://example.org/a/long/path\n    b", hanging(text, 24)
    assert_equal hanging(text, 24), hanging(text, 1), "a text has some room in any case"
  end

  TEXT = <<~TEXT
    Usage: rperf x

    A paragraph of two lines, of which the first one is too long for the terminal
    and the second one is not.

      -o, --output PATH  file to write the profile to, or - for stdout (default: none)
      -h, --help         show this help

    * A list, whose first entry has a second line, which hangs below the beginning
      of its text.
    * b

      cpu   Time that a thread spent on a processor. Sleep, input and output, and
            waiting weigh nothing.
  TEXT

  def test_the_lines_of_a_text_are_broken_where_the_terminal_ends
    assert_equal <<~TEXT, Rperf::TerminalLines.filled(TEXT, 60)
      Usage: rperf x

      A paragraph of two lines, of which the first one is too long
      for the terminal and the second one is not.

        -o, --output PATH  file to write the profile to, or - for
                           stdout (default: none)
        -h, --help         show this help

      * A list, whose first entry has a second line, which hangs
        below the beginning of its text.
      * b

        cpu   Time that a thread spent on a processor. Sleep,
              input and output, and waiting weigh nothing.
    TEXT
    assert_equal [TEXT, TEXT], [nil, 100].map { |columns| Rperf::TerminalLines.filled(TEXT, columns) }
    code = "    rperf record ruby app.rb\n    rperf report\n"
    assert_equal code, Rperf::TerminalLines.filled(code, 20, kept: /\A {4}/)
  end

  def test_a_text_loses_its_end
    cut = ->(columns) { Rperf::TerminalLines.cut("puma: cluster worker 0: 4242 [shop]", 10, columns) }
    assert_equal "puma: cluster worker 0: 4242 [shop]", cut.call(nil)
    assert_equal "puma: cluster worker 0: 4242 [shop]", cut.call(45)
    assert_equal "puma: cluster worker 0: 4242 [sho\u2026", cut.call(44)
    assert_equal "puma: cluster worke\u2026", cut.call(1)
  end

  def test_an_endpoint_keeps_its_action
    cut = ->(columns) { Rperf::TerminalLines.cut("GET /shops/:id Admin::ShopsController#show", 10, columns) }
    assert_equal "GET /shops/:id Admin::ShopsController#show", cut.call(52)
    assert_equal "GET /shops/\u2026 Admin::ShopsController#show", cut.call(50)
    assert_equal "GET \u2026Controller#show", cut.call(1)
  end

  def test_names_are_cut_as_in_reports
    assert_equal "\u2026s::NightlyImportJob", Rperf::TerminalLines.cut("Warehouse::Imports::NightlyImportJob", 0, 20)
  end

  def test_endpoints_of_one_action_are_told_apart
    names = ["GET /issues", "GET /projects/:project_id/issues"].map { |path| Rperf::TerminalLines.cut("#{path} IssuesController#index", 10, 44) }
    assert_equal ["GET /issues IssuesController#index", "GET /proje\u2026 IssuesController#index"], names
  end
end
