# frozen_string_literal: true

require "json"
require_relative "support/known_costs"

# A Rails program under Puma whose costs are known: is the time of its requests where it was spent?
class KnownCostsTest < Minitest::Test
  include KnownCosts

  # 0.8 % at most in longer runs beside a dozen busy processes, 1.4 % in runs as short as this one.
  RELATIVE = 0.05
  HANDLER = "Puma::Request#handle_request"

  def test_time_by_endpoint
    with_known_costs(rounds: 15) do |profile, spent|
      rows = by_endpoint(profile)
      assert_equal spent.keys.sort, rows.keys.sort, "one name for each endpoint"
      spent.each { |endpoint, time| assert_in_delta time, rows[endpoint], time * RELATIVE, endpoint }
      assert_operator labelled_share(profile), :>=, 0.98
    end
  end

  private

  # {endpoint => nanoseconds}, as `rperf report` has it.
  def by_endpoint(profile)
    report = rperf("report", "--by", "endpoint", "--format", "json", profile, directory: File.dirname(profile))
    JSON.parse(report.out)["values"].to_h { |row| row.values_at("name", "total") }
  end

  # How much of the time in the server's request handler has an endpoint.
  def labelled_share(profile)
    data = Rperf.load(profile)
    inside = data[:samples].select { |frames,| frames.any? { |frame| frame[1] == HANDLER } }
    labelled = inside.select { |sample| data[:label_sets].fetch(sample[3]).key?(:endpoint) }
    labelled.sum { |sample| sample[1] }.fdiv(inside.sum { |sample| sample[1] })
  end
end
