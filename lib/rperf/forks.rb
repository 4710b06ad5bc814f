# frozen_string_literal: true

module Rperf
  # The start of processes that lack the threads of their parent.
  module Forks
    @all = []

    class << self
      # Calls `begin_anew` of the object in each forked child from now on. Around `Process.daemon`
      # it calls `before_daemon`, and later `after_daemon` with the result: in the daemon, or in the
      # same process if that fails.
      def watch(one)
        Process.singleton_class.prepend(Beginnings) if @all.empty?
        @all |= [one.extend(Watcher)]
      end

      # Starts the watched objects anew, in a process that continues after a fork.
      def begin_anew = @all.each(&:begin_anew)

      # Calls `before_daemon` and `after_daemon` of the watched objects around `Process.daemon`.
      def around_daemon
        answers = @all.map { |one| [one, one.before_daemon] }
        yield
      ensure
        answers&.each { |one, answer| one.after_daemon(answer) }
      end
    end

    # Default methods for a watched object: a daemon counts as a fork.
    module Watcher
      # Returns the number of this process.
      def before_daemon = Process.pid

      # Starts the object anew if the process is another one.
      def after_daemon(pid) = (begin_anew if pid != Process.pid)
    end

    # Methods of Process that Ruby or the program calls.
    module Beginnings
      # Ruby calls this method for every fork (but not for daemon).
      def _fork
        pid = super
        Forks.begin_anew if pid.zero?
        pid
      end

      # The child continues as the daemon.
      def daemon(...)
        Forks.around_daemon { super }
      end
    end
    private_constant :Watcher, :Beginnings
  end
end
