# frozen_string_literal: true

require_relative "errors"
require_relative "forks"
require_relative "program"
require_relative "short_slices"

module Rperf
  # The life of the agent and of the recorder: a process has one of each at most, and so has each
  # process that it forks. A class or module that is extended by this one implements
  #
  # make(settings): returns an object whose `start` begins the work; it is @current while it runs.
  #                 Its `stop` ends the work, also after a `start` that failed
  # stop:           ends the work of @current
  # give_way:       the same, at once, for another one
  # finish:         the same, at the end of the process
  module BackgroundPart
    # Starts the part anew, in a process that continues after a fork.
    def begin_anew
      settings, @current, @starting = @settings, nil, nil
      run(settings) if settings
    rescue StandardError => error
      complain(error)
    end

    private

    # Starts the part with the settings that the block returns, in place of one that the environment
    # has started. Returns nil. Raises what the block raises; Rperf::Error if the part runs already,
    # or in a Ractor other than the main one.
    def start_by_program
      Error.check_ractor("#{name}.start")
      settings = yield
      give_way if @by_environment
      run(settings)
    end

    # Starts the part, unless it runs, with the settings that the block takes from the environment;
    # nil: none. An error is one sentence on stderr.
    def start_by_environment
      settings = (yield unless @current || Program.rperf?) or return
      run(settings)
      @by_environment = true
    rescue StandardError => error
      complain(error)
    end

    # Starts the part, unless it runs or another thread is about to start it.
    def run(settings)
      raise Error, "the #{title} runs already: stop it with #{name}.stop before you start another" if @current || @starting
      @starting = true
      begin
        current = make(settings)
        current.start
        @current, @settings = current, settings
      ensure
        current&.stop unless @current
        @starting = nil
      end
      watch_process unless @watched
    end

    def watch_process
      @watched = true
      Forks.watch(self)
      at_exit do
        ShortSlices.during { finish }
      rescue StandardError => error # From what the program has made of Thread.list, say.
        Error.complain("the #{title} has not finished: #{error.message}")
      end
      nil
    end

    def forget = @current = @settings = @by_environment = nil

    def title = name[/\w+\z/].downcase

    def complain(error) = Error.complain("the #{title} does not run: #{error.message}")
  end
end
