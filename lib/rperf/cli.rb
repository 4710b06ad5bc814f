# frozen_string_literal: true

require_relative "version"
require_relative "errors"
require_relative "cli/commands"
require_relative "cli/parser"
require_relative "variables"

module Rperf
  # The command `rperf`. An error is reported as one sentence on stderr and an exit status; a
  # backtrace is a bug.
  class CLI
    # Runs `rperf` with these words and ends the process.
    def self.run(words)
      survive_large_files
      exit(new.call(words))
    end

    # If the size of files is limited (ulimit -f), writing too much causes an error message instead
    # of a signal. If the parent ignores the signal, a command that rperf runs ignores it, too.
    def self.survive_large_files
      trap("XFSZ", "IGNORE") if trap("XFSZ") { nil } == "IGNORE"
    end
    private_class_method :survive_large_files

    # Returns the words of a command line, independently of the locale: as UTF-8 if all of them are
    # valid UTF-8, otherwise as bytes.
    def self.readable(words)
      texts = words.map { |word| word.dup.force_encoding(Encoding::UTF_8) }
      texts.all?(&:valid_encoding?) ? texts : texts.map(&:b)
    end

    # Runs the command and returns the exit status.
    def call(words)
      name, *rest = CLI.readable(words)
      case name
      when nil then short_usage
      when "--version", "-V", "-v" then say("rperf #{VERSION}")
      when "--help", "-h" then say(fitting(help.usage, $stdout))
      when /\A-/ then raise Failure.usage("unknown option '#{name}'; a command comes first ('rperf help' lists them)")
      else run_command(CLI.command(name), rest)
      end
    rescue Failure => failure
      complain(failure.message, failure.status)
    rescue Rperf::Error => error
      complain(error.message, 1)
    rescue Errno::EPIPE
      1 # The reader of stdout has gone: nothing left to say.
    rescue SystemCallError, IOError, EncodingError => error
      complain("cannot finish: #{Error.reason(error)}", 1)
    rescue Interrupt
      130
    end

    private

    def run_command(command, words)
      values, rest = Parser.new(command).parse(words)
      return say(fitting(help.for(command), $stdout)) if values[:help]
      Variables.complain_of_unknown
      status = command.runner.new(values, rest).call
      # Flushing reports an error if the output cannot be written. A program's exit status counts
      # nevertheless.
      $stdout.flush unless command.runs_program?
      status
    end

    def help = CLI.command("help").runner

    def short_usage
      Error.say(fitting(help.usage, $stderr))
      Failure::USAGE
    end

    def fitting(text, out) = TerminalLines.filled(text, Terminal.new(out).columns)

    def say(text)
      $stdout.puts(text)
      $stdout.flush
      0
    end

    def complain(message, status)
      Error.complain(message)
      status
    end
  end
end
