# frozen_string_literal: true

module Rperf
  # Where processes begin that have no threads of their parent's.
  module Forks
    @all = []

    class << self
      # From here on its `begin_anew` is called in each forked child. Around `Process.daemon` it is
      # asked `before_daemon`, and gets the answer back as `after_daemon(answer)`: in the daemon,
      # or where it was when that fails.
      def watch(one)
        Process.singleton_class.prepend(Beginnings) if @all.empty?
        @all |= [one.extend(Watcher)]
      end

      # In a process that goes on after a fork.
      def begin_anew = @all.each(&:begin_anew)

      # Around `Process.daemon`.
      def around_daemon
        answers = @all.map { |one| [one, one.before_daemon] }
        yield
      ensure
        answers&.each { |one, answer| one.after_daemon(answer) }
      end
    end

    # A daemon is a fork, unless one knows better.
    module Watcher
      # Which process this is.
      def before_daemon = Process.pid

      # In a new process it begins anew.
      def after_daemon(pid) = (begin_anew if pid != Process.pid)
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
        Forks.around_daemon { super }
      end
    end
    private_constant :Watcher, :Beginnings
  end
end
