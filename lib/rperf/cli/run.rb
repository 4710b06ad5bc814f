# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "child"
require_relative "collection"
require_relative "ending"
require_relative "runner"
require_relative "../child_environment"
require_relative "../run_directory"
require_relative "stopwatch"
require_relative "terminal"

module Rperf
  class CLI
    # The common part of record, stat and exec: runs the command profiled, then delivers the
    # profile. A subclass implements `deliver(collection, times)`; the times are those of
    # Stopwatch#times. The collection is empty if Ruby ran and left no profile.
    class Run < Runner
      # Runs the command; returns the exit status. Does not return when a signal ended the command.
      def call
        check
        run_once.call
      end

      private

      def check
        raise Failure.usage("no command was given: rperf #{name} [options] command [args...]") if @words.empty?
        %i[format timeline].each { |name| raise Failure.no_file(name) if @values[name] && !output }
        Formats.paths(*@values.values_at(:output, :mode)).each { |file| OutputFile.new(file).check! } if @values[:output]
        note_variables unless ENV.key?("RPERF_SESSION_DIR") # They are those of an rperf around this one.
      end

      # Names variables that the user has set in vain.
      def note_variables
        given = Options.set_in(ENV).select(&:keyword).map(&:env)
        return if given.empty?
        note("#{given.join(", ")} #{given.one? ? "has" : "have"} no effect on 'rperf #{name}': use its options ('rperf help #{name}' lists them)")
      end

      # Runs the command and delivers its profile. Returns the Ending of the command. Where there
      # can be no profile, the command runs without one.
      def run_once
        session = RunDirectory.make
      rescue Error => error
        note("'#{@words.first}' runs without a profile: #{error.message}")
        Ending.new((@child = Child.new(@words, {})).run)
      else
        begin
          run_in(session)
        ensure
          session.remove
        end
      end

      # The OutputFile that was asked for, or nil.
      def output
        @output ||= (OutputFile.new(@values[:output]) if @values[:output])
      end

      def run_in(session)
        stopwatch = Stopwatch.new
        @child = Child.new(command, environment(session), stdout: !output&.stdout?)
        status = @child.run
        stopwatch.stop
        Ending.new(status, failed: !finish(session, stopwatch, status))
      end

      # The words to run. Ruby loads the libraries of its own -r before those of RUBYOPT, and
      # at_exit handlers run in reverse order. A library may run the program in such a handler (as
      # minitest/autorun does), so rperf is loaded before it.
      def command
        program, *words = @words
        return @words unless File.basename(program).match?(/\Aruby[\d.]*\z/) && words.any? { |word| word.start_with?("-r") }
        [program, ChildEnvironment::AUTOSTART, *words]
      end

      # Changes of the command's environment. RPERF_GC_STAT makes processes note GC.stat when they
      # begin.
      def environment(session) = ChildEnvironment.new(@values, session.directory).to_h.merge("RPERF_GC_STAT" => "1")

      # Whether a signal that is to end the command has arrived.
      def interrupted? = @child.interrupted?

      # Delivers the profile. Returns false where no Ruby ran that could have been profiled.
      def finish(session, stopwatch, status)
        session.await_daemons
        collection = Collection.new(session)
        collection.remarks.each { |remark| note(remark) }
        return false if collection.empty? && !ruby_ran?(session, status)
        guard { deliver(collection, stopwatch.times(collection)) }
        true
      end

      # Says why there is no profile, unless that was said. Returns whether Ruby ran.
      def ruby_ran?(session, status)
        return true unless session.marks.empty? # A remark was made.
        return true if session.unsupported # The process said it.
        if (refusal = session.refusal)
          note("nothing was profiled: #{refusal}")
          return true
        end
        # An example: a Ruby that does not find its script ends before it loads anything.
        failed = "failed before a Ruby program began, or " unless status.success?
        note("nothing was profiled: '#{@words.first}' #{failed}ran no Ruby program, or one that does not read RUBYOPT")
        false
      end

      # Runs the block, and reports its errors. The exit status stays that of the command.
      def guard
        yield
      rescue Rperf::Error => error
        note(error.message)
      rescue Errno::EPIPE
        nil # The reader of stdout has gone.
      rescue SystemCallError, IOError, EncodingError => error
        note("cannot print the profile: #{Error.reason(error)}")
      rescue StandardError => error
        note("the profile is lost by a mistake of rperf's, please report it: #{error.class}: #{error.message} (#{error.backtrace.first})")
      end

      # Writes the profiles, where a file was asked for, and yields each with its file.
      def write_each(profiles, &)
        Formats.write_each(profiles, *@values.values_at(:output, :mode, :format), idle: idle?, &) if @values[:output]
      end

      # Writes the files, where one was asked for, and says so.
      def write_and_say(profiles) = write_each(profiles) { |_profile, file| note("wrote #{file}") }

      # Prints statistics about the sampling, where they were asked for.
      def print_statistics(profiles)
        return unless @values[:verbose]
        require_relative "../statistics"
        columns = Terminal.new($stderr).columns
        profiles.each { |profile| Error.say(Statistics.new(profile, idle: idle?, columns:).to_s) }
      end
    end
  end
end
