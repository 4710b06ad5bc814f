# frozen_string_literal: true

require "rperf/middleware"
require_relative "../../support/rperf"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"

module Fleet
  # Costs of a label, a unit of work and a request after 10 ms of other work, as in a server, where
  # the processor's caches hold other data by then. Costs without a session are subtracted.
  class ColdUnits
    COUNT = 100
    # Seconds of CPU time before the block, and in it.
    WORK = 0.01
    ENVIRONMENT = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/"}.freeze

    def initialize(rounds)
      middleware = Rperf::Middleware.new(->(_env) { work })
      @cases = {
        "the work alone" => -> { work },
        "a label" => -> { Rperf.label(endpoint: "GET /") { work } },
        "a unit of work" => -> { Rperf.work("GET /", kind: :request) { work } },
        "a request, by the middleware" => -> { middleware.call(ENVIRONMENT.dup) }
      }
      rows = Array.new(rounds) { round }
      @costs = @cases.keys.drop(1).to_h { |name| [name, rows.map { |row| row.fetch(name) }] }
    end

    def text
      rows = @costs.map { |name, costs| [name, *[Overhead::Statistics.median(costs), costs.min].map { |cost| format("%.0f us", cost) }] }
      Overhead::Table.markdown(["in a request of #{(WORK * 1e3).round} ms", "median", "least"], rows)
    end

    # There is no bar.
    def passed? = true

    private

    # {name => microseconds beyond the work alone, and beyond the same without a session}
    def round
      without = times
      Rperf.start(mode: :both, frequency: 99)
      with = times
      more = with.to_h { |name, time| [name, time - without.fetch(name)] }
      more.transform_values { |time| (time - more.fetch("the work alone")) * 1e6 }
    ensure
      Rperf.stop
    end

    # {name => median of its CPU time}; the cases run in turns.
    def times
      all = Array.new(COUNT) { @cases.transform_values { |body| time(body) } }
      @cases.keys.to_h { |name| [name, Overhead::Statistics.median(all.map { |one| one.fetch(name) })] }
    end

    def time(body)
      work
      begun = now
      body.call
      now - begun
    end

    def work
      finish = now + WORK
      100.times { |number| number.to_s } while now < finish
    end

    def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  end
end
