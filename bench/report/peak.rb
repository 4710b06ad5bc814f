# frozen_string_literal: true

# Loaded into a measured program. When it ends, prints its peak memory and its processor time.
at_exit do
  $stderr.puts "peak: #{File.read("/proc/self/status")[/^VmHWM:\s*(\d+)/, 1]} kB"
  $stderr.puts "cpu: #{Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)} s"
end
