# frozen_string_literal: true

# Loaded into a program that is measured: says at its end how much memory it had at most.
at_exit { $stderr.puts "peak: #{File.read("/proc/self/status")[/^VmHWM:\s*(\d+)/, 1]} kB" }
