# frozen_string_literal: true

require_relative "../compilers"
require_relative "../layout_proof"
require_relative "../numbers"
require_relative "../facade"
require_relative "finding"

module Rperf
  module Doctor
    # Sessions of time: the engine that takes the stacks, the number of ticks, the cost of a tick.
    class Ticks
      FREQUENCY = 1000
      # Length of a session, in seconds.
      LENGTH = 0.3
      # Share of the expected ticks below which a note is made. A tick stands for the time since the
      # one before, so profiles stay right and become coarser.
      ENOUGH = 0.7
      # Share of a processor that ticks take, at FREQUENCY, above which a note is made. A bare timer
      # of 1000 Hz takes 3 % in a virtual machine.
      DEAR = 0.1
      # Computes until a moment of the monotonic clock. It belongs to no file of rperf's, since
      # profiles leave out what those files do.
      COMPUTE = eval(<<~RUBY, TOPLEVEL_BINDING.dup, "rperf doctor", 1)
        ->(till) { (1..1000).to_a.reverse.sort while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till }
      RUBY
      # Paths of frames outside of Ruby code: libraries, and mappings of the kernel.
      LIBRARY = /\.so\b|\.dylib\z|\A\[/

      # Returns the findings.
      def findings = [engine, layout, count, cost, native]

      private

      # Returns the data of a session that profiles a computation.
      def session(**options)
        Rperf.start(mode: :cpu, frequency: FREQUENCY, **options) do
          COMPUTE.call(Process.clock_gettime(Process::CLOCK_MONOTONIC) + LENGTH)
        end
      end

      def data = @data ||= session

      def engine
        return Finding.ok("engine", "poll: stacks are read from outside, at the tick") if data[:engine] == :poll
        Finding.bad("engine", "safepoint: #{reason.first}", "#{reason.last} Until then a method may be charged with time of the one before it.")
      end

      # Finding about the layout, as proved for this very Ruby.
      def layout
        return Finding.ok("layout", "proved: #{Native.layout}") if LayoutProof.ensure
        Finding.note("layout", "not proved", "Stacks are taken at safepoints.")
      end

      # Returns why the stacks are not read from outside, and what to do.
      def reason
        if Compilers.on?("ZJIT")
          ["ZJIT's frames are laid out in another way than the interpreter's", "Profile without --zjit, or with --yjit."]
        elsif !Native.copies_stacks?
          ["the system lets rperf copy no stacks", "Allow process_vm_readv(2) in the container's seccomp profile, and raise `ulimit -v`."]
        else
          ["rperf cannot prove how this Ruby lays out its frames", "Report this Ruby with the output of `rperf doctor --json`."]
        end
      end

      def count
        due = (LENGTH * FREQUENCY).round
        text = "#{data[:tick_count]} of #{due} in #{LENGTH} s at #{FREQUENCY} Hz"
        return Finding.ok("ticks", text) if data[:tick_count] >= due * ENOUGH
        Finding.note("ticks", text, "The processors are busy: record for longer, so that as many ticks are seen.")
      end

      def cost
        each = data[:sampling_time_ns] / [data[:sampling_count], 1].max
        share = each * FREQUENCY / 1e9
        text = "#{(each / 1e3).round} us of CPU time a tick: #{Numbers.percent(share, 1)} of a processor at #{FREQUENCY} Hz"
        return Finding.ok("cost", text) if share <= DEAR
        Finding.note("cost", text, "Where that matters, lower the frequency: -f 100 takes a fifth of it.")
      end

      # Finding about whether native functions are seen as leaves.
      def native
        return Finding.note("native", "--native shows nothing: it needs the engine poll", "See engine.") unless data[:engine] == :poll
        seen = session(native: true)[:samples].any? { |sample| sample[0].first&.path&.match?(LIBRARY) }
        return Finding.ok("native", "--native shows functions of libraries#{paranoid}") if seen
        error = Native.task_clock_error
        return unseen unless error
        Finding.note("native", "--native shows nothing: perf_event_open(2) fails: #{SystemCallError.new(nil, error).message}#{paranoid}",
          "Only --native needs it: set kernel.perf_event_paranoid to 2 or less, and allow the call in the container's seccomp profile.")
      end

      def unseen
        Finding.note("native", "--native showed nothing: no tick met a function of a library",
          "If the processors are busy, try again. --native also needs /proc, and signals that can queue (`ulimit -i`).")
      end

      def paranoid
        level = File.read("/proc/sys/kernel/perf_event_paranoid").to_i
        " (perf_event_paranoid is #{level})"
      rescue SystemCallError
        ""
      end
    end
  end
end
