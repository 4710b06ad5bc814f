# frozen_string_literal: true

require_relative "../lib/labelled_case"
require_relative "../lib/turn_taking"

module Accuracy
  module Cases
    # Ten fibers of a scheduler, five of 50 ms and five of 150 ms of work, each in a label block of
    # its own that lasts while the others have their turns.
    class LabelledFibers < LabelledCase
      title "fibers of a scheduler, each in its label"
      error_bar 0.03, busy: 0.03

      # {label => number of slices of 5 ms that its fiber works}
      SLICES = (1..10).to_h { |number| [:"fiber_#{number}", number.odd? ? 10 : 30] }.freeze

      distinguishes :job, SLICES.keys.to_h { |label| [label, [:"slice_of_#{label}"]] }
      labels.each_value { |methods| ruby_work methods.first, ns: 5_000_000, body: :block }

      def turn
        Thread.new { live { take_turns } }.join
      end

      private

      def take_turns
        Fiber.set_scheduler(TurnTaking.new)
        SLICES.each { |label, slices| Fiber.schedule { under_label(label) { work(label, slices) } } }
        # Runs all fibers to their end.
        Fiber.set_scheduler(nil)
      end

      def work(label, slices)
        slices.times do
          clocked_label(label) { public_send(:"slice_of_#{label}") }
          sleep 0
        end
      end
    end
  end
end
