# frozen_string_literal: true

require_relative "support/manual_session"

# Labels that say how a unit of work went.
class VerdictLabelsTest < Minitest::Test
  include ManualSession

  # Time after the last tick is charged to the stack of that tick, also when its unit has ended.
  %i[cpu wall].each do |mode|
    define_method("test_time_that_is_charged_after_the_end_has_them_too_in_mode_#{mode}") do
      data = session(mode:, slow: 1e-9) do
        Rperf.work("T") { Native.tick; sleep(1e-6) }
        20_000.times(&:to_s)
      end
      sets = data[:samples].map { |sample| data[:label_sets][sample[3]] }
      assert_equal [{job: "T", latency: "slow"}], sets.select { |set| set[:job] }.uniq
    end
  end
end
