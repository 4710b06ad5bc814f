# frozen_string_literal: true

require_relative "support/measured"

# Calls and instructions that take less time than it takes to look at them from outside.
class ShortAccuracyTest < Minitest::Test
  include Measured

  # Of the time for which both a method and a line are known, the part in which they may be those of
  # different calls: it is what the machine takes to fetch memory that another processor wrote, as a
  # part of a call, of some 1 us. Measured: 0.04 to 0.13, and 0.2 where the method is that of the
  # second read. Wholly at random, it is 0.75.
  MISMATCHED_AT_MOST = 0.4
  # The same as a part of all time, where next to nothing is known.
  HARDLY_ANY = 0.02
  # Of all time, the part for which both must be known. On a quiet machine it is more than half.
  KNOWN_AT_LEAST = 0.2
  # Where processors are scarce, most ticks are left out, and the others find the program where the
  # scheduler stopped it: there nearly nothing is known. So many of the ticks that are due must have
  # come to say more.
  TICKED_AT_LEAST = 0.5
  TRIES = 3
  # Of what a key's hash and comparison take by the clock, the part that is found in Hash#[]:
  # operands that were copied some 0.1 us after the position are another instruction's, and the time
  # is Object#find's. Measured: 0.09 to 0.28.
  FOUND_AT_LEAST = 0.03
  FOUND_AT_MOST = 3
  # Ticks that meet a thread, to the milliseconds for which it ran, at one tick each. Measured: 0.8
  # to 1.0, and up to 2.5 beside eight busy processes, where late ticks count. 4.8 where a tick
  # chose its moment after it had looked at suspended threads, which takes some 10 us.
  MET_AT_MOST = 3.0

  CALLS = <<~'RUBY'
    def work
      x, y, i = 3**1000, 5**900, 0
      while i < 300_000
        x + y # Integer#+
        x * y # Integer#*
        x - y # Integer#-
        x % y # Integer#%
        i += 1
      end
    end
    data = Rperf.start(mode: :cpu) { work }
    called = File.readlines(__FILE__).map { |line| line[/# (Integer#.)/, 1] }
    found = Hash.new(0)
    data[:samples].each do |sample|
      next unless sample[0].first.label.start_with?("Integer#") && sample[0][1].label == "Object#work"
      sample.lines.each { |lines, weight,| found[called[lines[1] - 1] == sample[0].first.label] += weight }
    end
    puts JSON.generate(matched: found[true].fdiv(total(data)), mismatched: found[false].fdiv(total(data)),
      ticked: data[:trigger_count] * 1_000_000.fdiv(total(data)))
  RUBY

  def test_names_and_lines_of_short_calls_belong_together
    found = calls
    known = found[:matched] + found[:mismatched]
    assert_operator known, :>=, KNOWN_AT_LEAST, found.inspect if ticked?(found)
    assert_operator found[:mismatched], :<=, known * MISMATCHED_AT_MOST + HARDLY_ANY, found.inspect
  end

  # The first measurement with enough ticks, or the last one.
  def calls
    1.upto(TRIES) do |try|
      found = measure(CALLS)
      return found if try == TRIES || ticked?(found)
    end
  end

  def ticked?(found) = found[:ticked] >= TICKED_AT_LEAST

  # The truth is a difference of two loops. Of many rounds the middle one counts: in some the
  # machine stands still.
  def test_a_short_instruction_is_a_leaf
    found = measure(<<~'RUBY')
      HASH = 1000.times.to_h { |i| ["a rather long key, which takes its time: #{i}" * 4, i] }
      KEYS = HASH.keys
      ROUNDS = 15
      def find
        h, keys, i = HASH, KEYS, 0
        while i < 200_000
          h[keys[i % 1000]]
          i += 1
        end
      end
      def count
        keys, i = KEYS, 0
        while i < 200_000
          keys[i % 1000]
          i += 1
        end
      end
      def round = [Burning.spent(Burning::CPU) { find }, Burning.spent(Burning::CPU) { count }].map(&:ns)
      times = nil
      data = Rperf.start(mode: :cpu) { times = Array.new(ROUNDS) { round } }
      finding, counting = times.transpose.map { |each| each.sort[ROUNDS / 2] }
      puts JSON.generate(truth: (finding - counting) * ROUNDS, found: leaf(data, "Hash#[]", "Object#find"))
    RUBY
    assert_operator found[:found], :>=, found[:truth] * FOUND_AT_LEAST, found.inspect
    assert_operator found[:found], :<=, found[:truth] * FOUND_AT_MOST, found.inspect
  end

  def test_ticks_meet_a_thread_as_often_as_it_runs
    found = measure(<<~'RUBY')
      ZEROS, BUFFER = File.open("/dev/zero"), String.new(capacity: 1_000_000)
      def read = ZEROS.sysread(1_000_000, BUFFER) # Some 40 us without the GVL.
      data = Rperf.start(mode: :wall) do
        finish = wall + 1_000_000_000
        10.times { read } while wall < finish
      end
      running = data[:samples].reject { |frames,| frames.first.label.start_with?("[GVL ", "[CPU ") }
      puts JSON.generate(ticks: data[:tick_count], ran: weight(running) / 1e6)
    RUBY
    assert_operator found[:ticks], :>, 0, found.inspect
    assert_operator found[:ticks], :<=, found[:ran] * MET_AT_MOST, found.inspect
  end
end
