# frozen_string_literal: true

require_relative "../formats"
require_relative "../options"
require_relative "../wait_kinds"
require_relative "failure"

module Rperf
  class CLI
    # One option of the command line. The table below is the only list of options: the parser, the
    # usage, `rperf help`, shell completion and docs/cli.md are made from it.
    #
    # key:      key of the value among the command's values
    # short:    "-f", or nil
    # long:     "--frequency"
    # argument: "HZ", or nil for a switch
    # id:       name by which commands list it: the long name, unless another option has the same
    # value:    the value that a switch sets
    # setting:  the setting of Rperf::Options that checks the argument, or nil
    # kind:     the Rperf::Options::Value that checks an argument that is no setting, or nil
    # many:     whether it may be given several times, for a list
    # help:     one line; commands put their default behind it
    # choices:  completions of the argument: a Proc that returns a list, :file, or nil
    Flag = Struct.new(:key, :id, :short, :long, :argument, :value, :setting, :kind, :many, :help, :choices, keyword_init: true) do
      def initialize(long:, id: long, **fields) = super

      # Returns the value for a text; raises ArgumentError with one sentence.
      def parse(text, written)
        return OutputFile::STDOUT if setting == :output && text == Options::Value::Path::STDOUT
        return Options.parse(setting, text, written) if setting
        kind ? kind.check(kind.parse(text), written) : as_text(text, written)
      end

      # Returns the names with the argument: "-f, --frequency HZ".
      def signature
        names = [short, long].compact.join(", ")
        argument ? "#{names} #{argument}" : names
      end

      private

      # Returns a text to look for in a profile, whose names are UTF-8.
      def as_text(bytes, written)
        text = bytes.dup.force_encoding(Encoding::UTF_8)
        return text if text.valid_encoding?
        raise ArgumentError, "#{written} must be text in UTF-8, not #{text.inspect}"
      end
    end

    orders = %i[flat cum]
    layouts = %i[text json]
    order = Options::Value::Name.new { orders }
    layout = Options::Value::Name.new { layouts }
    count = Options::Value::WholeNumber.new(0..1_000_000, "functions; 0 for all")
    one_mode = Options::Value::Name.new(aliases: Options::MODE_ALIASES) { Formats.modes }
    attached = %i[cpu wall block mutex alloc heap]
    seconds = Options::Value::WholeNumber.new(1..600, "seconds")
    runs = Options::Value::WholeNumber.new(1..1000, "runs of the command")
    share = Options::Value::Number.new(0..1, "a share of the total")
    frequency_from_outside = Options::Value::WholeNumber.new(1..Options::MAX_FREQUENCY_FROM_OUTSIDE, "Hz")

    FLAGS = [
      {key: :output, short: "-o", long: "--output", argument: "PATH", setting: :output, choices: :file,
       help: "file to write the profile to, or - for stdout"},
      {key: :frequency, short: "-f", long: "--frequency", argument: "HZ", setting: :frequency,
       help: "samples a second, 1 to #{Options::MAX_FREQUENCY}"},
      {key: :frequency, id: :frequency_from_outside, short: "-f", long: "--frequency", argument: "HZ", kind: frequency_from_outside,
       help: "samples a second, 1 to #{Options::MAX_FREQUENCY_FROM_OUTSIDE}"},
      {key: :mode, short: "-m", long: "--mode", argument: "MODE", setting: :mode, choices: -> { [*Formats.modes, :both] },
       help: "cpu, wall or both (time), alloc or heap (objects), custom; also cpu,alloc"},
      {key: :attached, id: :attached, short: "-m", long: "--mode", argument: "MODE", kind: Options::Value::Name.new { attached }, choices: -> { attached },
       help: "cpu, wall, block (waits), mutex, alloc or heap"},
      {key: :mode, id: :one_mode, short: "-m", long: "--mode", argument: "MODE", kind: one_mode, choices: -> { Formats.modes },
       help: "cpu, wall, alloc, heap or custom: of which mode"},
      {key: :interval, short: "-i", long: "--interval", argument: "N", setting: :interval,
       help: "alloc, heap: one object of N is sampled, by chance (default: 500)"},
      {key: :watch, long: "--watch", argument: "HOW", setting: :watch, choices: -> { %w[direct event] },
       help: "alloc, heap: direct or event (default: direct where rperf can)"},
      {key: :min_age, long: "--min-age", argument: "N", setting: :min_age,
       help: "heap: leave out what has survived fewer collections; 0: nothing (default: 1)"},
      {key: :objects, long: "--max-live", argument: "N", setting: :objects,
       help: "heap: keep at most N sampled objects, then one in two by chance (default: 65536)"},
      {key: :gc, long: "--no-gc", value: false,
       help: "heap: no full collection before what is in use is counted"},
      {key: :data_sizes, long: "--no-data-sizes", value: false,
       help: "heap: do not ask extensions how large their objects are"},
      {key: :malloc, long: "--malloc", value: true,
       help: "alloc, heap: memory by where it is taken from malloc, not by the size of objects"},
      {key: :malloc_interval, long: "--malloc-interval", argument: "N", setting: :malloc_interval,
       help: "the same; one byte of N is drawn, by chance (default: 524288)"},
      {key: :native_memory, long: "--native-memory", value: true,
       help: "the same, with what C extensions and their libraries take"},
      {key: :format, long: "--format", argument: "FMT", setting: :format, choices: -> { Formats.names },
       help: Formats.names.join(", ")},
      {key: :seconds, short: "-s", long: "--seconds", argument: "N", kind: seconds,
       help: "for how long, 1 to 600"},
      {key: :service, long: "--service", argument: "NAME",
       help: "what the program is called in the store"},
      {key: :rejected, long: "--rejected", argument: "PATH",
       help: "write the profile that the agent's destination refused last to this file"},
      {key: :explain, long: "--explain", value: true,
       help: "send nothing, and say what would be sent"},
      {key: :verify, long: "--verify", value: true,
       help: "pyroscope: ask the store afterwards whether it has all of it"},
      {key: :print, short: "-p", long: "--print", value: true,
       help: "print the profile as text to stdout"},
      {key: :repeat, long: "--repeat", argument: "N", kind: runs,
       help: "run the command N times: mean, spread and outliers"},
      {key: :tables, long: "--report", value: true,
       help: "add the tables of functions, by their own time and with what they call"},
      {key: :verbose, short: "-v", long: "--verbose", value: true,
       help: "print statistics about the sampling to stderr"},
      {key: :inherit, long: "--no-inherit", value: false,
       help: "profile only the first Ruby process, not those that it starts"},
      {key: :signal, long: "--signal", argument: "N", setting: :signal,
       help: "the native probe's signal, or 'none': samples at safepoints only"},
      {key: :lines, long: "--no-lines", value: false,
       help: "leave out line numbers"},
      {key: :native, long: "--native", value: true,
       help: "show the native function that ran (of Ruby itself, an extension, a library) as a leaf"},
      {key: :aggregate, long: "--no-aggregate", value: false,
       help: "keep each sample instead of merging equal stacks"},
      {key: :timeline, long: "--timeline", value: true,
       help: "keep when each sample was taken"},
      {key: :blame, long: "--blame", value: true,
       help: "mode wall: count who made other threads wait for the GVL, too"},
      {key: :defer, long: "--defer", value: true,
       help: "profile only what runs inside of Rperf.profile blocks"},
      {key: :slow, long: "--slow", argument: "SECONDS", setting: :slow,
       help: "label requests and jobs that take longer as latency=slow"},
      {key: :view, long: "--top", value: :top,
       help: "print the functions by their own time"},
      {key: :view, long: "--text", value: :text,
       help: "print pprof's text summary (the same as --top)"},
      {key: :view, long: "--dot", value: :dot,
       help: "write the call graph for Graphviz to stdout"},
      {key: :view, long: "--callgrind", value: :callgrind,
       help: "write the profile for KCachegrind and callgrind_annotate to stdout"},
      {key: :view, long: "--collapsed", value: :collapsed,
       help: "write collapsed stacks, for flame graph tools, to stdout"},
      {key: :view, long: "--speedscope", value: :speedscope,
       help: "write the profile for speedscope to stdout"},
      {key: :view, long: "--firefox", value: :firefox,
       help: "write the profile for the Firefox Profiler to stdout"},
      {key: :view, long: "--markdown", value: :markdown,
       help: "write a compact report, made for language models, to stdout"},
      {key: :view, long: "--tree", value: :tree,
       help: "print the functions with their callers above and their callees below"},
      {key: :peek, long: "--peek", argument: "REGEX",
       help: "print that of the functions that match, with nothing left out"},
      {key: :view, long: "--traces", value: :traces,
       help: "print every stack with its labels"},
      {key: :view, long: "--labels", value: :labels,
       help: "print the labels with the weight of each value"},
      {key: :view, long: "--leaks", value: :leaks,
       help: "heap: print what is in use by class and line, with its age; what stays is first"},
      {key: :view, long: "--comments", value: :comments,
       help: "print the comments: how the profile was recorded, what was lost"},
      {key: :by, long: "--by", argument: "KEY",
       help: "print each value of a label: its time, what it did, and its heaviest method"},
      {key: :method, long: "--method", argument: "NAME",
       help: "print a method: callers, callees and its lines; a name or a regular expression"},
      {key: :source, long: "--source", argument: "FILE",
       help: "print the lines of a file; a path, the end of one, or a regular expression"},
      {key: :focus, long: "--focus", argument: "REGEX",
       help: "only samples with a frame whose function or file matches"},
      {key: :ignore, long: "--ignore", argument: "REGEX",
       help: "no samples with such a frame"},
      {key: :hide, long: "--hide", argument: "REGEX",
       help: "leave out such frames, not what they call"},
      {key: :show, long: "--show", argument: "REGEX",
       help: "leave out all other frames"},
      {key: :mine, long: "--mine", value: true,
       help: "fold frames of gems, Ruby and C into their nearest caller of the project"},
      {key: :tagfocus, long: "--tagfocus", argument: "[KEY=]FILTER",
       help: "samples with such a label: REGEX[,REGEX...] (wait=^io$) or numbers (2, 2:, :64kb, 1:3)"},
      {key: :tagignore, long: "--tagignore", argument: "[KEY=]FILTER",
       help: "no samples with such a label"},
      {key: :tagroot, long: "--tagroot", argument: "KEYS",
       help: "make the values of these labels (KEY[,KEY...]) frames at the root"},
      {key: :tagleaf, long: "--tagleaf", argument: "KEYS",
       help: "make the values of these labels frames at the leaf ('': none, not the class of objects)"},
      {key: :nodecount, long: "--nodecount", argument: "N", kind: count,
       help: "show at most N functions, 0 for all (--tree: 80)"},
      {key: :nodefraction, long: "--nodefraction", argument: "F", kind: share,
       help: "leave out functions below this share of the total, cumulative (0.005)"},
      {key: :idle, long: "--idle", value: true,
       help: "count the time, too, in which threads waited for work"},
      {key: :sort, long: "--cum", value: :cum,
       help: "sort by the time with what a function calls"},
      {key: :sort, long: "--sort", argument: "ORDER", kind: order, choices: -> { orders },
       help: "flat (own time) or cum"},
      {key: :waits, long: "--wait", argument: "METHOD=KIND", kind: WaitKinds, many: true,
       help: "call it KIND when a thread waits off the GVL in METHOD, or in what it calls"},
      {key: :unit, long: "--unit", argument: "UNIT",
       help: "unit of values, such as ms; auto: each in its own, minimum: one for all"},
      {key: :sample_type, long: "--sample-index", argument: "TYPE",
       help: "which values of a profile that has several: a name such as samples, or a number from 0"},
      {key: :layout, id: :layout, long: "--format", argument: "FMT", kind: layout, choices: -> { layouts },
       help: "text or json, for scripts"},
      {key: :pager, long: "--no-pager", value: false,
       help: "do not page long text on a terminal"},
      {key: :html, long: "--html", argument: "FILE", setting: :output, choices: :file,
       help: "write the page for the browser to this file ('-': stdout) instead of serving it"},
      {key: :editor, long: "--editor", argument: "URL",
       help: "link lines to the editor: vscode://file{path}:{line} (RPERF_EDITOR)"},
      {key: :repository, long: "--repository", argument: "URL",
       help: "link the project's lines, as https://.../{path}#L{line} (RPERF_REPOSITORY)"},
      {key: :browser, long: "--no-browser", value: false,
       help: "only print the page's address, open no browser"},
      {key: :bases, long: "--base", argument: "FILE", many: true, choices: :file,
       help: "a file of the base; several are their mean, and so are several targets"},
      {key: :normalise, long: "--normalise", value: true,
       help: "scale the target to the base's total, to compare shares"},
      {key: :normalise, long: "--normalize", value: true,
       help: "the same"},
      {key: :fail_above, long: "--fail-above", argument: "PERCENT", kind: Options::Value::Percentage,
       help: "exit with #{Failure::GROWN} when a function grew by more than this of the base's total, beyond chance"},
      {key: :pprof, long: "--pprof", value: true,
       help: "leave it to Go's pprof: in the browser, or one of the views that it has"},
      {key: :past, long: "--past", value: true,
       help: "the last seconds that the process's recorder has kept, at once, instead of the next ones"},
      {key: :json, long: "--json", value: true,
       help: "as JSON, for scripts"},
      {key: :now, long: "--now", value: true,
       help: "make a recording now; with -o also take it"},
      {key: :help, short: "-h", long: "--help", value: true,
       help: "show this help"}
    ].map { |fields| Flag.new(**fields).freeze }.freeze
  end
end
