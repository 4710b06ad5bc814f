# frozen_string_literal: true

require_relative "support/measured"
require_relative "support/workloads"

# Where threads tick by their task clocks, the kernel swallows the ticks of threads that are in system calls, and there are
# none of threads that sleep with the GVL. Looks from outside find both.
class SwallowedTicksAccuracyTest < Minitest::Test
  include Measured
  include WorkloadsForPrograms

  # Task clocks, where the system allows them; else looks from outside alone.
  TASK_CLOCKS = {"RPERF_TIMER" => "perf"}.freeze
  # What a method is charged with may differ so much from what it measured, as a part of the program's time. (In short
  # system calls, as those that sleep, time is swallowed that nobody sees.)
  WITHIN = 0.08

  # Ruby that computes and a C method that does not, in turns; both measure themselves.
  TURNS = "require #{WORKLOADS.dump}\n" + <<~'RUBY'
    def compute(rounds)
      i = 0
      i += 1 while i < rounds
    end

    # How long the block takes, by the clock of the mode.
    def cost
      begun = Workloads.clock_ns
      yield
      Workloads.clock_ns - begun
    end

    # So many rounds take a millisecond or two.
    def enough_rounds
      rounds = 1_000
      rounds *= 2 while cost { compute(rounds) } < 1_000_000
      rounds
    end

    def turns(mode, method)
      Workloads.clock = mode
      spent, rounds = Hash.new(0), enough_rounds
      data = Rperf.start(mode:) do
        finish = wall + 1_200_000_000
        while wall < finish
          spent["Workloads.#{method}"] += Workloads.public_send(method, 2_000_000)
          spent["Object#compute"] += cost { compute(rounds) }
        end
      end
      shares = spent.map { |name, truth| [name, truth.fdiv(spent.values.sum), share(data, name)] }
      puts JSON.generate(shares:, dropped: data[:dropped])
    end
  RUBY

  {interpreter: INTERPRETER, yjit: YJIT}.each do |name, flags|
    define_method("test_system_calls_in_the_#{name}") { assert_shares "turns(:cpu, :burn_in_kernel)", flags }

    define_method("test_sleep_with_the_gvl_in_the_#{name}") { assert_shares "turns(:wall, :sleep_with_gvl)", flags }
  end

  private

  def assert_shares(call, flags)
    found = measure(TURNS + call, *flags, env: TASK_CLOCKS)
    found[:shares].each { |method, truth, share| assert_in_delta truth, share, WITHIN, "#{method}: #{found}" }
  end
end
