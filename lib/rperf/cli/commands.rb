# frozen_string_literal: true

require_relative "flags"
require_relative "failure"
require_relative "../suggestion"

module Rperf
  class CLI
    # One command: its name, its arguments, its options by their ids (most often the long names),
    # and their defaults. defaults_shown: text of the help in place of a default whose value does
    # not speak for itself.
    Command = Struct.new(:name, :arguments, :summary, :details, :options, :defaults, :defaults_shown, keyword_init: true) do
      # The Flags of the command, in the order of its help.
      def flags = options.map { |id| FLAGS.find { |flag| flag.id == id } || raise(KeyError, id.to_s) }

      # The class that runs the command: CLI::Record, in cli/record.rb, for "record".
      def runner
        require_relative name
        CLI.const_get(name.capitalize)
      end

      # Whether the arguments are a program with arguments of its own. Its exit status is rperf's.
      def runs_program? = arguments.start_with?("command")

      # The line for the help: "rperf record [options] command [args...]".
      def usage = "rperf #{name} #{"[options] " unless (options - %w[--help]).empty?}#{arguments}".rstrip

      # Returns the text of an option in the help, with its default.
      def help_for(flag)
        shown = defaults_shown[flag.key] || (defaults[flag.key] if flag.argument)
        shown ? "#{flag.help} (default: #{shown})" : flag.help
      end
    end

    # The part of a command's help that says which format a file gets.
    ENDINGS = "The format follows from the file's name: .data, .pb, .pprof and no ending are pprof, .html is the page of\n" \
              "`rperf report`; .json, .collapsed, .txt, .dot, .callgrind, .speedscope.json, .firefox.json, .md and .otlp\n" \
              "are what they say. All but .html also with .gz. Another ending is an error, unless --format names the format."

    live = %w[--min-age --max-live --no-gc --no-data-sizes --malloc --malloc-interval --native-memory]
    sampling = %w[--no-inherit --signal --no-lines --native --no-aggregate --timeline --blame --defer --slow] + live
    timer = {frequency: 1000, signal: nil}
    shown = {signal: "rperf chooses"}

    exports = %w[--dot --callgrind --collapsed --speedscope --firefox --markdown]
    filters = %w[--focus --ignore --hide --show --mine --tagfocus --tagignore --tagroot --tagleaf]
    limits = %w[--nodecount --nodefraction --cum --sort --unit --sample-index]
    page = %w[--html --no-browser --editor --repository]
    printing = [:layout, *%w[--no-pager --pprof --help]]
    views = %w[--top --text --tree --peek --traces --labels --by --leaks --comments --method --source]
    attaching = ["--seconds", :attached, :frequency_from_outside, "--interval"]
    taken = attaching + %w[--past]
    own = {seconds: 30, attached: "the session's, or cpu", frequency: "1000, where no session runs"}

    COMMANDS = [
      {name: "record", arguments: "command [args...]",
       summary: "profile a command and write the profile to a file",
       details: ENDINGS,
       options: %w[--output --frequency --mode --interval --watch --format --print --idle --verbose] + sampling + %w[--help],
       defaults: {output: "rperf.data", mode: :cpu, **timer}, defaults_shown: shown},
      {name: "stat", arguments: "command [args...]",
       summary: "run a command and show where its time went",
       details: "Prints to stderr: user, system and real time, the share of work, input and output, waiting for the GVL\n" \
                "and garbage collection, and what the process used.",
       options: %w[--repeat --output --frequency --mode --interval --watch --report --idle --format --verbose] + sampling + %w[--help],
       defaults: {mode: :wall, repeat: 1, **timer}, defaults_shown: {output: "none", **shown}},
      {name: "exec", arguments: "command [args...]",
       summary: "run a command and show the full report",
       details: "The same as `rperf stat --report`.",
       options: %w[--repeat --output --frequency --mode --interval --watch --idle --format --verbose] + sampling + %w[--help],
       defaults: {mode: :wall, repeat: 1, **timer}, defaults_shown: {output: "none", **shown}},
      {name: "report", arguments: "[file...]",
       summary: "look at a profile, in the browser or as text",
       details: "Reads the newest of rperf.data, rperf.MODE.data and rperf.json.gz when no file is named, - for stdin; pprof and\n" \
                "OTLP files of any program, rperf's JSON, collapsed stacks, and profiles of stackprof, speedscope and the Firefox\n" \
                "Profiler. Several files become one. Filters are those of Go's pprof.\n" \
                "Without a view the page is served to the browsers of this machine until Ctrl-C.",
       options: views + exports + page + filters + %w[--wait --idle] + limits + printing,
       defaults: {unit: "auto"}, defaults_shown: {}},
      {name: "diff", arguments: "[base] target...",
       summary: "compare two profiles (target - base)",
       details: "Reads what `rperf report` reads. Shares are of the base's total; less is negative.\n" \
                "Without a view the page is served to the browsers of this machine until Ctrl-C.",
       options: %w[--top --text --tree --peek --by --leaks] + page + %w[--base --normalise --normalize --fail-above] + filters + %w[--idle] + limits + printing,
       defaults: {unit: "auto"}, defaults_shown: {}},
      {name: "convert", arguments: "input output",
       summary: "write a profile in another format",
       details: "Reads what `rperf report` reads. The output - is stdout, and needs --format.\n#{ENDINGS}",
       options: %w[--format --sample-index --idle --help], defaults: {}, defaults_shown: {}},
      {name: "merge", arguments: "file...",
       summary: "write several profiles as one",
       details: "Reads what `rperf report` reads; all must measure the same. Threads of different files stay apart.\n" \
                "The format follows from the file's name as with `rperf convert`, and that of - is pprof.",
       options: %w[--output --format --sample-index --idle --help], defaults: {}, defaults_shown: {}},
      {name: "push", arguments: "file... url",
       summary: "send profiles to a profile store",
       details: "To Pyroscope (pyroscope+https://HOST), an OpenTelemetry backend (otlp+https), Parca (parca+https), or whatever\n" \
                "takes a POST of a pprof file (pprof+https://HOST/PATH), as Rperf::Agent sends them. Credentials and labels are\n" \
                "those of RPERF_PUSH_TOKEN_FILE, RPERF_PUSH_HEADERS and RPERF_LABELS.",
       options: %w[--service --explain --verify --help], defaults: {}, defaults_shown: {service: "RPERF_SERVICE, OTEL_SERVICE_NAME; one is needed"}},
      {name: "ps", arguments: "",
       summary: "list the processes that can be controlled",
       details: "Processes of this user with a control socket: see Rperf::Control.start and RPERF_CONTROL. Removes the sockets\n" \
                "of processes that have ended.",
       options: %w[--help], defaults: {}, defaults_shown: {}},
      {name: "status", arguments: "pid",
       summary: "show what a process says about itself",
       options: ["--rejected", :layout, "--help"], defaults: {}, defaults_shown: {}},
      {name: "start", arguments: "pid",
       summary: "begin a session in a process",
       details: "The session ends by itself; its profile is kept for `rperf stop` until another session begins.\n" \
                "It gives way to a session that the program starts.",
       options: ["--seconds", :frequency_from_outside] + %w[--mode --interval --watch --no-lines --native --blame] + live + %w[--help],
       defaults: {}, defaults_shown: {seconds: 60, frequency: 1000, mode: :cpu}},
      {name: "stop", arguments: "pid",
       summary: "end the session that `rperf start` began, and write its profile",
       details: "A session of several modes has a profile of each: --mode says which.\n#{ENDINGS}",
       options: %w[--output --format] + [:one_mode, "--help"], defaults: {output: "rperf.data"}, defaults_shown: {mode: "the first"}},
      {name: "attach", arguments: "pid",
       summary: "profile a running process for some seconds, and look at it",
       details: "Reads the session that runs in the process, and takes nothing from it. Without a session, it runs one for --seconds.\n" \
                "With -o the profile is written to a file. Otherwise it is shown as `rperf report` shows it.\n#{ENDINGS}",
       options: taken + %w[--output --format] + views + exports + page + filters + %w[--idle] + limits + %w[--no-pager --help],
       defaults: {unit: "auto"}, defaults_shown: own},
      {name: "top", arguments: "pid",
       summary: "show again and again what a process does",
       details: "On a terminal until Ctrl-C, or until the process ends; elsewhere once.",
       options: attaching + filters + %w[--idle --nodecount --cum --sort --help],
       defaults: {nodecount: 20, seconds: 2}, defaults_shown: own.slice(:attached, :frequency)},
      {name: "dump", arguments: "pid",
       summary: "show where the threads of a process are now",
       options: %w[--help], defaults: {}, defaults_shown: {}},
      {name: "ledger", arguments: "pid",
       summary: "show what the requests and jobs of a process took",
       details: "Units of work that have ended while a session ran, by kind and name, the one with most CPU time first.",
       options: [:layout, "--help"], defaults: {}, defaults_shown: {}},
      {name: "recordings", arguments: "pid",
       summary: "list what the recorder of a process has written, or take the latest",
       details: "Recordings of other processes in the same directory are listed, too. With -o the latest one of this process is\n" \
                "written to a file as it is; of one with several modes, --mode says which. See Rperf::Recorder.start.",
       options: %w[--now --output] + [:one_mode, "--help"], defaults: {}, defaults_shown: {output: "none", mode: "the first"}},
      {name: "doctor", arguments: "",
       summary: "show what this Ruby and this machine let rperf do",
       details: "Tries it, in less than two seconds. Each line is ok, a note (profiles are coarser or dearer), or bad (wrong or\n" \
                "impossible), with what to do. The exit status is 1 where something is bad.",
       options: %w[--json --help], defaults: {}, defaults_shown: {}},
      {name: "help", arguments: "[command|topic]",
       summary: "show the full reference, that of one command, or a document",
       details: "`rperf help topics` lists the documents, such as tour, faq, production and troubleshooting. No network is needed.",
       options: %w[--help], defaults: {}, defaults_shown: {}},
      {name: "completion", arguments: "bash|zsh",
       summary: "print the completion script of a shell",
       details: "bash: eval \"$(rperf completion bash)\"    zsh: eval \"$(rperf completion zsh)\"",
       options: %w[--help], defaults: {}, defaults_shown: {}}
    ].to_h { |fields| [fields[:name], Command.new(**fields).freeze] }.freeze

    # Returns the command of this name. Raises Failure with a suggestion when there is none.
    def self.command(name)
      COMMANDS.fetch(name) do
        nearest = Suggestion.nearest(name, COMMANDS.keys)
        advice = nearest ? "did you mean '#{nearest}'?" : "to profile a program, put 'record' before it"
        raise Failure.usage("unknown command '#{name}'; #{advice} ('rperf help' lists them)")
      end
    end
  end
end
