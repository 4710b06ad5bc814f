# frozen_string_literal: true

module Rperf
  class CLI
    class Help
      # The part of the reference that belongs to no single command.
      TOPICS = <<~TEXT
        MODES

          cpu    Time that a thread spent on a processor. Sleep, input and output, and waiting for other
                 threads weigh nothing. Use it to find what burns the processor.
          wall   Time that passed while a thread ran or waited. Use it to find why something takes long.
                 Threads that wait side by side each count in full.
          both   CPU and wall time of the same ticks, a profile of each. Also one of these with one of the next two:
                 wall,alloc is a profile of each, too.
          alloc  Objects that are allocated, and the bytes that they take: one object of --interval is sampled,
                 by chance. Use it to find what keeps the garbage collector busy.
          heap   The same, and how many of them, with how many bytes, are still there. Use it to find what a
                 process keeps, and by `rperf diff` what grows.
          custom What the program says by Rperf.sample(weight: 1, bytes: 512).

        FORMATS

          pprof       .data, .pb, .pb.gz, .pprof and no ending: Go's pprof and the tools that read it
          collapsed   .collapsed: a line a stack with its nanoseconds, for flame graph tools
          text        .txt: tables of functions, to read as they are
          json        .json: everything rperf knows
          dot         .dot: the call graph, for Graphviz
          callgrind   .callgrind, .callgrind.out: for KCachegrind and callgrind_annotate
          speedscope  .speedscope.json: for speedscope
          firefox     .firefox.json: for the Firefox Profiler
          markdown    .md: a compact report, made to be read by a language model
          otlp        .otlp: OpenTelemetry's profiles (alpha), as its Collector takes them
          html        .html: the page that `rperf report` shows, as one file for the browser

          All but html also with .gz, which compresses them. Another ending is an error without --format.

        FRAMES THAT STAND FOR NO METHOD

          The first five are the leaf of the stack that caused them, the next three stacks of their own.

          [GVL blocked]  wall  The thread was off the GVL: input and output, sleep, waiting for a lock.
          [GVL wait]     wall  It was ready to run, and another thread held the GVL.
          [CPU wait]     wall  It had the GVL, and waited for a processor.
          [GC marking]   both  The garbage collector marked live objects: time on the clock of the mode.
          [GC sweeping]  both  The garbage collector freed dead objects: time on the clock of the mode.
          [no Ruby code] both  The thread ran none: Ruby read the program's first file, say.
          [no holder]    wall  With --blame: threads waited for the GVL, and none had it.
          [native thread]      With --malloc: memory that a thread took which is not Ruby's.
          [truncated]    all   Callers are missing: there were more than 10,000 frames, or callers in doubt.
          [thinned]      all   Frames are missing: a profile store had no room for them.

          With --native also the C functions that ran, with the library as their file; '[libz.so.1]'
          where the library's functions have no names.

        WHAT TO LOOK FOR

          Flat (self) time is the function's own; cumulative time includes what it calls.

          Much flat time in cpu mode    The function itself is the work: do it better or less often.
          Much [GVL blocked]            The program waits for disks, networks or sleeps: see who calls.
          Much [GVL wait]               Threads compete for the GVL (--blame: whose): fewer threads, processes, or Ractors.
          Much [CPU wait]               Processors are scarce: fewer busy processes, or a higher CPU limit.
          Much [GC marking]             Many live objects: keep fewer of them.
          Much [GC sweeping]            Many short-lived objects: reuse them.
          Slow in wall, idle in cpu     It waits; look at what it waits for.

        FOR GOOD PROFILES

          Profile real work for some seconds, not a loop of microseconds: a row of one or two ticks is chance.
          1000 Hz suits most programs; 100 to 500 Hz cost less where rperf runs for long.
          Record in cpu and in wall mode and compare: what is high in wall alone waits.
          `rperf diff before after --top` shows what a change has done.
          -v shows what sampling cost, what was lost and why, and the hottest functions at once.

        PROCESSES

          Ruby processes that the command starts (fork, spawn, system) are profiled too and merged into one
          profile, in which samples have the labels 'pid' and 'process' (the title, or the command line).
          --no-inherit profiles the first Ruby process only.
          A process that ends by SIGKILL or in a crash leaves no profile, nor does one that can write no file any
          more: after a change of its user or root directory, say.

        EXIT STATUS

          That of the command, and its signal when one ended it. Otherwise 2 for a wrong command line, 1 when
          rperf could not do what was asked (the command cannot be run, or it runs no Ruby), and 3 when
          `rperf diff --fail-above` found something that grew.

        ENVIRONMENT

          RPERF_ENABLED=1 profiles a program that loads rperf (`ruby -rrperf program.rb`) without the CLI.
          RPERF_OUTPUT (rperf.data), RPERF_FREQUENCY, RPERF_MODE, RPERF_INTERVAL, RPERF_WATCH, RPERF_MAX_LIVE,
          RPERF_MIN_AGE, RPERF_GC, RPERF_DATA_SIZES, RPERF_MALLOC, RPERF_MALLOC_INTERVAL, RPERF_NATIVE_MEMORY,
          RPERF_FORMAT, RPERF_SIGNAL, RPERF_AGGREGATE, RPERF_TIMELINE, RPERF_LINES, RPERF_NATIVE, RPERF_BLAME,
          RPERF_DEFER, RPERF_SLOW and RPERF_VERBOSE are the keywords of Rperf.start (RPERF_MAX_LIVE is objects:);
          RPERF_STAT=1 prints what `rperf stat` prints, RPERF_STAT_REPORT=1 adds the tables, RPERF_STAT_COMMAND
          names the command, and RPERF_INHERIT=0 leaves forked children alone.
          In a program that loads rperf, RPERF_CONTROL=1 lets `rperf ps`, `attach`, `top`, `dump`, `ledger`,
          `recordings`, `status`, `start` and `stop` reach it, RPERF_LISTEN=127.0.0.1:6065 opens a port,
          RPERF_RECORDER=1 records slow requests and jobs, and RPERF_PUSH_URL sends a profile of each minute
          (`rperf help production`). RPERF_EDITOR and RPERF_REPOSITORY link the lines of pages, RPERF_PAGER
          pages long text.
      TEXT
    end
  end
end
