# frozen_string_literal: true

module Rperf
  module Web
    # Limits of a server.
    #
    # connections:  maximum number of open connections
    # request_time: maximum seconds for the whole head of a request
    # answer_time:  maximum seconds in which a browser that reads the answer makes no progress
    # close_time:   maximum seconds until the other side closes after the answer
    Limits = Data.define(:connections, :request_time, :answer_time, :close_time) do
      def initialize(connections: 32, request_time: 10, answer_time: 30, close_time: 2) = super
    end
  end
end
