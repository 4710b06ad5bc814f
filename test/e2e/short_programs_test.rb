# frozen_string_literal: true

require_relative "../support/program"

# Programs that end before a tick meets them: their time is somewhere.
class ShortProgramsTest < Minitest::Test
  include ProgramSupport

  WORK_MS = 40
  WORK = <<~RUBY
    now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
    finish = now.call + #{WORK_MS / 1000.0}
    "a".upcase while now.call < finish
  RUBY
  # So little falls between the program's first line and the session's first reading of a clock.
  SLACK_MS = 1

  def lost(data) = data[:dropped].values.sum { |drop| drop[:weight_ns] }

  # One run in 25 has a tick at this frequency.
  def test_all_of_the_time_is_in_samples_or_drops
    %w[cpu wall].each do |mode|
      in_directory do |directory|
        result = rperf("record", "-f", "1", "-m", mode, "-o", "p.json", "ruby", "-e", WORK, directory:)
        data = Rperf.load(File.join(directory, "p.json"))
        all = data[:samples].sum { |sample| sample[1] } + lost(data)
        assert_operator all, :>=, (WORK_MS - SLACK_MS) * 1_000_000, data.inspect
        assert_match(/1 sample \([\d.]+ ms\) dropped; look/, result.err) if lost(data).positive?
      end
    end
  end

  # A hook of 20 us that stood for 64 calls would take longer than the program.
  def test_hooks_take_no_longer_than_the_program
    in_directory do |directory|
      shares = Array.new(5) do
        rperf("record", "-m", "wall", "-o", "p.json", "ruby", "-e", "Thread.new {}.join", directory:)
        Rperf.load(File.join(directory, "p.json")).then { |data| data[:hook_time_ns].fdiv(data[:duration_ns]) }
      end
      assert_operator shares.max, :<, 1
    end
  end

  # The sampling thread waits at each tick.
  def test_context_switches_are_those_of_the_program
    in_directory do |directory|
      code = "finish = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.3; nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < finish"
      result = rperf("stat", "-f", "1000", "ruby", "-e", code, directory:)
      switches = result.err[/context switches \(([\d,]+) voluntary/, 1].delete(",").to_i
      triggers = result.err[%r{/ ([\d,]+) triggers}, 1].delete(",").to_i
      assert_operator switches * 4, :<, triggers, result.err
    end
  end

  def test_stat_shows_where_it_is
    in_directory do |directory|
      text = rperf("stat", "-f", "1", "-m", "cpu", "ruby", "-e", WORK, directory:).err
      states = text.scan(/^ *([\d.]+) ms +[\d.]+%  (.*)$/)
      assert_operator states.sum { |time, _name| time.to_f }, :>=, WORK_MS - SLACK_MS, text
      assert_empty states.map(&:last) - ["CPU execution", "[Ruby] GC marking", "[Ruby] GC sweeping", "[rperf] dropped (no tick)"], text
    end
  end

  # Ruby reads the first file before there is a frame. (In wall mode it may wait for a processor
  # meanwhile.)
  def test_reading_the_first_file_is_shown
    in_directory do |directory|
      File.write(File.join(directory, "long.rb"), Array.new(20_000) { |number| "def m#{number}(a, b) = a + b * #{number}" }.join("\n"))
      [["cpu", 0.5], ["wall", 0.1], ["alloc", 0.5]].each do |mode, least|
        rperf("record", "-m", mode, "-o", "p.json", "ruby", "long.rb", directory:)
        data = Rperf.load(File.join(directory, "p.json"))
        reading, others = data[:samples].partition { |frames,| frames == [["<rperf>", "[no Ruby code]"]] }
        reading, others = [reading, others].map { |samples| samples.sum { |sample| sample[1] } }
        assert_operator reading, :>=, least * (reading + others), "#{mode}: #{data[:samples]}"
        assert_nil data[:dropped]["no frames"], mode
      end
    end
  end

  # `exec` ends a program, too, from the middle of it.
  def test_a_program_that_becomes_another
    in_directory do |directory|
      rperf("record", "-f", "1", "-o", "p.json", "ruby", "-e", "#{WORK}; exec('true')", directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      all = data[:samples].sum { |sample| sample[1] } + lost(data)
      assert_operator all, :>=, (WORK_MS - SLACK_MS) * 1_000_000, data.inspect
    end
  end
end
