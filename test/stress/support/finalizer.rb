# frozen_string_literal: true

module Stress
  # Ruby runs finalizers on any thread, also within a hazard that did not define them: their frames
  # are of no hazard's file.
  module Finalizer
    # Allocates. Keeps no binding of the hazard that uses it.
    ALLOCATING = proc { |id| Array.new(3) { "after #{id}" } }
  end
end
