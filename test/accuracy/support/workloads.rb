# frozen_string_literal: true

# Builds the workloads, if that has not been done, so that no program under test has to.
require_relative "../../../bench/workloads/workloads"

# Methods of known cost, for programs that a test writes.
module WorkloadsForPrograms
  # What they require.
  WORKLOADS = File.expand_path("../../../bench/workloads/workloads.rb", __dir__)
end
