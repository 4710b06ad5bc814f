# frozen_string_literal: true

require_relative "../rperf"

module Rperf
  # Makes each Active Job a unit of work with the name of its class, on any backend:
  #
  #   class ApplicationJob < ActiveJob::Base
  #     include Rperf::ActiveJobMiddleware
  #   end
  #
  # The label `job` is set from the reading of the job's arguments (which may be looked up in a
  # database) to its last callback.
  module ActiveJobMiddleware
    # Name of jobs whose class has none, as rperf calls all such classes.
    ANONYMOUS = "#<Class>"

    # Performs the job with the label set.
    def perform_now(...)
      Rperf.work(self.class.name || ANONYMOUS) { super }
    end
  end
end
