# frozen_string_literal: true

require "rspec/expectations"
require_relative "gates"

# RSpec matchers for limits on the costs of code.
#
#   require "rperf/rspec"
#
#   expect { Report.new(rows).to_s }.to use_cpu_time_below(0.5)
#   expect { Report.new(rows).to_s }.to allocate_below(10_000)
#
# A failed expectation shows the ten heaviest functions.
{use_cpu_time_below: :cpu_time, allocate_below: :allocations}.each do |name, gate|
  RSpec::Matchers.define(name) do |limit|
    supports_block_expectations

    match do |block|
      @cost = Rperf::Gates.public_send(gate, limit, &(block if Proc === block)) # expect(5) gives a 5.
      @cost.within?
    end

    failure_message { @cost.failure }
    failure_message_when_negated { "the block #{@cost.used}, and must take #{@cost.limit} or more" }
  end
end
