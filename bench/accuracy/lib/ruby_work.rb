# frozen_string_literal: true

module Accuracy
  # Generates methods that do a calibrated amount of work in Ruby and measure their own cost. Each
  # method has a name of its own, so that the profile shows it.
  module RubyWork
    BODIES = {
      loop: "left -= 1 while left > 0",
      block: "(left / 4).times { |i| left = i }",
      calls: "left = one_less(left) while left > 0",
      strings: "(left / 16).times { |i| +'a' << i.to_s }"
    }.freeze

    # Returns the Ruby source of the method `name`. body: a style of BODIES, or the source of work
    # in proportion to `left`. The last loop jumps backwards and so checks for interrupts: a thread
    # that has to give up the GVL does so before the clock is read. The cost is known before the sum
    # is read, and nothing in between checks for interrupts: so threads that run the same method
    # lose none of the sum.
    def self.source(name, body)
      <<~RUBY
        def #{name}
          start = Workloads.clock_ns
          left = @rounds[:#{name}]
          #{body.is_a?(Symbol) ? BODIES.fetch(body) : body}
          left = 2
          left -= 1 while left > 0
          cost = Workloads.clock_ns - start
          @costs[:#{name}] += cost
        end
      RUBY
    end

    # Calls `work` (a method that takes rounds and returns nothing) with varying numbers of rounds.
    # Returns the number that costs about `ns` of thread CPU time. Many calls come first: YJIT
    # compiles code that is called often.
    def self.calibrate(ns, &work)
      50.times { work.call(100) }
      rounds = 1_000
      6.times do
        cost = cost_of { work.call(rounds) }
        rounds = (rounds * (ns / cost.to_f).clamp(0.01, 100)).ceil
      end
      rounds
    end

    def self.cost_of
      start = Workloads.thread_cpu_ns
      yield
      [Workloads.thread_cpu_ns - start, 1].max
    end
  end
end
