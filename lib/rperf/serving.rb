# frozen_string_literal: true

module Rperf
  # Detects whether a Rails process serves requests or runs jobs.
  module Serving
    # Programs that only serve requests or run jobs.
    PROGRAMS = %w[puma unicorn unicorn_rails pitchfork passenger falcon falcon-host thin iodine rackup sidekiq good_job jobs resque que shoryuken
                  delayed_job karafka racecar sneakers].freeze
    # Tasks of Rake that run jobs until the process is ended.
    TASKS = %w[jobs:work resque:work resque:workers solid_queue:start sneakers:run].freeze

    module_function

    # Returns whether the process does so; false in consoles, other tasks and tests.
    def process?
      return false if defined?(::Rails::Console) || ::Rails.env.test?
      program? || task? || defined?(::Rails::Server) || defined?(::Puma::CLI) || defined?(::PhusionPassenger) ||
        (defined?(::Sidekiq) && ::Sidekiq.server?) ? true : false
    end

    # Returns whether the program is one of these. A server may have replaced its name by a title,
    # such as "unicorn worker[0] -c config/unicorn.rb".
    def program? = [File.basename($PROGRAM_NAME), $PROGRAM_NAME.b[/\A\w+(?=[: ]|-\d)/]].intersect?(PROGRAMS)

    def task? = defined?(::Rake.application) && ::Rake.application.top_level_tasks.intersect?(TASKS)
    private_class_method :program?, :task?
  end
end
