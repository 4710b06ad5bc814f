# frozen_string_literal: true

require_relative "../support/program"

# Ticks that come at the wrong moment: after the session, beside another program's signals, in
# the middle of exec.
class PendingSignalsTest < Minitest::Test
  include ProgramSupport

  # Ticks send no signal, the native probe does.
  PROBES = {"without" => false, "with" => true}.freeze
  TICK = Signal.list.fetch("RTMIN", 34) + 8

  # A thread that burns CPU, and lets others run.
  BURN = "Thread.new { loop { 100.times { |i| i.to_s }; Thread.pass } }"

  # Runs the code in a Ruby with rperf; it must end well.
  def run_ruby(code)
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_equal [0, ""], [result.code, result.err], result.inspect
      result.out
    end
  end

  PROBES.each do |word, native|
    define_method("test_other_programs_are_started_in_the_middle_of_ticks_#{word}_the_native_probe") do
      assert_equal "200 of 200", run_ruby(<<~RUBY)
        Rperf.start(frequency: 10_000, native: #{native})
        #{BURN}
        good = 0
        50.times do
          good += 1 if system("true")
          `exit 7`
          good += 1 if $?.exitstatus == 7
          good += 1 if Process.wait2(spawn("exit 8")).last.exitstatus == 8
          good += 1 if Process.wait2(fork { exec("/bin/sh", "-c", "exit 9") }).last.exitstatus == 9
        end
        Rperf.stop
        print good, " of 200"
      RUBY
    end

    define_method("test_exec_again_and_again_in_the_middle_of_ticks_#{word}_the_native_probe") do
      in_directory do |directory|
        write_file(directory, "again.rb", <<~RUBY)
          left = ARGV.first.to_i
          exit(3) if left.zero?
          #{BURN}
          Thread.pass
          exec("ruby", "again.rb", (left - 1).to_s)
        RUBY
        result = rperf("record", "-f", "10000", *("--native" if native), "-o", "p.json", "ruby", "again.rb", "8", directory:)
        assert_equal [3, ""], [result.code, result.out], result.inspect
        assert_match(/\Arperf: wrote p\.json/, result.err)
      end
    end
  end

  def test_a_tick_that_comes_after_the_session_is_harmless
    assert_equal "went on", run_ruby(<<~RUBY)
      2.times { Rperf.start(frequency: 10_000, signal: #{TICK}) { 100_000.times { |i| i.to_s } } }
      20.times { Process.kill(#{TICK}, $$) }
      Thread.new { Process.kill(#{TICK}, $$) }.join
      Rperf.start(signal: #{TICK}) { Process.kill(#{TICK}, $$) }
      print "went on"
    RUBY
  end

  # Another profiler, or a program that uses the signal itself.
  def test_a_signal_that_has_a_handler_is_not_taken
    [TICK, 40].each do |number|
      assert_equal "signal #{number} already has a handler (another profiler?): choose another real-time signal with " \
                   "signal:, or signal: false; got #{number}; true", run_ruby(<<~RUBY)
        got = nil
        trap(#{number}) { |number| got = number }
        begin
          Rperf.start(signal: #{number})
        rescue Rperf::Error => error
          Process.kill(#{number}, $$)
          Thread.pass until got
          print error.message, "; got ", got
        end
        data = Rperf.start(signal: #{number + 1}, mode: :cpu) { 300_000.times { |i| i.to_s } }
        print "; ", data[:samples].any?
      RUBY
    end
  end
end
