# frozen_string_literal: true

require_relative "paths"

# Programs under a filter of system calls (seccomp(2)), as containers have one.
module RefusedCalls
  # asm/unistd_64.h
  NUMBERS = {mremap: 25, mkdir: 83, pwritev: 296, process_vm_readv: 310, memfd_create: 319, close_range: 436}.freeze
  # Whether the numbers are this machine's.
  KNOWN = RUBY_PLATFORM.start_with?("x86_64-linux")

  # Installs the filter and becomes the program. 157 is prctl(2).
  # linux/prctl.h: PR_SET_NO_NEW_PRIVS 38, PR_SET_SECCOMP 22 with SECCOMP_MODE_FILTER 2.
  # linux/bpf_common.h: 0x20 loads the call's number, 0x15 compares, 6 returns.
  # linux/seccomp.h: 0x50000 and an error number, or 0x7fff0000 to allow the call.
  CODE = <<~RUBY
    error, numbers, *program = ARGV
    refused = numbers.split(",").flat_map { |number| [[0x15, 0, 1, Integer(number)], [6, 0, 0, 0x50000 | Integer(error)]] }
    rules = [[0x20, 0, 0, 0], *refused, [6, 0, 0, 0x7fff0000]]
    filter = [rules.length, rules.map { |rule| rule.pack("SCCL") }.join].pack("Sx6p")
    syscall(157, 38, 1, 0, 0, 0)
    syscall(157, 22, 2, [filter].pack("p").unpack1("J"), 0, 0)
    exec(*program)
  RUBY

  # Words in front of those of a program, in which these calls then fail with this error.
  def self.words(*calls, error: Errno::EPERM)
    [Paths::RUBY, "--disable-gems", "-W0", "-e", CODE, error::Errno.to_s, NUMBERS.fetch_values(*calls).join(",")]
  end
end
