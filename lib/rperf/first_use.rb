# frozen_string_literal: true

require_relative "errors"
require_relative "handler_lock"
require_relative "undisturbed"

module Rperf
  # Loads the parts of rperf, and runs the proofs, that are needed only when they are first used.
  module FirstUse
    @lock = HandlerLock.new

    class << self
      # Runs the block: one thread at a time, and without interrupts, so that nothing is left half
      # done. The block must look whether another thread has done it, and note that it is done at
      # its end. Raises Rperf::Error if a file cannot be loaded, as in a signal handler.
      def prepare(&)
        @lock.synchronize { Undisturbed.run(&) }
      rescue ThreadError => error
        raise unless error.message.include?("trap context")
        raise Error, "Ruby loads no file in a signal handler, and this is the first use of a part of rperf: start a thread there that does it"
      rescue LoadError, SystemCallError => error
        file = error.path if error.is_a?(LoadError)
        raise Error, "cannot load #{file ? "'#{file}'" : "a part of rperf"}: #{file ? reason(file) : explain(error)}"
      end

      private

      # Ruby does not say why it cannot load a file.
      def reason(path)
        File.open(path.end_with?(".rb") ? path : "#{path}.rb", &:close)
        "Ruby could not read it a moment ago; try again"
      rescue SystemCallError => error
        explain(error)
      end

      def explain(error)
        case error
        when Errno::EMFILE, Errno::ENFILE then Error.reason(error)
        else "#{Error.reason(error)}; install rperf again, or restart the program"
        end
      end
    end
  end
end
