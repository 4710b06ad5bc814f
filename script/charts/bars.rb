# frozen_string_literal: true

module Charts
  # Horizontal bars as SVG: a group of them for each case, with rperf's own bar first.
  class Bars
    WIDTH = 860
    LEFT = 260
    RIGHT = 70
    TOP = 92
    BAR = 9
    GROUP = 38
    # Value at the right end, in per cent. A longer bar is cut there; its figure shows the value.
    MOST = 70.0
    COLOURS = ["#0b6e4f", "#e0a458", "#8d99ae"].freeze
    NAMES = ["rperf", "sampling at safepoints", "rbspy"].freeze

    # cases: [[name, [per cent or nil, ...]], ...]
    def initialize(cases, title, subtitle)
      @cases = cases
      @title = title
      @subtitle = subtitle
    end

    # The picture, with a background of its own, so that it is readable on a dark page, too.
    def svg
      <<~SVG
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 #{WIDTH} #{height}" font-family="sans-serif" font-size="13" role="img">
        <title>#{@title}</title>
        <rect width="#{WIDTH}" height="#{height}" fill="#ffffff"/>
        #{text(16, 26, @title, size: 16)}
        #{text(16, 46, @subtitle, size: 12)}
        #{legend}
        #{@cases.each_with_index.map { |(name, values), index| group(name, values, TOP + (index * GROUP)) }.join("\n")}
        </svg>
      SVG
    end

    private

    def height = TOP + (@cases.length * GROUP) + 8

    def legend
      NAMES.zip(COLOURS).each_with_index.map do |(name, colour), index|
        x = LEFT + (index * 190)
        "#{rect(x, 62, 12, 12, colour)}\n#{text(x + 18, 73, name)}"
      end.join("\n")
    end

    def group(name, values, top)
      bars = values.zip(COLOURS).each_with_index.map { |(value, colour), index| bar(value, colour, top + (index * (BAR + 1))) }
      [text(LEFT - 12, top + 19, name, anchor: "end"), *bars].join("\n")
    end

    def bar(value, colour, top)
      return text(LEFT + 2, top + BAR, "no result", size: 10) unless value
      width = [value / MOST, 1.0].min * (WIDTH - LEFT - RIGHT)
      "#{rect(LEFT, top, [width, 1].max.round(1), BAR, colour)}\n#{text(LEFT + width.round(1) + 5, top + BAR, format("%.1f", value), size: 10)}"
    end

    def rect(x, y, width, height, colour) = %(<rect x="#{x}" y="#{y}" width="#{width}" height="#{height}" fill="#{colour}"/>)

    def text(x, y, content, size: 13, anchor: "start")
      %(<text x="#{x}" y="#{y}" font-size="#{size}" text-anchor="#{anchor}" fill="#222222">#{content.gsub("&", "&amp;").gsub("<", "&lt;")}</text>)
    end
  end
end
