# frozen_string_literal: true

module Rperf
  # Blocks that no other thread interrupts: what it raises is raised afterwards.
  module Undisturbed
    # By identity, since the program may have a method `hash` of its own for all objects.
    NEVER = {}.compare_by_identity
    NEVER[Object] = :never
    NEVER.freeze

    # Runs the block, and returns its value.
    def self.run(&) = Thread.handle_interrupt(NEVER, &)
  end
end
