# frozen_string_literal: true

require_relative "../rperf"

module Rperf
  # Labels the samples of an Active Job with the name of its class, whatever runs the job:
  #
  #   class ApplicationJob < ActiveJob::Base
  #     include Rperf::ActiveJobMiddleware
  #   end
  #
  # The label `job` holds from the job's arguments being read (they may be looked up in a database)
  # to its last callback.
  module ActiveJobMiddleware
    # Performs the job with the label set.
    def perform_now(...)
      Rperf.profile(job: self.class.name) { super }
    end
  end
end
