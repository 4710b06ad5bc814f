# frozen_string_literal: true

require_relative "../lib/labelled_case"

module Accuracy
  module Cases
    # Four threads like those of a server: each takes labelled requests, computes, and then waits.
    class Server < LabelledCase
      title "a server's labelled requests"
      error_bar 0.02, busy: 0.02
      distinguishes :request, short: %i[compute_short answer_short],
                              middle: %i[compute_middle answer_middle],
                              long: %i[compute_long answer_long]
      ruby_work :compute_short, ns: 800_000, body: :block
      ruby_work :compute_middle, ns: 2_500_000, body: :calls
      ruby_work :compute_long, ns: 5_000_000, body: :strings
      measures :answer_short, :answer_middle, :answer_long

      THREADS = 4

      def turns
        Array.new(THREADS) { |number| server(Random.new(number)) }.each(&:join)
      end

      def answer_short = clocked(:answer_short) { wait }
      def answer_middle = clocked(:answer_middle) { wait }
      def answer_long = clocked(:answer_long) { wait }

      private

      def server(random)
        requests = []
        working_thread do
          requests = self.class.labels.keys.shuffle(random:) if requests.empty?
          serve(requests.pop)
        end
      end

      def serve(request)
        under_label(request) { clocked_label(request) { handle(request) } }
      end

      def handle(request)
        case request
        when :short then compute_short; answer_short
        when :middle then compute_middle; answer_middle
        else compute_long; answer_long
        end
      end

      def wait = sleep(0.001)
    end
  end
end
