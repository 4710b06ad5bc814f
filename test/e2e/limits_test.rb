# frozen_string_literal: true

require_relative "../support/program"

# Machines that refuse something: memory, descriptors, threads. The program goes on without what
# rperf cannot have, which a sentence says.
class LimitsTest < Minitest::Test
  include ProgramSupport

  PARTS = {"RPERF_CONTROL" => "1", "RPERF_RECORDER" => "directory=recordings", "RPERF_PUSH_URL" => "file:%t.pb.gz",
           "RPERF_PUSH_PERIOD" => "1"}.freeze

  # Runs the code with all parts under a limit of the shell, and returns the result.
  def with_parts(code, limit: "true", directory:, words: ["-rrperf"])
    run_program("/bin/sh", "-c", "#{limit} && exec \"$@\"", "sh", RUBY, "-I", Paths::LIB, *words, "-e", code, directory:,
      env: {**PARTS, "XDG_RUNTIME_DIR" => directory})
  end

  def assert_goes_on(result, sentences = 1..)
    assert_equal [4, "done"], [result.code, result.out], result.inspect
    assert_includes sentences, result.err.lines.grep(/\Arperf: /).length, result.err
    assert_empty result.err.lines.grep_v(/\Arperf: /)
  end

  # Each thread takes 64 MiB of addresses for its allocator.
  def test_few_addresses
    code = "200_000.times { |i| i.to_s }; Rperf.dump; Rperf::Agent.flush; print :done; exit 4"
    in_directory do |directory|
      [230_000, 300_000].each do |kibibytes|
        result = with_parts(code, limit: "ulimit -v #{kibibytes}", directory:)
        assert_goes_on(result)
        assert_match(/too little further memory for rperf: raise its limit \(ulimit -v\)$/, result.err)
      end
    end
  end

  def test_a_session_takes_few_addresses
    code = "require 'rperf'; taken = -> { File.read('/proc/self/maps')[/^(\\h+)-(\\h+).*memfd:rperf/] && ($2.hex - $1.hex) }; print Rperf.start { $taken = taken.call } ? $taken : 0"
    in_directory { |directory| assert_operator Integer(with_parts(code, directory:, words: []).out), :<=, 2 << 20 }
  end
end
