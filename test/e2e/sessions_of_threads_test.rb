# frozen_string_literal: true

require_relative "../support/program"

# Threads that start and end sessions, or ask for them, at the same time. A time slice of 1 ms has
# them take turns in the middle of it.
class SessionsOfThreadsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Seconds. They take one or two, or wait for each other for ever.
  AT_MOST = 60

  def assert_ends(out, code)
    in_directory do |directory|
      write_file(directory, "app.rb", "require 'rperf'\n#{code}")
      result = run_program("/usr/bin/env", "timeout", "-s", "KILL", AT_MOST.to_s, RUBY, "-W0", "-I", Paths::LIB, "app.rb", directory:,
        env: {"RUBY_THREAD_TIMESLICE" => "1"})
      assert_equal ["#{out}\n", "", 0], [result.out, result.err, result.code]
    end
  end

  # To find the numbers of fifty threads takes several turns.
  def test_who_asks_does_not_wait_for_a_thread_that_waits_for_its_turn
    assert_ends "ended", <<~RUBY
      50.times { Thread.new { sleep } }
      2.times { Thread.new { loop { Rperf::Native.metrics(false, "0", []) } } }
      2.times { Thread.new { loop { Rperf.sample(weight: 1) } } }
      40.times { Rperf.start(mode: :wall); Rperf.stop }
      puts "ended"
    RUBY
  end

  def test_each_thread_stops_the_session_that_it_has_started
    assert_ends "{nil => 0}", <<~RUBY
      lost = {nil => 0}
      work = -> { 20.times { Array.new(2000) { |number| number.to_s } } }
      threads = Array.new(3) do
        Thread.new do
          40.times do
            begin
              Rperf.start(mode: :cpu)
            rescue Rperf::Error
              Thread.pass
              redo
            end
            work.call
            lost[nil] += 1 unless Rperf.stop
          end
        end
      end
      threads.each(&:join)
      p lost
    RUBY
  end

  # While the profile of a guest gets its names.
  def test_a_session_that_begins_while_a_guest_ends
    assert_ends "[true, false]", <<~RUBY
      require "rperf/agent/agent"
      quiet = Class.new { def info(*) = nil; alias warn info }.new
      Rperf::Agent.start(push: "file:profiles/%t.pb.gz", logger: quiet)
      require "json"
      300.times { JSON.parse(JSON.generate({a: [1] * 50})) }
      stopper = Thread.new { Rperf::Agent.stop(timeout: 0) }
      Thread.pass while Rperf.running?
      Rperf.start
      stopper.join
      p [Rperf.stop.is_a?(Hash), Rperf.running?]
    RUBY
  end

  # A record of a thread that has ended would be kept for good, and its thread be read when it is
  # freed.
  def test_a_thread_that_ends_while_a_session_starts_has_no_record
    assert_ends "1", <<~RUBY
      ending = Thread.new { Thread.stop }
      Thread.pass until ending.stop?
      Ractor.define_singleton_method(:count) { ending.run && ending.join && 1 }
      Rperf.start(mode: :wall)
      puts Rperf::Native.table_sizes["threads"]
    RUBY
  end

  def test_a_thread_that_has_ended_needs_not_be_left_out
    assert_ends "1", <<~RUBY
      Rperf.start(mode: :wall)
      Rperf::Native.leave_out_thread(Thread.new {}.join)
      puts Rperf::Native.table_sizes["threads"]
    RUBY
  end

  def test_rperf_that_was_required_beside_a_ractor_can_be_required_later
    in_directory do |directory|
      write_file(directory, "app.rb", <<~RUBY)
        ractor = Ractor.new { Ractor.receive }
        begin
          require "rperf"
        rescue => error
          puts error.message
        end
        ractor.send(1).take
        Thread.pass until Ractor.count == 1 # It ends after it has given its value.
        require "rperf"
        puts Rperf.start { 1 }.class
      RUBY
      result = run_program(RUBY, "-W0", "-I", Paths::LIB, "app.rb", directory:)
      assert_match(/\Athe VM keeps no data for rperf \(.+\): require rperf .+, and before a Ractor runs\nRperf::DataHash\n\z/, result.out)
    end
  end
end
