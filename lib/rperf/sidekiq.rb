# frozen_string_literal: true

require_relative "../rperf"

module Rperf
  # Sidekiq server middleware that makes each job a unit of work with the name of its class:
  #
  #   Sidekiq.configure_server do |config|
  #     config.server_middleware { |chain| chain.add Rperf::SidekiqMiddleware }
  #   end
  class SidekiqMiddleware
    # Runs the job with the label `job` set. Jobs of Active Job come in a wrapper: the label names
    # the wrapped class.
    def call(_job_instance, message, _queue)
      Rperf.work(message["wrapped"] || message["class"]) { yield }
    end
  end
end
