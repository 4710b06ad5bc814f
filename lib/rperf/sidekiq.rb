# frozen_string_literal: true

require_relative "../rperf"

module Rperf
  # Sidekiq server middleware that makes each job a unit of work with the name of its class:
  #
  #   Sidekiq.configure_server do |config|
  #     config.server_middleware { |chain| chain.add Rperf::SidekiqMiddleware }
  #   end
  class SidekiqMiddleware
    # The exception by which Sidekiq interrupts an iterable job, which goes on later: it has not
    # failed.
    INTERRUPTED = "Sidekiq::Job::Interrupted"

    # Runs the job with the label `job` set. Jobs of Active Job come in a wrapper: the label names
    # the wrapped class.
    def call(_job_instance, message, _queue)
      interruption = nil
      value = Rperf.work(message["wrapped"] || message["class"]) do
        yield
      rescue StandardError => error
        raise unless error.class.name == INTERRUPTED
        interruption = error
      end
      interruption ? raise(interruption) : value
    end
  end
end
