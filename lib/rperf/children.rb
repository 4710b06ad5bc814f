# frozen_string_literal: true

require_relative "child_environment"
require_relative "missing_profiles"
require_relative "profile_file"
require_relative "profiled_process"
require_relative "run_directory"

module Rperf
  # The child processes of a session that was started with `inherit:`. Each has a session of its
  # own, and leaves its profile in a private directory when it ends; where the session of the parent
  # ends, they become one.
  class Children
    # What to do about a child that still runs when the session ends.
    WAIT = "wait for it before the session ends"

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

    # The profiles of the parent, of each mode, with those of the children that have ended, and a
    # comment about those that left none. Children of later are not profiled.
    def merge(profiles)
      children = @run.profiles.filter_map { |pid, path| read(pid, path) }
      remarks = MissingProfiles.new(@run.marks, written: children.map(&:first), running: WAIT).remarks
      all = ProfileFile.merge_recording(profiles + children.map(&:last))
      remarks.reduce(all) { |merged, remark| merged.map { |profile| profile.commented(remark) } }
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
    def read(pid, path)
      [pid, ProfileFile.new(path).profile]
    rescue Error
      nil
    end
  end
end
