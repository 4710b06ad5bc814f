# frozen_string_literal: true

require "rbconfig"
require "tmpdir"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"
require_relative "../../support/rperf"

module Fleet
  # Blame: compares the waiting for the GVL that threads caused with the measured waiting, and
  # measures the additional cost of a switch of the GVL.
  class Blame
    # Maximum difference of the sums in percent, and maximum additional cost of a switch in ns.
    BARS = {"difference" => 10.0, "switch" => 300.0}.freeze
    PROGRAM = File.expand_path("../contention.rb", __dir__)
    RPERF = File.expand_path("../../../exe/rperf", __dir__)
    SWITCHES = 100_000

    # rounds: number of runs; seconds: duration of the program in each run
    def initialize(rounds, seconds)
      @sums = Array.new(rounds) { sums(seconds) }
      @switches = Array.new(rounds * 5) { |round| in_turn(round) { |blame| switch(blame) } }
    end

    def text
      rows = @sums.map { |wait, caused| [*[wait, caused].map { |time| format("%.2f s", time / 1e9) }, format("%+.1f %%", percent(wait, caused)), "#{BARS["difference"]} %"] }
      costs = @switches.transpose.map { |times| format("%.0f ns", Overhead::Statistics.median(times)) }
      [Overhead::Table.markdown(["waiting for the GVL, measured", "caused", "difference", "bar"], rows),
       Overhead::Table.markdown(["a switch of the GVL without", "with blame", "difference", "bar"],
         [[*costs, format("%+.0f ns", dearer), "#{BARS["switch"]} ns"]])].join("\n\n")
    end

    def passed? = @sums.all? { |sums| percent(*sums).abs <= BARS["difference"] } && dearer <= BARS["switch"]

    private

    def percent(wait, caused) = 100.0 * (caused - wait) / wait

    def dearer = Overhead::Statistics.median(@switches.map { |without, with| with - without })

    # Returns the nanoseconds of measured and of caused waiting.
    def sums(seconds)
      Dir.mktmpdir do |directory|
        path = File.join(directory, "blame.json")
        system(RbConfig.ruby, RPERF, "record", "-m", "wall", "--blame", "-o", path, RbConfig.ruby, PROGRAM, seconds.to_s, err: File::NULL, exception: true)
        samples = Rperf.load(path)[:samples]
        [samples.sum { |frames, weight| frames.first.label == "[GVL wait]" ? weight : 0 }, samples.sum { |sample| sample.values.last }]
      end
    end

    # Results of the block without and with blame. The order of the two runs alternates by round.
    def in_turn(round, &) = round.even? ? [false, true].map(&) : [true, false].map(&).reverse

    # Returns the nanoseconds of a switch between two threads in a session.
    def switch(blame)
      Rperf.start(mode: :wall, blame:)
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      Array.new(2) { Thread.new { (SWITCHES / 2).times { Thread.pass } } }.each(&:join)
      (Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - begun).fdiv(SWITCHES)
    ensure
      Rperf.stop
    end
  end
end
