# frozen_string_literal: true

require "json"
require_relative "../support/program"

# A program that is profiled from its start to its end, and is read meanwhile.
class ReadersE2ETest < Minitest::Test
  include ProgramSupport

  # Three threads read while two work. The time of a session is wall time: each nanosecond of a
  # thread is in one segment.
  PROGRAM = <<~RUBY
    require "rperf"
    require "rperf/readers"
    require "json"
    # Others have their turn: the GVL is taken from a thread after 0.1 s only.
    def work = 20.times { 1_000.times { |number| number ** 2 }; Thread.pass }

    def weight(profiles) = Array(profiles).sum { |profile| profile.to_h[:samples].sum { |sample| sample[1] } }

    whole = Rperf::Reader.open
    going = true
    workers = Array.new(2) { Thread.new { work while going } }
    readers = Array.new(3) do |number|
      Thread.new do
        reader = Rperf::Reader.open
        parts = Array.new(5 * (number + 1)) { sleep 0.02; weight(reader.take) }
        reader.close
        parts
      end
    end
    parts = readers.map(&:value)
    going = false
    workers.each(&:join)
    3.times { Rperf.snapshot }
    puts JSON.generate([parts, weight(whole.take)])
  RUBY

  def test_record_has_all_and_each_reader_its_parts
    in_directory do |directory|
      write_file(directory, "app.rb", PROGRAM)
      result = rperf("record", "-m", "wall", "-o", "app.json", RUBY, "app.rb", directory:)
      assert_equal 0, result.code, result.inspect
      parts, whole = JSON.parse(result.out)
      all = Rperf.load(File.join(directory, "app.json"))
      assert(parts.all? { |each| each.all?(&:positive?) && each.sum < whole }, result.out)
      assert_operator whole, :<=, all[:samples].sum { |sample| sample[1] }
    end
  end

  def test_there_is_no_reader_without_a_session
    error = assert_raises(Rperf::Error) { Rperf::Reader.open }
    assert_match(/no session runs/, error.message)
    Rperf.start(aggregate: false)
    error = assert_raises(Rperf::Error) { Rperf::Reader.open }
    assert_match(/merged samples/, error.message)
  ensure
    Rperf.stop
  end
end
