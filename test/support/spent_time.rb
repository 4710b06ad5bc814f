# frozen_string_literal: true

require_relative "burning"

# Compares the weights of a profile with what was measured beside it.
module SpentTime
  # For programs to require.
  BURNING = File.join(__dir__, "burning.rb")

  # What a weight may be off by: a part of the time, and nanoseconds at the edges of what is
  # measured. Where processors are scarce, 10 ms may pass from tick to tick instead of 1 ms, and
  # more while another timer takes over. What stood still may be missing, or be there twice.
  RELATIVE = 0.15
  EDGES = 25_000_000

  # Fails unless `weight` is what was spent, in nanoseconds.
  def assert_spent(spent, weight, message = nil)
    assert_in_delta spent.ns, weight, tolerance_of(spent), message
  end

  # So late ticks may come on a busy machine, where each stands for 1 ms (nanoseconds).
  LATE = 30_000_000

  # Fails unless `weight` is what was spent, but for ticks that come late and for what stood still.
  def assert_near(spent, weight, message = nil)
    assert_in_delta spent.ns, weight, LATE + spent.stalled, message
  end

  # Fails unless hardly any of what was spent is in the weight.
  def assert_not_charged(spent, weight, message = nil)
    assert_operator weight, :<=, tolerance_of(spent), message
  end

  def tolerance_of(spent) = spent.ns * RELATIVE + EDGES + spent.stalled
end
