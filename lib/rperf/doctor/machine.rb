# frozen_string_literal: true

require "etc"
require_relative "../numbers"
require_relative "finding"

module Rperf
  module Doctor
    # Processors, clocks and limits. The clock, the control groups and seccomp are read from /proc
    # and /sys, which only Linux has.
    class Machine
      # Clock sources that are read without a system call (clocksource drivers with a vDSO mode).
      QUICK = /\A(?:tsc|kvm-clock|hyperv_clocksource_tsc_page|arch_sys_counter|arm_timer)\z/
      # Number of open files below which --native leaves some threads out: it uses one for each
      # thread, at most a quarter of all.
      FEW_FILES = 256

      # root: the directory that has proc and sys
      # processors: number of processors that the process may use
      def initialize(root: "/", processors: Etc.nprocessors)
        @root, @processors = root, processors
      end

      # Returns the findings.
      def findings = [processors, quota, states, clock, filter, files].compact

      private

      def processors
        return Finding.ok("processors", @processors.to_s) if @processors > 1
        Finding.note("processors", "1: the sampling thread takes turns with the program", "Ticks come later; each is charged to what ran when it was due.")
      end

      def quota
        share = quotas.min
        return Finding.ok("cpu quota", "none") unless share
        Finding.note("cpu quota", "#{(share * 100).round} % of a processor",
          "In mode wall the time that the quota takes is [CPU wait]; in mode cpu it is left out.")
      end

      # Quotas of the process's control groups and those above, in processors: cgroup v2's cpu.max
      # (cgroup-v2.rst of the kernel's documentation), and v1's cfs_quota_us (sched-bwc.rst).
      def quotas
        lines("proc/self/cgroup").flat_map do |line|
          _number, controllers, path = line.split(":", 3)
          names = controllers.split(",")
          next [] unless names.empty? || names.include?("cpu")
          upwards(path).filter_map { |directory| names.empty? ? v2(directory) : v1(controllers, directory) }
        end
      end

      def upwards(path)
        parts = path.split("/").reject(&:empty?)
        parts.length.downto(0).map { |length| parts.first(length).join("/") }
      end

      def v2(directory) = share(*read("sys/fs/cgroup/#{directory}/cpu.max")&.split)

      def v1(controllers, directory)
        %W[#{controllers} cpu].uniq.filter_map do |name|
          base = "sys/fs/cgroup/#{name}/#{directory}"
          share(read("#{base}/cpu.cfs_quota_us"), read("#{base}/cpu.cfs_period_us"))
        end.min
      end

      def share(quota = nil, period = nil)
        quota.to_f / period.to_f if quota.to_i.positive? && period.to_i.positive?
      end

      # Finding about /proc, where the system says whether a thread sleeps, and for how long it has
      # waited for a processor.
      def states
        return unless RUBY_PLATFORM.include?("linux")
        return Finding.ok("/proc", "says what threads wait for") if read("proc/self/task/#{Process.pid}/stat")
        Finding.note("/proc", "not mounted, or not readable: rperf cannot see whether a thread sleeps or waits for a processor",
          "Mount it (mount -t proc proc /proc): else [CPU wait] is part of methods, and --native shows nothing.")
      end

      def clock
        name = read("sys/devices/system/clocksource/clocksource0/current_clocksource")
        return unless name
        return Finding.ok("clock", name) if name.match?(QUICK)
        Finding.note("clock", "#{name}: each reading is a system call",
          "Programs that switch threads often slow down under rperf; kernels with the clock source tsc do not.")
      end

      # Finding about seccomp. In the field Seccomp of proc_pid_status(5), 2 is a filter.
      def filter
        mode = lines("proc/self/status").filter_map { |line| line[/\ASeccomp:\s*(\d+)/, 1] }.first
        return unless mode
        Finding.ok("seccomp", mode == "2" ? "a filter is on; what it keeps from rperf is said above" : "no filter")
      end

      def files
        soft = Process.getrlimit(:NOFILE).first
        return Finding.ok("open files", "at most #{Numbers.grouped(soft)}") if soft >= FEW_FILES
        Finding.note("open files", "at most #{soft}", "--native uses one for each thread, and leaves threads out: raise `ulimit -n`.")
      end

      # Returns the text of a file; nil where it cannot be read.
      def read(path)
        File.read(File.join(@root, path)).strip
      rescue SystemCallError
        nil
      end

      def lines(path) = read(path).to_s.lines(chomp: true)
    end
  end
end
