# frozen_string_literal: true

require_relative "output_file"
require_relative "process_stat"
require_relative "formats"
require_relative "server_worker"

module Rperf
  # The place to which the profile of a process goes when it ends.
  module Destination
    # Returns the destination that the environment names, or nil if this process is not profiled.
    def self.from_env(env, options)
      directory = env["RPERF_SESSION_DIR"].to_s
      return FileByName.new(env, options) if directory.empty?
      return unless OutputFile.kind(directory) == "directory" # The CLI that made it is gone.
      SessionDirectory.new(directory) if options[:inherit] || claimed?(directory)
    end

    # Without inheritance only the first Ruby process is profiled; it may `exec` another one.
    def self.claimed?(directory)
      claim = File.join(directory, "claim")
      File.open(claim, File::WRONLY | File::CREAT | File::EXCL, 0o600) { |file| file.write($$) }
      true
    rescue Errno::EEXIST
      File.read(claim).to_i == $$
    end
    private_class_method :claimed?

    # The private directory of `rperf record|stat|exec`. Each process writes `PID-TIME-MODE.json`
    # there, and `PID.mark` at its start, by which the CLI knows of processes that left no profile.
    class SessionDirectory
      def initialize(directory)
        @directory = directory
      end

      # Notes that a process has begun.
      def announce = mark("began")

      # Writes a file by which the CLI knows that this process becomes a daemon. The command may end
      # before the daemon has its mark, so the CLI waits until the file is gone. Returns the file's
      # path, or nil if it cannot be written.
      def expect_daemon
        path = File.join(@directory, "#{$$}.daemon")
        path if File.write(path, "")
      rescue SystemCallError
        nil # The CLI did not wait for this process, or the process has given up its rights.
      end

      # Deletes that file, since the daemon has its mark.
      def daemon_began(path)
        File.delete(path) if path
      rescue SystemCallError
        nil # The CLI has not waited for so long.
      end

      # Notes that the program has ended the session itself.
      def withdraw = mark("stopped")

      # Notes why a process could not be profiled, by no method that may be the reason.
      #
      # sentence: the same as a sentence of its own
      def complain(message, _sentence) = Native.write_whole("#{@directory}/#{$$}.tmp", "#{@directory}/#{$$}.mark", "failed: #{message}")

      # Writes the profiles of a process, one for each mode.
      #
      # stat: the figures of the process, see ProcessStat#to_h
      def deliver(profiles, stat)
        profiles.each { |profile| file(own_name(profile)).write_profile(profile, :json, at_end: true) }
        mark("written #{ProcessStat.used_since(stat).join(" ")}")
      rescue Error
        raise if File.directory?(@directory) # Otherwise the CLI did not wait for this process.
      end

      private

      def mark(text) = file("#{$$}.mark").write_at_once(text)

      def file(name) = OutputFile.new(File.join(@directory, name))

      # A process that continues as another program (exec), or whose number is used again, writes
      # several files.
      def own_name(profile) = "#{$$}-#{ProcessStat.now_ns}-#{profile.mode}.json"
    end

    # The output file of a process for which RPERF_ENABLED=1 was set by hand: the process writes it
    # itself. Other processes of the same tree add their number to the name. So do workers of a
    # server, even if each loads the application itself and its parent does not load rperf.
    class FileByName
      DEFAULT_PATH = "rperf.data"
      # Variable with the number of the process that has written its file: after `exec` it adds to
      # the file.
      WRITTEN = "RPERF_WRITTEN"

      def initialize(env, options)
        @options = options
        @path = OutputFile.new(options[:output] || DEFAULT_PATH).path unless options[:stat] && !options[:output]
        @first_pid = (env["RPERF_FIRST_PID"] ||= $$.to_s).to_i
      end

      # Does nothing.
      def announce = nil
      # Does nothing.
      def expect_daemon = nil
      # Does nothing.
      def daemon_began(_path) = nil
      # Says that the program has ended the session itself.
      def withdraw = say("nothing was written: Rperf.stop was called by the program itself")
      # Prints why the process could not be profiled.
      def complain(_message, sentence) = say(sentence)

      # Writes the profiles, one for each mode, and prints the requested statistics.
      def deliver(profiles, stat)
        write(profiles) if @path
        profiles.each { |profile| print_statistics(profile) } if @options[:verbose]
        print_stat(profiles, stat) if @options[:stat]
      end

      private

      def say(sentence) = $stderr.puts("rperf: #{sentence}")

      def write(profiles)
        Formats.write_each(with_earlier(profiles), own_path, @options[:mode], format, at_end: true)
        ENV[WRITTEN] = $$.to_s
      end

      # Adds what this process wrote before it called `exec`, whether or not that call succeeded.
      def with_earlier(profiles)
        return profiles unless ENV[WRITTEN] == $$.to_s
        require_relative "profile_file"
        earlier = Formats.paths(own_path, @options[:mode]).map { |path| ProfileFile.new(path).profile }
        earlier.zip(profiles).map { |parts| Native::Profile.merge_parts(parts) }
      rescue Error
        say("'#{own_path}' has nothing of before the process called exec: name a file in pprof or JSON, to which more can be added")
        profiles
      end

      def print_statistics(profile)
        require_relative "statistics"
        $stderr.write(Statistics.new(profile).to_s)
      end

      def print_stat(profiles, stat)
        require_relative "stat_report"
        command = @options[:stat_command] || $PROGRAM_NAME
        times = {**stat.slice(:user_ns, :sys_ns), real_ns: ProcessStat.real_ns(stat) || stat[:elapsed_ns]}
        report = StatReport.new(profiles, stats: [stat], command:, times:, tables: @options[:stat_report])
        $stderr.write(report.to_s)
      end

      # Returns the format of the file's name, as it is before a process adds its number.
      def format = Formats.for(@path, @options[:format], timeline: @options[:timeline])

      # Returns the path of the file: profile.123.pb.gz if the process is not the first one.
      def own_path = first? ? @path : Formats.path_with(@path, $$)

      def first? = $$ == @first_pid && !ServerWorker.index
    end
  end
end
