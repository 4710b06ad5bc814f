# frozen_string_literal: true

module Charts
  # A file of bench/results that bench/accuracy/run has written.
  class ResultFile
    # A section, "two: two busy neighbours".
    SECTION = /^## (\w+): [^\n]*\n(.*?)(?=^## |\z)/m
    MEAN = "**mean**"

    def initialize(text)
      @text = text
    end

    # {"quiet" => {case => {"tick, cpu, yjit" => "0.36"}}}
    def sections = @text.scan(SECTION).to_h { |name, body| [name, table(body)] }

    # A line like "Load average when it began: 13.63, 2 processors."; nil in files without it.
    def load = @text[/^Load average when it began: .*$/]

    # A cell as a number, in per cent; nil where the run failed, or there was none. For rbspy, which
    # promises no time, the error of the shares, which is in brackets.
    def self.percent(cell)
      text = cell.to_s[/\((.*)\)/, 1] || cell.to_s
      Float(text) if text.match?(/\A\d+\.\d+\z/)
    end

    private

    def table(body)
      (_case, *columns), _rule, *rows = body.scan(/^\|(.*)\|$/).map { |(line)| line.split("|").map(&:strip) }
      rows.to_h { |name, *cells| [name, columns.zip(cells).to_h] }
    end
  end
end
