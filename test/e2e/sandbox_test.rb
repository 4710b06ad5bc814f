# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/refused_calls"

# Containers whose filter of system calls keeps some from rperf.
class SandboxTest < Minitest::Test
  include ProgramSupport

  PROGRAM = <<~RUBY
    require "rperf"
    def spin = 2_000_000.times { |number| number.to_s }
    data = Rperf.start { [1].each { spin } }
    times = data[:samples].group_by { |frames,| frames.any? { |frame| frame[1] == "Object#spin" } }
    times = times.transform_values { |samples| samples.sum { |sample| sample[1] } }
    print data[:engine], " ", times[true].fdiv(times.values.sum) > 0.9
  RUBY

  # Runs a program where these calls are refused.
  def run_without(*calls, words, directory:, **options)
    run_program(*RefusedCalls.words(*calls, **options), *words, directory:, env: {"RUBYLIB" => Paths::LIB})
  end

  # A call of which there are others takes its place.
  [*%i[process_vm_readv memfd_create pwritev close_range].product([Errno::EPERM, Errno::ENOSYS])].each do |call, error|
    define_method("test_stacks_are_read_where_#{call}_fails_with_#{error.name[/\w+\z/]}") do
      in_directory do |directory|
        result = run_without(call, [RUBY, "-e", PROGRAM], directory:, error:)
        assert_equal ["poll true", ""], [result.out, result.err]
      end
    end
  end if RefusedCalls::KNOWN

  # Native functions are read from files of megabytes, into memory that grows.
  def test_memory_grows_where_no_mapping_may
    in_directory do |directory|
      words = [RUBY, RPERF, "record", "--native", "-o", "p.json", RUBY, "-e", "300_000.times { |number| number.to_s }; exit 4"]
      result = run_without(:mremap, words, directory:)
      assert_equal [4, true], [result.code, File.exist?(File.join(directory, "p.json"))], result.inspect
    end
  end if RefusedCalls::KNOWN

  # The directory of the run is one.
  def test_the_program_runs_where_no_directory_can_be_made
    in_directory do |directory|
      result = run_without(:mkdir, [RUBY, RPERF, "record", RUBY, "-e", "print 1; exit 4"], directory:)
      assert_equal [4, "1"], [result.code, result.out], result.inspect
      assert_match(/\Arperf: '[^']+' runs without a profile: cannot make a directory in '[^']+': [^\n]+\n\z/, result.err)
    end
  end if RefusedCalls::KNOWN

  def test_where_nothing_copies_stacks_they_are_taken_at_safepoints
    in_directory do |directory|
      result = run_without(:pwritev, :process_vm_readv, [RUBY, "-e", PROGRAM], directory:)
      assert_equal ["safepoint true", ""], [result.out, result.err]
      doctor = run_without(:pwritev, :process_vm_readv, [RUBY, RPERF, "doctor"], directory:)
      assert_match(/^bad   engine +safepoint: the system lets rperf copy no stacks\n +Allow process_vm_readv\(2\)/, doctor.out)
    end
  end if RefusedCalls::KNOWN
end
