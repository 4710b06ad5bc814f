# frozen_string_literal: true

require "json"
require "pp"
require_relative "../support/program"

# How a data hash, a sample and a frame are shown: short, whatever the profile's size; all else is
# as with plain Hashes and Arrays.
class ShownDataTest < Minitest::Test
  include ProgramSupport

  # A profile with many stacks of many frames.
  def data
    @data ||= Rperf.start(mode: :wall) do
      (1..60).each { |depth| Rperf.label(depth:) { sleep_below(depth) } }
    end
  end

  def sleep_below(depth) = depth.zero? ? sleep(0.001) : sleep_below(depth - 1)

  # One that waits.
  def deepest = data[:samples].select { |frames,| frames[0].label == "[GVL blocked]" }.max_by { |frames,| frames.length }

  def test_data_are_one_short_line
    count = data[:samples].length
    assert_operator count, :>=, 60
    assert_match(/\A#<Rperf::DataHash wall, 1000 Hz, [\d.]+ m?s, #{count} samples>\z/, data.inspect)
    assert_equal [data.inspect] * 3, ["#{data}", data.pretty_inspect.chomp, data.dup.inspect]
  end

  def test_data_of_a_mode_without_a_clock
    assert_match(/\A#<Rperf::DataHash custom, [\d.]+ m?s, 1 sample>\z/, Rperf.start(mode: :custom) { Rperf.sample }.inspect)
  end

  def test_a_sample_and_a_frame_are_one_short_line
    frames, weight, thread, set = deepest
    shown = weight.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")
    assert_equal "#<Rperf::Sample #{frames.first.label}, #{frames.length} frames, weight #{shown}, " \
                 "#{deepest.count} event#{"s" if deepest.count != 1}, thread #{thread}, label set #{set}>", deepest.inspect
    assert_equal "#<Rperf::Frame #{frames[1].label} (#{frames[1].path})>", frames[1].inspect
    [deepest, frames[1]].each { |object| assert_equal [object.inspect] * 2, [object.to_s, object.pretty_inspect.chomp] }
  end

  def test_a_sample_without_frames_and_empty_data
    assert_equal "#<Rperf::Sample 0 frames, weight 7, 1 tick, thread 1, label set 0>", Rperf::Sample.new([], 7, 1, 0).inspect
    assert_equal "#<Rperf::DataHash 0 samples>", Rperf::DataHash.new.inspect
  end

  def test_the_data_are_a_hash_as_before
    plain = {}.merge(data)
    assert_instance_of Hash, plain
    assert_equal [true, true, plain.hash], [plain == data, data == plain, data.hash]
    assert_equal data, Marshal.load(Marshal.dump(data))
    assert_equal JSON.parse(JSON.generate(plain)), JSON.parse(JSON.generate(data))
    data => {mode: :wall, samples: [[[frame, *], Integer, Integer, Integer], *]}
    assert_equal [frame.path, frame.label], frame
  end

  def test_what_is_loaded_is_shown_alike
    in_directory do |directory|
      loaded = Rperf.load(Rperf.save(File.join(directory, "p.json.gz"), data))
      assert_equal [data, data.inspect], [loaded, loaded.inspect]
    end
  end

  def test_irb_shows_one_line
    in_directory do |directory|
      input = write_file(directory, "input", "Rperf.start(mode: :wall) { 50.times { sleep 0.001 } }\n")
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rirb", "-rrperf", "-e", "IRB.start", "--", "-f", "--noreadline",
        "--nocolorize", directory:, input:)
      assert_match(/^#<Rperf::DataHash wall, 1000 Hz, [\d.]+ m?s, \d+ samples?>$/, result.out, result.inspect)
    end
  end
end
