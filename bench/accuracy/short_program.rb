# frozen_string_literal: true

# The program of the case short_programs: it works 10 ms of CPU time in one method, and ends.
#   ruby short_program.rb RESULT_FILE
# writes the CPU time that the method took, in ns.

WORK_NS = 10_000_000

def cpu_ns = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

def work_ten_ms
  began = cpu_ns
  until cpu_ns - began >= WORK_NS
    left = 1_000
    left -= 1 while left.positive?
  end
  cpu_ns - began
end

File.write(ARGV.fetch(0), work_ten_ms)
