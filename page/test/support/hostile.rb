# frozen_string_literal: true

# A profile that tries to run something in the page, wherever a profile has text.
module Hostile
  # Each would set `window.attacked`, or leave the page, if it were more than text.
  TEXTS = [
    "</script><script>window.attacked = 1</script>",
    "<img src=x onerror='window.attacked = 2'>",
    "<!--<script>",
    "\"><svg onload=window.attacked=3>",
    "javascript:window.attacked=4",
    "</style><style>body{display:none}</style>",
    "{{data}} {{script}} \\u003cscript\\u003e \u2028\u2029",
    "__proto__",
    "<a href='https://attacker.example/'>click</a>",
    "' onmouseover='window.attacked=5"
  ].freeze

  def self.data
    { mode: :wall, aggregated_samples: samples, label_sets: label_sets, ruby_version: TEXTS[0], rperf_version: TEXTS[1],
      engine: TEXTS[2].to_sym, comments: TEXTS, dropped: TEXTS.to_h { |text| [text, { samples: 1, weight_ns: 1 }] },
      stat: TEXTS.to_h { |text| [text.to_sym, text] } }
  end

  def self.samples
    TEXTS.each_index.map do |number|
      frames = TEXTS.rotate(number).each_with_index.map { |text, line| Rperf::Frame.new(text, TEXTS[number], line) }
      Rperf::Sample.new(frames, 1_000_000 * (number + 1), number, number + 1)
    end
  end

  def self.label_sets = [{}] + TEXTS.map { |text| { text.to_sym => text, endpoint: text } }
  private_class_method :samples, :label_sets
end
