# frozen_string_literal: true

require "json"
require_relative "../support/program"

# RPERF_TRACE: what a session does, as lines of JSON.
class TraceTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  PROGRAM = <<~RUBY
    200_000.times { |number| number.to_s }
    Thread.new { Thread.pass }.join
    puts "done"
  RUBY

  # The lines of a trace by their kinds.
  def trace(*words, program: PROGRAM)
    in_directory do |directory|
      write_file(directory, "program.rb", program)
      result = rperf("record", *words, "ruby", "program.rb", directory:, env: {"RPERF_TRACE" => "trace.jsonl"})
      assert_equal [0, "done\n"], [result.code, result.out], result.inspect
      lines = File.readlines(File.join(directory, "trace.jsonl")).map { |line| JSON.parse(line) }
      return lines.group_by { |line| line.keys.first }.transform_values { |group| group.map { |line| line.values.first } }
    end
  end

  def test_each_tick_step_and_charge_is_a_line
    {"cpu" => %w[cpu], "wall" => %w[wall], "both" => %w[cpu wall]}.each do |mode, clocks|
      lines = trace("-m", mode)
      assert_equal([clocks, "poll", 1_000_000], lines["begin"].first.values_at("clocks", "engine", "period"))
      assert_equal clocks, lines["step"].map { |step| step["clock"] }.uniq.sort
      met = lines["tick"].sum { |tick| tick["met"].size }
      assert_operator met, :>, 5
      ticked = lines["step"].count { |step| step["event"].is_a?(Hash) && step["event"]["tick"] }
      assert_operator ticked, :<=, met * clocks.length
      assert_equal 2, lines["step"].map { |step| step["thread"] }.uniq.size
      assert_includes lines["charge"].map { |charge| charge["state"] }, "running"
    end
  end

  # Records of threads are used again by the next session, by other threads than before.
  SESSIONS = <<~RUBY
    ping, pong = Queue.new, Queue.new
    echo = Thread.new { pong << ping.pop while true }
    Array.new(3) { Thread.new { sleep } }
    3.times do
      Rperf.start(mode: :cpu)
      100.times { ping << 1; pong.pop }
      Rperf.stop
    end
    puts "done"
  RUBY

  def test_each_thread_gets_its_clock_once_a_session
    in_directory do |directory|
      env = {"RPERF_TRACE" => "trace.jsonl", "RUBYLIB" => Paths::LIB}
      result = run_program(RUBY, "-rrperf", "-e", SESSIONS, directory:, env:)
      assert_equal [0, "done\n"], [result.code, result.out], result.inspect
      sessions = File.readlines(File.join(directory, "trace.jsonl")).map { |line| JSON.parse(line) }.slice_before { |line| line.key?("begin") }
      given = sessions.map { |lines| lines.filter_map { |line| line.dig("step", "thread") if line.dig("step", "event") == "rebase_cpu" }.tally }
      assert_equal [3, [1]], [given.size, given.flat_map(&:values).uniq], given.inspect
    end
  end

  def test_forked_children_write_behind_their_parent
    lines = trace("-m", "cpu", program: "Process.wait(fork { 100_000.times { |number| number.to_s } })\n#{PROGRAM}")
    assert_equal 2, lines["begin"].map { |session| session["pid"] }.uniq.size
  end

  def test_a_file_that_cannot_be_written_is_one_sentence
    in_directory do |directory|
      write_file(directory, "program.rb", PROGRAM)
      result = rperf("record", "ruby", "program.rb", directory:, env: {"RPERF_TRACE" => "missing/trace"})
      assert_equal "done\n", result.out
      assert_match(%r{\Arperf: .*the trace missing/trace cannot be written \(No such file.*\): set RPERF_TRACE to another file, or to none$}, result.err)
    end
  end

  # Linux's disk without room. 400 clocks have more lines than are written at once.
  def test_a_full_disk_is_one_sentence_and_the_program_goes_on
    in_directory do |directory|
      ["", "400.times { Thread.new { }.join }; "].each do |threads|
        result = rperf("record", "ruby", "-e", "#{threads}puts 'done'", directory:, env: {"RPERF_TRACE" => "/dev/full"})
        assert_equal [0, "done\n"], [result.code, result.out], result.inspect
        sentence = "the trace /dev/full is incomplete (No space left on device (os error 28)): free some space, or set RPERF_TRACE to another file"
        assert_match(/\Arperf: #{Regexp.escape(sentence)}\nrperf: wrote rperf\.data: /, result.err)
        assert_path_exists File.join(directory, "rperf.data")
      end
    end
  end
end
