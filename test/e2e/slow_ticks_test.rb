# frozen_string_literal: true

require_relative "../support/program"

# On a busy machine the sampling thread may lose its processor in the middle of a tick.
class SlowTicksTest < Minitest::Test
  include ProgramSupport

  # Each copy of a stack takes 0.2 s.
  LIBRARY = <<~C
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <sys/uio.h>
    #include <unistd.h>

    ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t offset) {
      ssize_t written = syscall(SYS_pwritev, file, pieces, count, offset, 0);
      usleep(200000);
      return written;
    }

    ssize_t pwritev64(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev")));
  C

  PROGRAM = <<~RUBY
    now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    begun = now.call
    500.times { |number| number ^ 1 } while now.call - begun < 0.05
  RUBY
  # What the edges of a profile may be off by, in nanoseconds; half of what a copy takes is more.
  EDGES = 25_000_000

  def test_a_tick_that_outlasts_the_session_charges_nothing_beyond_it
    in_directory do |directory|
      write_file(directory, "slow.c", LIBRARY)
      assert system(RbConfig::CONFIG["CC"], "-shared", "-fPIC", "-o", "slow.so", "slow.c", chdir: directory)
      slow = ["env", "LD_PRELOAD=#{directory}/slow.so"]
      result = rperf("record", "-m", "wall", "-o", "p.json", *slow, RUBY, "--disable-gems", "-e", PROGRAM, directory:)
      assert_equal 0, result.code, result.inspect
      data = Rperf.load(File.join(directory, "p.json"))
      assert_operator data[:samples].sum { |sample| sample[1] }, :<=, data[:duration_ns] + EDGES
    end
  end
end
