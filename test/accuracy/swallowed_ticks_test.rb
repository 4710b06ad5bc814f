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
  # What a method is charged with may lie so far outside of its bounds, as a part of the program's time. (In short system
  # calls, as those that sleep, time is swallowed that nobody sees; and where processors are scarce, looks come late.)
  WITHIN = 0.08

  # Ruby that computes and a C method that does not, in turns. Of both it is known how long they took at least; the rest, in
  # wall mode, is waiting for a processor, wherever that was.
  TURNS = "require #{WORKLOADS.dump}\n" + <<~'RUBY'
    TURN = 2_000_000

    def compute(rounds)
      i = 0
      i += 1 while i < rounds
    end

    # The CPU time of that, in nanoseconds.
    def cost(rounds) = Burning.spent(Burning::CPU) { compute(rounds) }.ns

    # So many rounds take a millisecond or two.
    def enough_rounds
      rounds = 1_000
      rounds *= 2 while cost(rounds) < TURN / 2
      rounds
    end

    def turns(mode, method)
      Workloads.clock = mode
      called, computed, rounds = 0, 0, enough_rounds
      data = Rperf.start(mode:) do
        finish = wall + 1_200_000_000
        while wall < finish
          took = Workloads.public_send(method, TURN)
          called += mode == :cpu ? took : TURN
          computed += cost(rounds)
        end
      end
      least = {"Workloads.#{method}" => called, "Object#compute" => computed}
      shares = least.map { |name, ns| [name, ns.fdiv(total(data)), 1 - (least.values.sum - ns).fdiv(total(data)), share(data, name)] }
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
    found[:shares].each { |method, least, most, share| assert_includes (least - WITHIN)..(most + WITHIN), share, "#{method}: #{found}" }
  end
end
