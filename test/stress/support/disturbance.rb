# frozen_string_literal: true

require_relative "../../../bench/workloads/workloads"

module Stress
  # Counts what disturbed the calling thread in its waits.
  class Disturbance
    # An undisturbed wait gives the CPU up a few times (connect: once more for the packet
    # that is sent again; Ruby: for its locks and the GVL). Ticks at 1000 Hz into a wait of 100 ms
    # would wake it 100 times.
    WAKE_UPS_ALLOWED = 20

    Wait = Struct.new(:calls, :interrupted, :most_wake_ups)

    attr_reader :waits

    def initialize
      @waits = Hash.new { |waits, name| waits[name] = Wait.new(0, 0, 0) }
    end

    def watch(name)
      interrupted = Workloads.eintr_count
      wake_ups = Workloads.voluntary_switches
      yield
      wait = @waits[name]
      wait.calls += 1
      wait.interrupted += Workloads.eintr_count - interrupted
      wait.most_wake_ups = [wait.most_wake_ups, Workloads.voluntary_switches - wake_ups].max
    end

    def interrupted = @waits.sum { |_name, wait| wait.interrupted }

    # The waits that something disturbed, as lines.
    def faults
      @waits.filter_map do |name, wait|
        next if wait.interrupted.zero? && wait.most_wake_ups <= WAKE_UPS_ALLOWED

        "#{name}: #{wait.interrupted} EINTR in #{wait.calls} calls, up to #{wait.most_wake_ups} wake-ups a call"
      end
    end
  end
end
