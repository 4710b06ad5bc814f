# frozen_string_literal: true

require "rperf/web/response"
require_relative "../support/test_helper"

# Answers to programs.
class WebResponseTest < Minitest::Test
  # As under LC_ALL=C: the recorder's error has the name of its directory.
  def test_texts_in_any_encoding
    values = {error: "caf\xC3\xA9".dup.force_encoding(Encoding::US_ASCII), names: ["\u00e9".encode(Encoding::ISO_8859_1)], made: 1}
    body = Rperf::Web::Response.json(values).body
    assert_equal({"error" => "caf\u{fffd}\u{fffd}", "names" => ["\u00e9"], "made" => 1}, JSON.parse(body.force_encoding(Encoding::UTF_8)))
  end
end
