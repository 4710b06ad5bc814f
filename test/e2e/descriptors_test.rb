# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/refused_calls"
require_relative "../support/spent_time"

# Numbers of files that the program closes, or takes for its own: those of rperf are none of them.
class DescriptorsTest < Minitest::Test
  include ProgramSupport

  # As a daemon does that wants no file of its parent.
  CODE = <<~RUBY
    require #{SpentTime::BURNING.dump}
    def busy = Burning.burn(0.3)
    3.upto(256) { |number| IO.for_fd(number).close rescue nil }
    files = Array.new(4) { |number| File.open("file\#{number}", "w+").tap { |file| file.write("x" * 50_000) && file.flush } }
    busy
    at_exit { print files.map { |file| file.write("more") && file.flush && file.rewind && file.read.count("^x") } }
  RUBY

  # Records the program in this mode, and looks at its files and at the profile.
  def assert_apart(mode, before: [])
    in_directory do |directory|
      write_file(directory, "app.rb", CODE)
      result = run_program(*before, RUBY, RPERF, "record", "-m", mode, "-o", "p.json", "ruby", "app.rb", directory:)
      assert_equal ["[4, 4, 4, 4]", 0], [result.out, result.code], result.err
      data = Rperf.load(Dir[File.join(directory, "p*.json")].min)
      assert_equal :poll, data[:engine]
      assert(data[:samples].any? { |frames,| frames.any? { |frame| frame.label == "Object#busy" } })
    end
  end

  def test_a_program_that_closes_all_and_opens_others
    %w[cpu wall both].each { |mode| assert_apart(mode) }
  end

  # Linux before 5.9, and containers with an old filter: rperf then has no file at all.
  def test_the_same_where_the_sampling_thread_has_the_files_of_the_program
    assert_apart("cpu", before: RefusedCalls.words(:close_range, error: Errno::ENOSYS))
  end if RefusedCalls::KNOWN

  # Each thread has a clock of the kernel's, which is a file.
  def test_the_clocks_of_native_functions
    code = <<~RUBY
      done, go = Thread::Queue.new, Thread::Queue.new
      threads = Array.new(4) { Thread.new { 100_000.times { |number| number.to_s }; done << true; go.pop } }
      4.times { done.pop(timeout: 60) || abort("a thread hangs") }
      3.upto(256) { |number| IO.for_fd(number).close rescue nil }
      files = Array.new(12) { |number| File.open("file\#{number}", "w") }
      go.close
      threads.each(&:join)
      print files.count { |file| file.write("more") && file.flush }
    RUBY
    in_directory do |directory|
      result = rperf("record", "--native", "-o", "p.json", "ruby", "-e", code, directory:)
      assert_equal ["12", 0], [result.out, result.code], result.err
    end
  end
end
