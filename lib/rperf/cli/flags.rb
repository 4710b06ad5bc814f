# frozen_string_literal: true

require_relative "../formats"
require_relative "../options"

module Rperf
  class CLI
    # One option of the command line. The table below is the only place that knows them: the parser, the usage,
    # `rperf help`, shell completion and docs/cli.md come from it.
    #
    # key:      where the value goes
    # short:    "-f", or nil
    # long:     "--frequency"
    # argument: "HZ", or nil for a switch
    # value:    what a switch stands for
    # setting:  the setting of Rperf::Options that checks the argument, or nil
    # help:     one line; commands put their default behind it
    # choices:  what to complete: a block's list, :file, or nil
    Flag = Struct.new(:key, :short, :long, :argument, :value, :setting, :help, :choices, keyword_init: true) do
      # The value for a text; raises ArgumentError with one sentence.
      def parse(text, written) = setting ? Options.parse(setting, text, written) : text

      # "-f, --frequency HZ"
      def signature
        names = [short, long].compact.join(", ")
        argument ? "#{names} #{argument}" : names
      end
    end

    FLAGS = [
      {key: :output, short: "-o", long: "--output", argument: "PATH", setting: :output, choices: :file,
       help: "file to write the profile to"},
      {key: :frequency, short: "-f", long: "--frequency", argument: "HZ", setting: :frequency,
       help: "samples a second, 1 to #{Options::MAX_FREQUENCY}"},
      {key: :mode, short: "-m", long: "--mode", argument: "MODE", setting: :mode, choices: -> { Formats.modes },
       help: "cpu (time on the processor) or wall (time that passes)"},
      {key: :format, long: "--format", argument: "FMT", setting: :format, choices: -> { Formats.names },
       help: "pprof, collapsed, text or json"},
      {key: :print, short: "-p", long: "--print", value: true,
       help: "print the profile as text to stdout"},
      {key: :tables, long: "--report", value: true,
       help: "add the tables of functions, by their own time and with what they call"},
      {key: :verbose, short: "-v", long: "--verbose", value: true,
       help: "print statistics about the sampling to stderr"},
      {key: :inherit, long: "--no-inherit", value: false,
       help: "profile only the first Ruby process, not those that it starts"},
      {key: :signal, long: "--signal", argument: "N", setting: :signal,
       help: "real-time signal of the timer, or 'none' for a timer without signals"},
      {key: :lines, long: "--no-lines", value: false,
       help: "leave out line numbers"},
      {key: :native, long: "--native", value: true,
       help: "show the native function that ran (of Ruby itself, an extension, a library) as a leaf"},
      {key: :aggregate, long: "--no-aggregate", value: false,
       help: "keep each sample instead of merging equal stacks"},
      {key: :defer, long: "--defer", value: true,
       help: "profile only what runs inside of Rperf.profile blocks"},
      {key: :view, long: "--top", value: :top,
       help: "print the functions by their own time"},
      {key: :view, long: "--text", value: :text,
       help: "print pprof's text summary (the same as --top)"},
      {key: :pprof, long: "--pprof", value: true,
       help: "leave it to Go's pprof: in the browser, or with --top or --text"},
      {key: :help, short: "-h", long: "--help", value: true,
       help: "show this help"}
    ].map { |fields| Flag.new(**fields).freeze }.freeze
  end
end
