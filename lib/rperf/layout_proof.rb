# frozen_string_literal: true

require_relative "native"

module Rperf
  # Proves, once in a process, that the native part reads the VM's frames rightly: it makes stacks of every
  # kind that frames come in, and in each the native part compares its own walk with the VM's public one.
  # Without a proof the sampler that takes stacks at safepoints is used.
  module LayoutProof
    # Set to "fail" by tests: as if no layout could be proved.
    VARIABLE = "RPERF_LAYOUT_PROOF"

    @done = false

    module_function

    # Runs the proof unless it has been run. Returns whether a layout is proved.
    def ensure
      return Native.layout_proved? if @done
      @done = true
      return false if ENV[VARIABLE] == "fail"
      Native.layout_candidates
      conclude(Stacks.new.all_agree?) while !Native.layout_proved? && Native.layout_try
      Native.layout_proved?
    end

    # Ends the proof of the candidate that is being tried.
    def conclude(holds) = Native.layout_conclude(holds)

    # Stacks of every kind, each with a comparison at its top.
    class Stacks
      KINDS = %i[plain block nested_block escaped_block c_block defined_method rescued evaluated fiber
        singleton deep].freeze

      def all_agree? = KINDS.all? { |kind| __send__(kind) }

      private

      def agrees? = Native.layout_agrees?

      def plain = agrees?

      def block
        [1].each { return agrees? }
      end

      def nested_block
        1.times { [2].map { |number| {number => 3}.each_pair { return agrees? } } }
      end

      # The environment of this method moves to the heap when its binding is taken.
      def escaped_block
        escaped = proc { agrees? }
        binding
        [1].sort_by { return escaped.call && agrees? }
      end

      def c_block = [agrees?].inject(true) { |all, one| all && one && agrees? }

      define_method(:defined_method) { agrees? && [agrees?].all? }

      def rescued
        raise KeyError, "part of the proof"
      rescue KeyError
        agrees?
      ensure
        agrees?
      end

      def evaluated = instance_eval { agrees? } && eval("agrees?", binding, __FILE__, __LINE__)

      def fiber = Fiber.new { [1].each { Fiber.yield(agrees?) } }.resume

      def singleton
        object = Object.new
        def object.compare = [Native].map(&:layout_agrees?).first
        object.compare
      end

      def deep(depth = 100) = depth.zero? ? agrees? : deep(depth - 1)
    end
    private_constant :Stacks
  end
end
