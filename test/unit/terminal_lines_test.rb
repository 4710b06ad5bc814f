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
    assert_equal "GET \u2026ops/:id Admin::ShopsController#show", cut.call(50)
    assert_equal "GET \u2026Controller#show", cut.call(1)
  end
end
