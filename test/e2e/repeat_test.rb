# frozen_string_literal: true

require_relative "../support/program"

# `rperf stat --repeat N`: every run is the program as it is without rperf, and one summary follows.
class RepeatTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Knows its number by the file that it leaves; what it is to do then follows.
  NUMBERED = 'number = 1 + Dir.glob("ran-*").length; File.write("ran-#{number}", ""); puts number; '

  def repeat(count, code, *options, directory:)
    rperf("stat", "--repeat", count.to_s, *options, "ruby", "-e", NUMBERED + code, directory:)
  end

  def test_each_run_has_its_output_and_the_summary_has_mean_and_spread
    in_directory do |directory|
      result = repeat(3, "sleep 0.1", directory:)
      assert_equal [0, "1\n2\n3\n"], [result.code, result.out], result.inspect
      assert_match(/^ Performance stats for 'ruby -e .*' \(3 runs\):$/, result.err)
      mean = result.err[/^ +([\d.]+) ms  ± *[\d.]+% +[\d.]+%  \[Ruby\] GVL blocked/, 1].to_f
      assert_operator mean, :>=, 100
      assert_match(/^ +[1-9][\d,]* .*\[Ruby\] allocated objects$/, result.err)
      assert_empty Dir.children(directory).grep_v(/\Aran-|\A\.std/)
    end
  end

  # A second is far more than what a run takes beside busy neighbours.
  def test_a_run_that_waits_is_an_outlier
    in_directory do |directory|
      result = repeat(5, "sleep 5 if number == 3", directory:)
      line = result.err.lines.grep(/run 3 is an outlier: /).first
      assert_match(/real [\d,]{5,}\.\d ms \(median [\d.,]+ ms\)/, line, result.err)
      assert_match(/GVL blocked \(I\/O, sleep\) 5,\d{3}\.\d ms \(median /, line)
    end
  end

  # Alone, the second run would be about the sleep, which is idle time of the first.
  def test_all_runs_leave_out_the_same_idle_time
    busy = "Thread.new { nil until Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > 1 }.join if number == 1; " \
           "queue = Queue.new; Thread.new { sleep 1; queue << 1 }; queue.pop"
    in_directory do |directory|
      result = repeat(2, busy, "--mode", "wall", directory:)
      assert_includes result.err, "idle folded"
      slept = result.err[/^ +([\d,.]+) ms .*GVL blocked/, 1].to_s.delete(",").to_f
      assert_operator slept, :<, 250, result.err
    end
  end

  def test_a_run_that_fails_is_said_and_left_out
    in_directory do |directory|
      result = repeat(4, "exit 7 if number == 2; exit 9 if number == 3", directory:)
      assert_equal [7, "1\n2\n3\n4\n"], [result.code, result.out], result.inspect
      assert_includes result.err, "rperf: run 2 of 4 ended with status 7\nrperf: run 3 of 4 ended with status 9\n"
      assert_match(/\(2 runs; left out, since they failed: 2, 3\):$/, result.err)
    end
  end

  def test_the_figures_of_runs_that_all_failed_are_shown
    in_directory do |directory|
      result = repeat(2, "exit 1", directory:)
      assert_equal 1, result.code
      assert_match(/\(2 runs; all failed\):$/, result.err)
    end
  end

  def test_a_signal_that_ends_a_run_ends_them_all
    in_directory do |directory|
      result = repeat(3, "Process.kill(:TERM, $$); sleep 30 if number == 2", directory:)
      assert_equal ["TERM", "1\n"], [result.signal, result.out], result.inspect
      assert_includes result.err, "rperf: run 1 of 3 was ended by SIGTERM\nrperf: no more runs: 1 run of 3 made\n"
    end
  end

  # The program ends by itself when it is told to: the next run would not know of that.
  def test_a_signal_to_rperf_that_the_program_handles_is_meant_for_all_runs
    in_directory do |directory|
      code = "trap(:TERM) { exit }; puts 'ready'; $stdout.flush; sleep 30"
      running = launch_rperf("stat", "--repeat", "3", "ruby", "-e", code, directory:)
      running.await_output("ready")
      running.signal(:TERM)
      result = running.finish
      assert_equal [0, "ready\n"], [result.code, result.out], result.inspect
      assert_match(/^rperf: no more runs: 1 run of 3 made\n.*\(1 run\):$/m, result.err)
    end
  end

  def test_the_file_has_all_runs
    in_directory do |directory|
      result = repeat(3, "sleep 0.1", "-o", "all.json", directory:)
      assert_match(/^rperf: wrote all\.json$/, result.err)
      weight = Rperf.load(File.join(directory, "all.json"))[:samples].sum { |sample| sample[1] }
      assert_operator weight, :>=, 300_000_000
    end
  end

  def test_where_no_ruby_runs_one_run_shows_it
    in_directory do |directory|
      result = rperf("stat", "--repeat", "3", "sh", "-c", "echo once", directory:)
      assert_equal [1, "once\n"], [result.code, result.out]
      assert_match(/\Arperf: nothing was profiled: .*\nrperf: no more runs: 1 run of 3 made\n\z/, result.err)
    end
  end

  def test_exec_adds_the_tables
    in_directory do |directory|
      result = rperf("exec", "--repeat", "2", "ruby", "-e", "sleep 0.05", directory:)
      assert_match(/\(2 runs\):$.*^Flat:$.*^Cumulative:$.*Kernel#sleep/m, result.err)
    end
  end

  def test_what_is_no_number_of_runs_is_refused
    in_directory do |directory|
      {"0" => 0, "many" => '"many"', "1001" => 1001}.each do |text, shown|
        result = rperf("stat", "--repeat", text, "ruby", "-e", "1", directory:)
        assert_equal [2, "rperf: --repeat must be a whole number from 1 to 1000 (runs of the command), not #{shown}\n"],
          [result.code, result.err]
      end
      result = rperf("stat", "--repeat", "3", directory:)
      assert_equal [2, "rperf: no command was given: rperf stat [options] command [args...]\n"], [result.code, result.err]
    end
  end
end
