# frozen_string_literal: true

module Rperf
  module Web
    # What a server bears.
    #
    # connections:  how many are open at once
    # request_time: seconds for the whole head of a request
    # answer_time:  seconds without a step forward of a browser that reads the answer
    # close_time:   seconds for the other side to close after the answer
    Limits = Data.define(:connections, :request_time, :answer_time, :close_time) do
      def initialize(connections: 32, request_time: 10, answer_time: 30, close_time: 2) = super
    end
  end
end
