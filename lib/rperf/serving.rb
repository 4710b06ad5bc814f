# frozen_string_literal: true

module Rperf
  # Whether a Rails process is there for others: it serves requests, or runs jobs.
  module Serving
    # Programs that do nothing else.
    PROGRAMS = %w[puma unicorn unicorn_rails pitchfork passenger falcon thin iodine sidekiq good_job jobs resque que shoryuken
                  delayed_job].freeze

    module_function

    # Consoles, tasks and tests are not.
    def process?
      return false if defined?(::Rails::Console) || ::Rails.env.test?
      PROGRAMS.include?(File.basename($PROGRAM_NAME)) || $PROGRAM_NAME.match?(/\A(?:puma|sidekiq)[: ]/) ||
        defined?(::Rails::Server) || defined?(::Puma::CLI) || (defined?(::Sidekiq) && ::Sidekiq.server?) ? true : false
    end
  end
end
