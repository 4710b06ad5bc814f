# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf"

# Rperf.save with data that the caller made or changed: what is no profile is said in one sentence,
# and no file is written.
class SavingOwnDataTest < Minitest::Test
  FRAMES = [["a.rb", "a"], ["a.rb", "<main>"]].freeze
  COUNT = "must be a whole number from 0 to 2^63 - 1, not "
  SMALL = "must be a whole number from 0 to 2^32 - 1, not "
  FRAME = "must be [path, label], two Strings, not "
  SAMPLE = "sample 0 of the data must be [frames, weight, thread_seq, label_set_id], not "

  def assert_refused(data, message)
    in_directory do |directory|
      error = assert_raises(ArgumentError, message) { Rperf.save(File.join(directory, "p.json"), data) }
      assert_equal message, error.message
      assert_empty Dir.children(directory)
    end
  end

  # A sample after a good one.
  def assert_sample_refused(*sample, message, **data)
    assert_refused({samples: [[FRAMES, 1, 1, 0], sample], **data}, message)
  end

  def saved(data)
    in_directory { |directory| Rperf.load(Rperf.save(File.join(directory, "p.json"), data)) }
  end

  def test_what_is_no_data
    assert_refused nil, "there is no data to save: Rperf.stop returned nil, as no session ran"
    assert_refused [1], "the data must be the Hash that Rperf.stop returned, not [1]"
    none = "the data have no samples: give the Hash that Rperf.stop or Rperf.snapshot returned"
    [{}, {samples: nil}, {"samples" => []}].each { |data| assert_refused data, none }
    assert_refused({samples: 5}, "the data's samples must be an Array of samples, not 5")
    assert_refused({raw_samples: {}}, "the data's raw_samples must be an Array of samples, not {}")
  end

  def test_what_is_no_sample
    [5, nil, [], [[]], [[], 1, 1, 0, 1], {frames: []}].each { |sample| assert_refused({samples: [sample]}, "#{SAMPLE}#{sample.inspect}") }
    long = [[["a.rb", "x" * 100]]]
    assert_refused({samples: [long]}, "#{SAMPLE}#{long.inspect[0, 60]}...")
  end

  def test_weights
    [1.5, 1.0, 3/2r, -1, 2**63, 2**64, nil, "5", true].each do |weight|
      assert_sample_refused FRAMES, weight, 1, 0, "weight of sample 1 of the data #{COUNT}#{weight.inspect}"
    end
    assert_equal [0, 2**40], saved({samples: [[FRAMES, 0], [FRAMES, 2**40, 2]]})[:samples].map { |sample| sample[1] }
  end

  def test_threads_and_label_sets
    [1.5, -1, 2**32, "1"].each do |number|
      assert_sample_refused FRAMES, 1, number, 0, "thread_seq of sample 1 of the data #{SMALL}#{number.inspect}"
      assert_sample_refused FRAMES, 1, 1, number, "label_set_id of sample 1 of the data #{SMALL}#{number.inspect}"
    end
    place = "label_set_id of sample 1 of the data must be"
    assert_sample_refused FRAMES, 1, 1, 1, "#{place} 0, the only number in the data's label_sets, not 1"
    assert_sample_refused FRAMES, 1, 1, 9, "#{place} from 0 to 1, a number in the data's label_sets, not 9", label_sets: [{}, {a: "b"}]
    assert_equal [[0, 0]], saved({samples: [[FRAMES, 1]]})[:samples].map { |sample| sample[2, 2] }
  end

  def test_frames
    [nil, "x", 5].each { |frames| assert_sample_refused frames, 1, 1, 0, "frames of sample 1 of the data must be an Array of [path, label], not #{frames.inspect}" }
    ["a", nil, [], ["a"], ["a", nil], [1, 2], %i[a b], ["a", "b", 3]].each do |frame|
      assert_sample_refused [["a.rb", "a"], frame], 1, 1, 0, "frame 1 of sample 1 of the data #{FRAME}#{frame.inspect}"
    end
    frame = Rperf::Frame.new("a.rb", "a", -1)
    assert_sample_refused [frame], 1, 1, 0, "frame 0 of sample 1 of the data must be a frame with a start_line from 0 to 2^32 - 1, not -1"
    assert_equal [[]], saved({samples: [[[], 1]]})[:samples].map(&:first)
  end

  def test_samples_of_ours_with_what_is_not_ours
    {count: [1.5, nil], lines: [1, [[nil, 1, 1]]]}.each do |part, (*parts)|
      sample = Rperf::Sample.new(FRAMES, 1, 1, 0, *parts)
      end_of_sentence = part == :count ? "#{COUNT}1.5" : "must be those that Rperf.stop gave it, not [[nil, 1, 1]]"
      assert_refused({samples: [sample]}, "#{part} of sample 0 of the data #{end_of_sentence}")
    end
    sample = Rperf::Sample.new(FRAMES, 4, 1, 0, 1, [[[1, 2].pack("L*"), 2**63 - 1, 1]] * 3)
    assert_equal [], saved({samples: [sample]})[:samples].first.lines, "they do not add up to its weight"
  end

  def test_labels
    assert_refused({samples: [], label_sets: {}}, "the data's label_sets must be an Array of Hashes, not {}")
    assert_refused({samples: [], label_sets: [{}, 5]}, "label set 1 of the data must be a Hash, not 5")
    assert_refused({samples: [], label_sets: [{5 => "x"}]}, "a key in label set 0 of the data must be a Symbol or a String, not 5")
    [1.5, nil, :b, [1], 2**63].each do |value|
      assert_refused({samples: [], label_sets: [{a: value}]}, "'a' in label set 0 of the data must be a String or a whole number of 64 bits, not #{value.inspect}")
    end
    sets = [{}, {a: "x", "b" => -7}]
    assert_equal [{}, {a: "x", b: -7}], saved({samples: [[FRAMES, 1, 1, 1]], label_sets: sets})[:label_sets]
  end

  def test_numbers
    %i[duration_ns sampling_count sampling_time_ns trigger_count detected_thread_count unique_frames unique_stacks label_overflow_count].each do |key|
      [1.5, -1, "x"].each { |value| assert_refused({samples: [], key => value}, "the data's #{key} #{COUNT}#{value.inspect}") }
    end
    [99.9, -1, "x"].each { |value| assert_refused({samples: [], frequency: value}, "the data's frequency #{SMALL}#{value.inspect}") }
    assert_refused({samples: [], start_time_ns: 1.5}, "the data's start_time_ns must be a whole number of nanoseconds since 1970, not 1.5")
  end

  def test_names_and_texts
    ["wall", :fast, 1].each { |mode| assert_refused({samples: [], mode:}, "the data's mode must be one of :cpu, :wall, :custom, :alloc, :heap, not #{mode.inspect}") }
    assert_refused({samples: [], engine: "poll"}, "the data's engine must be a Symbol, not \"poll\"")
    %i[rperf_version ruby_version].each { |key| assert_refused({samples: [], key => 1}, "the data's #{key} must be a String, not 1") }
    ["x", [1]].each { |comments| assert_refused({samples: [], comments:}, "the data's comments must be an Array of Strings, not #{comments.inspect}") }
    ["x", ["a"], [1, 2]].each { |value_type| assert_refused({samples: [], value_type:}, "the data's value_type must be two Strings, [kind, unit], not #{value_type.inspect}") }
    assert_refused({samples: [], label_units: {a: "bytes"}}, "a key of the data's label_units must be a String, not :a")
    assert_refused({samples: [], label_units: {"a" => 1}}, "the data's unit of a must be a String, not 1")
  end

  def test_drops_and_stat
    assert_refused({samples: [], dropped: []}, "the data's dropped must be a Hash of {cause => {samples:, weight_ns:}}, not []")
    assert_refused({samples: [], dropped: {1 => 2}}, "a cause of the data's drops must be a String, not 1")
    assert_refused({samples: [], dropped: {"x" => 2}}, "the data's drop 'x' must be a Hash of {samples:, weight_ns:}, not 2")
    assert_refused({samples: [], dropped: {"x" => {samples: 1.5}}}, "samples of the data's drop 'x' #{COUNT}1.5")
    assert_refused({samples: [], stat: "x"}, "the data's stat must be a Hash, not \"x\"")
    assert_refused({samples: [], stat: {"a" => 1}}, "a key of the data's stat must be a Symbol, not \"a\"")
    assert_refused({samples: [], stat: {a: [1]}}, "a of the data's stat must be a number, a String, a Symbol, true, false or nil, not [1]")
  end

  def test_a_value_that_shows_itself_on_two_lines
    odd = Class.new { def inspect = "a\nb" }.new
    assert_sample_refused FRAMES, odd, 1, 0, "weight of sample 1 of the data #{COUNT}a b"
  end
end
