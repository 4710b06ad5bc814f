# frozen_string_literal: true

module Rperf
  # Where processes begin that have no threads of their parent's.
  module Forks
    @all = []

    class << self
      # From here on its `begin_anew` is called in each forked child, and in a process that has
      # become a daemon.
      def watch(one)
        Process.singleton_class.prepend(Beginnings) if @all.empty?
        @all |= [one]
      end

      # In a process that goes on after a fork.
      def begin_anew = @all.each(&:begin_anew)
    end

    # What Ruby calls.
    module Beginnings
      # For every fork (but not for daemon).
      def _fork
        pid = super
        Forks.begin_anew if pid.zero?
        pid
      end

      # The child goes on.
      def daemon(...)
        super.tap { Forks.begin_anew }
      end
    end
    private_constant :Beginnings
  end
end
