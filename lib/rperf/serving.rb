# frozen_string_literal: true

module Rperf
  # Detects whether a Rails process serves requests or runs jobs.
  module Serving
    # Programs that only serve requests or run jobs.
    PROGRAMS = %w[puma unicorn unicorn_rails pitchfork passenger falcon thin iodine sidekiq good_job jobs resque que shoryuken
                  delayed_job].freeze

    module_function

    # Returns whether the process does so; false in consoles, tasks and tests.
    def process?
      return false if defined?(::Rails::Console) || ::Rails.env.test?
      PROGRAMS.include?(File.basename($PROGRAM_NAME)) || $PROGRAM_NAME.match?(/\A(?:puma|sidekiq)[: ]/) ||
        defined?(::Rails::Server) || defined?(::Puma::CLI) || (defined?(::Sidekiq) && ::Sidekiq.server?) ? true : false
    end
  end
end
