# frozen_string_literal: true

require_relative "../support/program"

# Containers whose filter of system calls keeps some from rperf.
class SandboxTest < Minitest::Test
  include ProgramSupport

  # Numbers of x86_64: asm/unistd_64.h.
  PRCTL = 157
  PROCESS_VM_READV = 310

  # A filter (seccomp(2)) under which one system call fails, installed before rperf is loaded.
  # linux/prctl.h: PR_SET_NO_NEW_PRIVS 38, PR_SET_SECCOMP 22 with SECCOMP_MODE_FILTER 2.
  # linux/bpf_common.h: 0x20 loads the call's number, 0x15 compares, 6 returns.
  # linux/seccomp.h: 0x50000 and an error number, or 0x7fff0000 to allow the call.
  FILTER = <<~RUBY
    rules = [[0x20, 0, 0, 0], [0x15, 0, 1, #{PROCESS_VM_READV}], [6, 0, 0, 0x50000 | Integer(ENV["FAILS_WITH"])], [6, 0, 0, 0x7fff0000]]
    code = rules.map { |rule| rule.pack("SCCL") }.join
    program = [rules.length, code].pack("Sx6p")
    syscall(#{PRCTL}, 38, 1, 0, 0, 0)
    syscall(#{PRCTL}, 22, 2, [program].pack("p").unpack1("J"), 0, 0)
  RUBY

  PROGRAM = <<~RUBY
    require "rperf"
    def spin = 2_000_000.times { |number| number.to_s }
    data = Rperf.start { [1].each { spin } }
    times = data[:samples].group_by { |frames,| frames.any? { |frame| frame[1] == "Object#spin" } }
    times = times.transform_values { |samples| samples.sum { |sample| sample[1] } }
    print data[:engine], " ", times[true].fdiv(times.values.sum) > 0.9
  RUBY

  [Errno::EPERM, Errno::ENOSYS].each do |error|
    define_method("test_stacks_are_read_where_a_call_fails_with_#{error.name[/\w+\z/]}") do
      in_directory do |directory|
        env = {"RUBYLIB" => Paths::LIB, "FAILS_WITH" => error::Errno.to_s}
        result = run_program(RUBY, "-W0", "-e", FILTER + PROGRAM, directory:, env:)
        assert_equal ["poll true", ""], [result.out, result.err]
      end
    end
  end if RUBY_PLATFORM.start_with?("x86_64-linux")
end
