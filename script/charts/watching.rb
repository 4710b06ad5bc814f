# frozen_string_literal: true

module Charts
  # Costs of watching objects, from a file of bench/results that bench/memory/run has written.
  class Watching
    # Section of a program, in the interpreter or with YJIT.
    SECTION = /^## (\w+), (interpreter|yjit): [^\n]*\n(.*?)(?=^## |\z)/m
    # Row of a way to watch: the ratio of the CPU time to that of the program alone.
    ROW = /^\| ([^|]+?) \| ([\d.]+) \[/
    # Names in the result file, and the names that readers see.
    PROGRAMS = {
      "allocations" => "a loop of Strings, Arrays and Hashes", "sinatra" => "requests to Sinatra",
      "rails" => "requests to Rails", "nothing" => "a program that allocates nothing"
    }.freeze
    WAYS = {
      "alloc, direct" => "`direct`", "alloc, malloc" => "`direct`, with `--malloc`", "alloc, event" => "`event`",
      "TracePoint, empty" => "an empty TracePoint of new objects"
    }.freeze
    MACHINES = %w[interpreter yjit].freeze

    def initialize(text)
      @factors = text.scan(SECTION).to_h { |program, machine, body| [[program, machine], body.scan(ROW).to_h.transform_values { Float(it) }] }
    end

    # Ratios of the CPU time of a program watched in this way to that of the program alone, in the
    # interpreter and with YJIT.
    def factors(program, way) = MACHINES.map { |machine| @factors.fetch([program, machine]).fetch(way) }

    # The table as lines of Markdown.
    def table
      rows = PROGRAMS.map { |program, title| [title, *WAYS.keys.map { |way| factors(program, way).map { format("%.2f", it) }.join(" / ") }] }
      Document.table(["program", *WAYS.values], rows)
    end
  end
end
