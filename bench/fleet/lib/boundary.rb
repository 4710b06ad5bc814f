# frozen_string_literal: true

require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"
require_relative "../../support/rperf"
require_relative "../many_stacks"
require "rperf/agent"
require "rperf/readers"

module Fleet
  # The end of a period: how long the program waits for the GVL while its profile is taken, and the
  # cost of that.
  class Boundary
    # Maximum single wait of the program, and maximum CPU time of the whole, in milliseconds.
    BARS = {"longest wait" => 5.0, "CPU" => 25.0}.freeze
    # Maximum number of bytes sent for a period.
    SENT = 200_000
    OPTIONS = {frequency: 99, mode: :cpu, signal: nil, aggregate: true, lines: true, manual: true}.freeze

    # rounds: number of periods
    def initialize(rounds)
      Rperf::LayoutProof.ensure
      Rperf::Native.start(**OPTIONS)
      readers = Rperf::Readers.new
      reader = Object.new
      readers.open(reader, limit: nil)
      @rows = Array.new(rounds) { period(readers, reader) }
      @sent = {"pyroscope+http" => "as pprof", "otlp+http" => "as OTLP"}.to_h { |kind, name| [name, sent("#{kind}://127.0.0.1")] }
    ensure
      Rperf::Native.stop
    end

    def text
      heads = ["a period of #{stacks} stacks of #{ManyStacks::DEPTH} frames", "median", "most", "bar"]
      rows = @rows.first.keys.map do |name|
        values = @rows.map { |row| row[name] }
        [name, *Overhead::Statistics.median_and_most(values), BARS[name] ? "#{BARS[name]} ms" : ""]
      end
      bytes = @sent.map { |name, size| [name, "#{(size / 1e3).round} kB", "#{SENT / 1000} kB"] }
      [Overhead::Table.markdown(heads, rows), Overhead::Table.markdown(["what is sent of it", "bytes", "bar"], bytes)].join("\n\n")
    end

    def passed? = @sent.values.all? { |size| size <= SENT } && BARS.all? { |name, bar| Overhead::Statistics.median(@rows.map { |row| row[name] }) <= bar }

    private

    def stacks = ManyStacks::WAYS

    def period(readers, reader)
      ManyStacks.visit
      cpu = nil
      waits = []
      before = Array.new(100) { wait }.max
      taking = Thread.new { cpu = cpu_of { @profile = readers.take(reader).first } }
      waits << wait while taking.alive?
      {"longest wait without" => before * 1e3, "longest wait" => waits.max * 1e3, "CPU" => cpu * 1e3}
    end

    # Returns the size of the request that sends the last period there, in bytes.
    def sent(push)
      settings = Rperf::Agent::Settings.new(push:, service: "shop")
      destination = Rperf::Agent::Destinations.of(settings, Rperf::Agent::Series.new(service: "shop")).first
      destination.entry(Rperf::Agent::Delivery.new(@profile)).body.bytesize
    end

    # Returns the seconds until a thread that gave up the GVL for 0.1 ms has it again.
    def wait
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      sleep 0.0001
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
    end

    def cpu_of
      begun = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      yield
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - begun
    end
  end
end
