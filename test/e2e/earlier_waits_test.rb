# frozen_string_literal: true

require "etc"
require_relative "../support/program"

# Wall mode: waits for processors before the session are not the session's.
class EarlierWaitsTest < Minitest::Test
  include ProgramSupport

  # Waits for processors, and then sleeps in a session, with the GVL and beside nothing. Says for
  # how many nanoseconds it waited before the session and in it, and what `[CPU wait]` has.
  PROGRAM = <<~RUBY
    require "fiddle"
    require "rperf"
    sleep_with_gvl = Fiddle::Function.new(Fiddle::Handle::DEFAULT["usleep"], [Fiddle::TYPE_INT], Fiddle::TYPE_INT, need_gvl: true)
    waited = -> { File.read("/proc/thread-self/schedstat").split[1].to_i }
    neighbours = Array.new(#{Etc.nprocessors + 1}) { fork { loop { } } }
    nil until waited.call > 300_000_000
    neighbours.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
    before = after = nil
    data = Rperf.start(mode: :wall) do
      before = waited.call
      30.times { sleep_with_gvl.call(10_000) }
      after = waited.call
    end
    found = data[:samples].sum { |stack, weight| stack.first.label == "[CPU wait]" ? weight : 0 }
    puts [before, after - before, found].join(" ")
  RUBY
  # A tenth of the time in which the program sleeps, in nanoseconds.
  TOLERANCE_NS = 30_000_000

  def test_sleep_with_the_gvl_is_not_explained_by_waits_before_the_session
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", PROGRAM, directory:)
      before, truth, found = result.out.split.map(&:to_i)
      assert_operator before, :>, 300_000_000, result.inspect
      assert_operator found, :<=, truth + TOLERANCE_NS, result.inspect
    end
  end
end
