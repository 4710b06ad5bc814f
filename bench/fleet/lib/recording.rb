# frozen_string_literal: true

require "json"
require "rbconfig"
require "tmpdir"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"

module Fleet
  # How long a recorder delays a thread while it makes a recording of a full window.
  class Recording
    PROGRAM = File.expand_path("../recording_program.rb", __dir__)
    # Maximum delay, in milliseconds.
    BAR = 5.0
    # Maximum time until a recording is written, in milliseconds.
    WRITTEN = 500

    # rounds: number of recordings
    def initialize(rounds)
      text = Dir.mktmpdir { |directory| IO.popen([RbConfig.ruby, PROGRAM, directory, rounds.to_s], &:read) }
      @alone, *@rows = JSON.parse(text, symbolize_names: true)
    end

    def text
      rows = [["longest delay without", format("%.2f ms", @alone[:delay]), "", ""],
              ["longest delay", *Overhead::Statistics.median_and_most(delays), "#{BAR} ms"],
              ["written after", *Overhead::Statistics.median_and_most(times), "#{WRITTEN} ms"]]
      Overhead::Table.markdown(["while a recording of 30 s with 5,000 stacks is made", "median", "most", "bar"], rows)
    end

    # No request may wait for longer.
    def passed? = delays.max <= BAR && times.max <= WRITTEN

    private

    def delays = @rows.map { |row| row[:delay] }
    def times = @rows.map { |row| row[:seconds] * 1e3 }
  end
end
