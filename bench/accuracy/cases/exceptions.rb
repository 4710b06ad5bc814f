# frozen_string_literal: true

module Accuracy
  module Cases
    # Exceptions and throws that leave several frames at once, through `ensure` clauses.
    class Exceptions < Case
      title "exceptions and throws"
      ruby_work :rescue_errors, ns: 500_000, body: "(left / 100).times { rescued(6) }"
      ruby_work :catch_throws, ns: 300_000, body: "(left / 100).times { catch(:far) { throw_from(6) } }"
      ruby_work :leave_blocks, ns: 300_000, body: "(left / 50).times { leave_early }"
      ruby_work :work_without, ns: 400_000, body: :calls

      def turn
        rescue_errors
        work_without
        catch_throws
        leave_blocks
      end

      private

      def rescued(depth)
        raise_from(depth)
      rescue ArgumentError => e
        e.message
      end

      def raise_from(depth)
        depth.zero? ? raise(ArgumentError, "from below") : raise_from(depth - 1)
      ensure
        @left_by_error = depth
      end

      def throw_from(depth)
        depth.zero? ? throw(:far, depth) : throw_from(depth - 1)
      ensure
        @left_by_throw = depth
      end

      def leave_early
        10.times { |number| return number if number == 5 }
      ensure
        @left_by_return = true
      end
    end
  end
end
