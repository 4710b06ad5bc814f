# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "../process_stat"
require_relative "child"
require_relative "collection"
require_relative "ending"
require_relative "environment"
require_relative "session"

module Rperf
  class CLI
    # What record, stat and exec have in common: run the command profiled, then do something with the profile.
    # A subclass says what: `deliver(collection, real_ns)`.
    class Run
      def initialize(values, words)
        @values = values
        @words = words
      end

      # Returns the exit status; does not return when a signal ended the command.
      def call
        raise Failure.usage("no command was given: rperf #{name} [options] command [args...]") if @words.empty?
        output&.check!
        ending = Session.open { |session| run_in(session) }
        ending.call
      end

      private

      def name = self.class.name[/\w+\z/].downcase

      # The file to write, or nil.
      def output
        @output ||= (OutputFile.new(@values[:output]) if @values[:output])
      end

      def run_in(session)
        started_ns = ProcessStat.now_ns
        status = Child.new(@words, Environment.new(@values, session.directory).to_h).run
        waited_ns = ProcessStat.now_ns - started_ns
        Ending.new(status, failed: !finish(session, started_ns, waited_ns))
      end

      # Whether there was anything to profile.
      def finish(session, started_ns, waited_ns)
        collection = Collection.new(session)
        collection.remarks.each { |remark| note(remark) }
        return nothing(session) if collection.empty?
        guard { deliver(collection, real_ns(collection, started_ns) || waited_ns) }
        true
      end

      # Up to the end of the last process's own work: what rperf does after that is not the program's time.
      def real_ns(collection, started_ns)
        ended_ns = collection.stats.filter_map { |stat| stat[:ended_ns] }.max
        ended_ns - started_ns if ended_ns && ended_ns > started_ns
      end

      def nothing(session)
        return true unless session.marks.empty? # A remark was made.
        return true if session.unsupported # The process said it.
        note("nothing was profiled: '#{@words.first}' ran no Ruby that reads RUBYOPT from its environment")
        false
      end

      # The program has run: its exit status counts, whatever becomes of the profile.
      def guard
        yield
      rescue Rperf::Error => error
        note(error.message)
      rescue Errno::EPIPE
        nil # The reader of stdout has gone.
      rescue SystemCallError, IOError => error
        note("cannot print the profile: #{error.message.sub(/ @ \w+.*/, "")}")
      end

      def write_output(data)
        output.write(Formats.encode(data, @values[:output], @values[:format]))
      end

      def note(message) = tell("rperf: #{message}\n")

      # Whatever rperf itself has to say.
      def tell(text)
        $stderr.write(text)
      rescue SystemCallError, IOError
        nil # Nobody reads stderr: the command's exit status still counts.
      end

      def print_statistics(data)
        require_relative "../statistics"
        tell(Statistics.new(data).to_s)
      end
    end
  end
end
