# frozen_string_literal: true

require "securerandom"
require_relative "../../support/rperf"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"

module Fleet
  # Cost of entering and leaving a unit of work, with its line in the ledger and a link to a trace;
  # and without a session. Each round measures all cases, and the empty block, in turns.
  class Units
    COUNT = 50_000
    # Maximum costs, in microseconds.
    BARS = {"without a session" => 0.1, "a unit of work" => 3.0, "one with a link" => 3.3}.freeze
    TRACE, SPAN = SecureRandom.bytes(16), SecureRandom.bytes(8)

    def initialize(rounds)
      rows = Array.new(rounds) { round }
      @costs = BARS.keys.to_h { |name| [name, rows.map { |row| row.fetch(name) }] }
    end

    def text
      rows = @costs.map { |name, costs| [name, *[median(costs), costs.min].map { |cost| format("%.2f us", cost) }, "#{BARS[name]} us"] }
      Overhead::Table.markdown(["to enter and to leave", "median", "least", "bar"], rows)
    end

    # The minimum counts: time that other processes take is no cost of a unit.
    def passed? = @costs.all? { |name, costs| costs.min <= BARS[name] }

    private

    # {name => microseconds of one unit}
    def round
      without = each { Rperf.work("import") { nil } }
      Rperf.start(mode: :both, frequency: 99)
      unit = each { Rperf.work("import") { nil } }
      linked = each { Rperf.work("import") { Rperf::Native.link_work(TRACE, SPAN) } }
      BARS.keys.zip([without, unit, linked]).to_h
    ensure
      Rperf.stop
    end

    # Cost of the block, in microseconds, beyond that of an empty block called through a method.
    def each(&block)
      empty = time { block_of { nil } }
      time(&block) - empty
    end

    def block_of = yield

    def time
      begun = now
      count = 0
      yield while (count += 1) <= COUNT
      (now - begun) / COUNT * 1e6
    end

    def median(values) = Overhead::Statistics.median(values)
    def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  end
end
