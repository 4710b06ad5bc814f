# frozen_string_literal: true

module Charts
  # rperf, its safepoint engine and rbspy on the same programs.
  class Comparison
    # Names of the samplers in the result file, and the names that readers see.
    SAMPLERS = {"tick" => "rperf", "safepoint" => "at safepoints", "rbspy" => "rbspy"}.freeze
    # rbspy samples all threads by the wall clock and does not measure CPU time.
    COLUMNS = [%w[cpu tick], %w[cpu safepoint], %w[wall tick], %w[wall safepoint], %w[wall rbspy]].freeze
    # Mode of the chart.
    MODE = "wall"

    def initialize(file, machine: "yjit")
      @load = file.load
      @rows = file.sections.fetch("quiet").except(ResultFile::MEAN)
      @machine = machine
    end

    # Number of programs.
    def count = @rows.length

    # Number of programs for which all samplers have a result, in the mode of the chart.
    def complete_count = bars.count { |_name, errors| errors.all? }

    # Cases with the errors of all samplers, in per cent or nil: [[case, [0.4, 16.6, nil]], ...]
    def bars = @rows.map { |name, cells| [name, SAMPLERS.keys.map { |sampler| error(cells, sampler, MODE) }] }

    # {"rperf" => 1.2}: means of the cases in which all samplers have a result.
    def means = SAMPLERS.values.zip(mean_of(SAMPLERS.keys.map { |sampler| [MODE, sampler] })).to_h

    def title = "Time charged to the wrong method, in per cent"

    # The line below the title.
    def subtitle = "wall time, Ruby 3.4 with YJIT, 1000 samples a second. #{@load}".rstrip

    # The table as lines of Markdown.
    def table
      rows = @rows.map { |name, cells| [name, *COLUMNS.map { |mode, sampler| shown(error(cells, sampler, mode)) }] }
      means = COLUMNS.group_by(&:first).values.flat_map { |columns| mean_of(columns) }
      heads = ["program", *COLUMNS.map { |mode, sampler| "#{mode}, #{SAMPLERS.fetch(sampler)}" }]
      Document.table(heads, [*rows, ["**mean** where all have a result", *means.map { |mean| shown(mean) }]])
    end

    private

    # Means of columns over the cases in which all of these columns have a result.
    def mean_of(columns)
      complete = @rows.values.map { |cells| columns.map { |mode, sampler| error(cells, sampler, mode) } }.select(&:all?)
      complete.transpose.map { |errors| errors.sum / errors.length }
    end

    def error(cells, sampler, mode) = ResultFile.percent(cells["#{sampler}, #{mode}, #{@machine}"])

    def shown(percent) = percent ? format("%.1f %%", percent) : "none"
  end

  # The means of rperf in each circumstance.
  class Means
    CIRCUMSTANCES = {
      "quiet" => "on a quiet machine", "two" => "beside two busy processes, on two processors",
      "sessions" => "the same, where the system shares the processors among sessions or containers",
      "four" => "beside four busy processes", "pinned" => "on one processor",
      "quota" => "in a container that may use 60 % of one processor"
    }.freeze
    COLUMNS = ["tick, cpu, interpreter", "tick, wall, interpreter"].freeze
    # The program whose ticks are counted, not its time: it is no part of the means.
    APART = "programs of 10 ms under rperf record"

    def initialize(file)
      @sections = file.sections
    end

    # The table as lines of Markdown.
    def table
      rows = CIRCUMSTANCES.map { |name, title| [title, *COLUMNS.map { |column| mean(name, column) }] }
      Document.table(["", "cpu", "wall"], rows)
    end

    # The mean as text: "1.3 %".
    def mean(name, column) = format("%.1f %%", ResultFile.percent(@sections.fetch(name).fetch(ResultFile::MEAN).fetch(column)))

    # Number of programs of which the means are.
    def count = @sections.fetch("quiet").except(ResultFile::MEAN, APART).length

    # The largest errors of all cases, in per cent.
    def worst(number) = @sections.values.flat_map { |rows| rows.values.flat_map(&:values) }.filter_map { |cell| ResultFile.percent(cell) }.max(number)
  end
end
