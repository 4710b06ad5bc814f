# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"

module MemoryBench
  # The ratios of one program in one VM, and whether they keep their bars.
  class Measurement
    CHILD = File.expand_path("../child.rb", __dir__)
    VMS = {"interpreter" => [], "yjit" => ["--yjit"]}.freeze
    # Maximum cost of a program under each variant: the median of the ratios of its CPU time to that
    # of the program alone.
    BARS = {
      "allocations" => {"alloc, direct" => 1.10, "alloc, event" => 1.75},
      "mallocs" => {"alloc, direct" => 1.10, "alloc, malloc" => 1.10, "heap, malloc" => 1.10},
      "rails" => {"alloc, direct" => 1.05, "alloc, event" => 1.25},
      "sinatra" => {"alloc, direct" => 1.05, "alloc, event" => 1.25},
      "nothing" => {"alloc, direct" => 1.00, "alloc, event" => 1.00}
    }.freeze
    PROGRAMS = BARS.keys.freeze
    # Two modes together should cost the sum of what these cost alone.
    ALONE = ["cpu", "alloc, direct"].freeze
    SUM = "cpu plus alloc, direct"
    # Tolerance for the rounding of the last digit of a bar.
    ROUNDING = 0.005

    # Runs the program in a process of its own.
    def self.take(program, vm, rounds:, seconds:)
      out, status = Open3.capture2(RbConfig.ruby, *VMS.fetch(vm), CHILD, program, rounds.to_s, seconds.to_s)
      abort "bench/memory: the program '#{program}' failed" unless status.success?
      new(program, vm, JSON.parse(out))
    end

    # result: "costs" (nanoseconds of CPU time of each round, by variant), "objects" (of one round)
    def initialize(program, vm, result)
      @program = program
      @vm = vm
      @costs = with_sum(result.fetch("costs"))
      @rate = result.fetch("objects") / (median(@costs.fetch("nothing")) / 1e9)
    end

    # The table as Markdown.
    def text
      rows = @costs.keys.map { |variant| [variant, cell(variant), bar(variant)] }
      rounds = @costs.fetch("nothing").length
      title = format("## %s, %s: %.1f million objects a second, medians of %d rounds, [quartiles]", @program, @vm, @rate / 1e6, rounds)
      "#{title}\n\n#{Overhead::Table.markdown(["", "CPU time to that of the program alone", "bar"], rows)}\n"
    end

    # Whether all bars are kept.
    def passed? = BARS.fetch(@program).all? { |variant, bar| median(ratios(variant)) <= bar + ROUNDING }

    private

    def with_sum(costs)
      return costs unless ALONE.all? { |variant| costs.key?(variant) }
      nothing, cpu, alloc = costs.values_at("nothing", *ALONE)
      costs.merge(SUM => cpu.zip(alloc, nothing).map { |of_cpu, of_alloc, of_nothing| of_cpu + of_alloc - of_nothing })
    end

    def cell(variant) = format("%.3f [%.3f, %.3f]", median(ratios(variant)), *Overhead::Statistics.quartiles(ratios(variant)))

    def bar(variant)
      bar = BARS.fetch(@program)[variant]
      return "" unless bar
      format("%.2f%s", bar, median(ratios(variant)) <= bar + ROUNDING ? "" : " missed")
    end

    def ratios(variant) = Overhead::Statistics.paired(@costs.fetch(variant), @costs.fetch("nothing")).map { |more| more + 1 }

    def median(values) = Overhead::Statistics.median(values)
  end
end
