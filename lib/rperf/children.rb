# frozen_string_literal: true

require_relative "child_environment"
require_relative "profile_file"
require_relative "profiled_process"
require_relative "run_directory"

module Rperf
  # The child processes of a session that was started with `inherit:`. Each has a session of its
  # own, and leaves its profile in a private directory when it ends; where the session of the parent
  # ends, they become one.
  class Children
    # Removes the directory at the end of a process that never stopped its session.
    def self.remover(run, pid) = proc { run.remove if pid == Process.pid }

    # Children that are forked from now on are profiled; with `inherit: true` also Ruby programs
    # that are started. Raises Rperf::Error where no directory can be made.
    def initialize(options)
      @run = RunDirectory.make
      ObjectSpace.define_finalizer(self, Children.remover(@run, Process.pid))
      ProfiledProcess.watch_forks(options, Destination::SessionDirectory.new(@run.directory))
      export(ChildEnvironment.new(options, @run.directory).to_h) if options[:inherit] == true
    end

    # The profiles of the parent, of each mode, with those of the children that have ended. Children
    # of later are not profiled.
    def merge(profiles)
      ProfileFile.merge_recording(profiles + @run.profiles.filter_map { |_pid, path| read(path) })
    ensure
      discard
    end

    # Forgets the children, and what they leave.
    def discard
      ProfiledProcess.ignore_forks
      ENV.update(@before) if @before
      @run.remove
    end

    private

    def export(changes)
      @before = changes.to_h { |name, _| [name, ENV[name]] }
      ENV.update(changes)
    end

    # A child that is killed while it writes leaves nothing; one that the machine has damaged counts
    # as that.
    def read(path)
      ProfileFile.new(path).profile
    rescue Error
      nil
    end
  end
end
