# frozen_string_literal: true

require "json"
require "tmpdir"
require_relative "support/manual_session"

# The real-time clock of a machine that was suspended, or whose clock was set: profile stores refuse
# what is an hour off.
class MovedClockTest < Minitest::Test
  include ManualSession

  PROGRAM = <<~RUBY
    require "json"
    Rperf::Native.start(**#{OPTIONS})
    parts = Array.new(4) do |number|
      File.write(ENV.fetch("MOVED_CLOCK"), "") if number == 1
      data = Rperf::Native.snapshot(true).to_h
      [data[:start_time_ns], data[:duration_ns], data[:comments].to_a.grep(/clock/)]
    end
    puts JSON.generate(parts)
  RUBY

  def test_the_next_period_begins_by_the_clock_as_it_is
    Dir.mktmpdir do |directory|
      library = File.join(directory, "moved_clock.so")
      source = File.join(__dir__, "support", "moved_clock.c")
      system(RbConfig::CONFIG["CC"], "-shared", "-fPIC", "-o", library, source, exception: true)
      env = {"LD_PRELOAD" => library, "MOVED_CLOCK" => File.join(directory, "moved")}
      check(*JSON.parse(ruby(PROGRAM, env:)))
    end
  end

  def check(first, second, third, fourth)
    assert_equal [first[0] + first[1], third[0] + third[1]], [second[0], fourth[0]]
    moved = third[0] - second[0] - second[1]
    assert_in_delta 3_600e9, moved, 1e9
    assert_equal [[], [], []], [first[2], second[2], fourth[2]]
    assert_match(/\Aclock moved: \+3\d{3}\.\d s, since it was set, or the machine was suspended\z/, third[2].join("|"))
  end
end
