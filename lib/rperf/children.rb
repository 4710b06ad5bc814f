# frozen_string_literal: true

require_relative "child_environment"
require_relative "missing_profiles"
require_relative "profile_file"
require_relative "profiled_process"
require_relative "run_directory"

module Rperf
  # The child processes of a session that was started with `inherit:`. Each has a session of its
  # own, and leaves its profile in a private directory when it ends. These profiles are merged at
  # the end of the parent's session.
  class Children
    # Advice for a child that still runs when the session ends.
    WAIT = "wait for it before the session ends"

    # Returns a Proc that removes the directory at the end of a process that stopped no session.
    def self.remover(run, pid) = proc { run.remove if pid == Process.pid }

    # Profiles the children that are forked from now on; with `inherit: true` also Ruby programs
    # that are started. Raises Rperf::Error if no directory can be made.
    def initialize(options)
      @run = RunDirectory.make
      ObjectSpace.define_finalizer(self, Children.remover(@run, Process.pid))
      ProfiledProcess.watch_forks(options, Destination::SessionDirectory.new(@run.directory))
      @changes = options[:inherit] == true ? ChildEnvironment.new(options, @run.directory).to_h : {}
      export
    end

    # Puts into the environment what makes the programs that are started profile themselves.
    def export
      @before = @changes.to_h { |name, _| [name, ENV[name]] }
      ENV.update(@changes)
    end

    # Restores the environment, except for variables that the program has set meanwhile.
    def restore = ENV.update(@before.select { |name, _| ENV[name] == @changes[name] })

    # Returns the parent's profiles, one for each mode, merged with those of the children that have
    # ended, and with a comment about children without a profile. Later children are not profiled.
    def merge(profiles)
      children = @run.profiles
      remarks = MissingProfiles.new(@run.marks, written: children.map(&:first), running: WAIT).remarks
      all = ProfileFile.merge_recording(profiles + children.map(&:last))
      remarks.reduce(all) { |merged, remark| merged.map { |profile| profile.commented(remark) } }
    ensure
      discard
    end

    # Forgets the children and removes their files.
    def discard
      ProfiledProcess.ignore_forks
      restore
      @run.remove
    end
  end
end
