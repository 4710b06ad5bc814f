# frozen_string_literal: true

require "json"
require_relative "readers"

# Doubles of Grafana Pyroscope and Parca: see test/readers/stores.mjs.
class Stores
  SCRIPT = File.join(__dir__, "..", "readers", "stores.mjs")

  attr_reader :port

  def initialize
    @process = IO.popen(["node", SCRIPT, Readers::PACKAGES], "r+")
    @port = JSON.parse(@process.gets)["port"]
    @calls = Thread::Queue.new
    @reader = Thread.new { @process.each_line { |line| @calls << JSON.parse(line, symbolize_names: true) } }
  end

  # The next call that came: {store:, broken: (the rule, or nil), protocol:, series:}.
  def call(seconds: 60) = @calls.pop(timeout: seconds) || raise("no call came for #{seconds} s")

  # How many calls nothing has asked for.
  def waiting = @calls.length

  def close
    @process.close_write
    @reader.join
    @process.close
  end
end
