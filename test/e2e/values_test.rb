# frozen_string_literal: true

require_relative "../support/program"
require "rperf"

# Profiles with several values, such as those of a heap: each command and format keeps them, and any
# can be shown.
class ValuesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Recorded by Go.
  HEAP = File.join(ROOT, "test", "golden", "foreign", "go_heap.pb.gz")
  TYPES = [%w[alloc_objects count], %w[alloc_space bytes], %w[inuse_objects count], %w[inuse_space bytes]].freeze

  def sums(data) = data[:samples].map(&:values).transpose.map(&:sum)

  def test_the_data_have_all_values
    data = Rperf.load(HEAP)
    assert_equal [TYPES.last, TYPES, ["space", "bytes", 524_288]], data.values_at(:value_type, :value_types, :period)
    assert(data[:samples].all? { |sample| sample.values.length == 4 && sample.values.last == sample[1] })
    assert_operator sums(data).first, :>, sums(data)[2]
  end

  def test_files_keep_all_values
    data = Rperf.load(HEAP)
    in_directory do |directory|
      %w[p.json p.json.gz p.pb.gz].each do |name|
        again = Rperf.load(Rperf.save(File.join(directory, name), data))
        assert_equal [sums(data), TYPES, data[:period]], [sums(again), *again.values_at(:value_types, :period)], name
      end
    end
  end

  def test_lines_keep_their_values
    data = Rperf.load(HEAP)
    in_directory do |directory|
      path = File.join(directory, "p.json")
      Rperf.save(path, data)
      assert_equal data[:samples].map(&:lines), Rperf.load(path)[:samples].map(&:lines)
    end
  end

  def test_commands_keep_all_values
    data = Rperf.load(HEAP)
    in_directory do |directory|
      assert_equal 0, rperf("convert", HEAP, "converted.pb.gz", directory:).code
      assert_equal 0, rperf("merge", "-o", "merged.json", HEAP, "converted.pb.gz", directory:).code
      assert_equal sums(data), sums(Rperf.load(File.join(directory, "converted.pb.gz")))
      assert_equal sums(data).map { |sum| 2 * sum }, sums(Rperf.load(File.join(directory, "merged.json")))
    end
  end

  def test_formats_with_one_value_have_the_chosen_one
    objects, = sums(Rperf.load(HEAP))
    in_directory do |directory|
      assert_equal 0, rperf("convert", "--sample-index", "alloc_objects", HEAP, "p.collapsed", directory:).code
      assert_equal objects, File.readlines(File.join(directory, "p.collapsed")).sum { |line| line[/\d+$/].to_i }
      assert_equal 0, rperf("merge", "--sample-index", "0", "-o", "p.pb.gz", HEAP, directory:).code
      assert_equal TYPES, Rperf.load(File.join(directory, "p.pb.gz"))[:value_types]
      assert_equal TYPES.first, Rperf.load(File.join(directory, "p.pb.gz"))[:value_type]
    end
  end

  def test_callgrind_has_an_event_for_each_value
    objects, space, objects_in_use, space_in_use = sums(Rperf.load(HEAP))
    in_directory do |directory|
      assert_equal 0, rperf("convert", HEAP, "p.callgrind", directory:).code
      result = run_program("callgrind_annotate", "--show-percs=no", "p.callgrind", directory:)
      assert_equal 0, result.code, result.inspect
      assert_includes result.out, "Event sort order: inuse_space alloc_objects alloc_space inuse_objects"
      totals = result.out[/^(.*)PROGRAM TOTALS$/, 1].delete(",").split.map(&:to_i)
      assert_equal [space_in_use, objects, space, objects_in_use], totals
    end
  end

  def test_no_such_values
    in_directory do |directory|
      result = rperf("convert", "--sample-index", "9", HEAP, "p.json", directory:)
      types = TYPES.map(&:first).join(", ")
      assert_equal "rperf: cannot read '#{HEAP}': it has no values of the sample type '9': its sample types are #{types}\n", result.err
      assert_equal [1, false], [result.code, File.exist?(File.join(directory, "p.json"))]
    end
  end

  def test_weights_that_a_program_changed
    data = Rperf.load(HEAP)
    data[:samples].each { |sample| sample[1] *= 3 }
    *others, weights = sums(data)
    in_directory do |directory|
      assert_equal [*others, weights * 3], sums(Rperf.load(Rperf.save(File.join(directory, "p.json"), data)))
    end
  end

  def test_data_that_do_not_fit
    data = Rperf.load(HEAP)
    frames, weight = data[:samples].first
    assert_refused "values of sample 0 of the data must be one whole number for each of the data's value_types (or delete these), not nil",
                   {**data, aggregated_samples: [[frames, weight]]}
    assert_refused 'the data\'s value_types must be an Array of [kind, unit], with the data\'s value_type among them, not [["time", "ns"]]',
                   {**data, value_types: [%w[time ns]]}
    assert_refused 'value type 0 of the data must be two Strings, [kind, unit], not "bytes"', {**data, value_types: ["bytes"]}
    assert_refused 'the data\'s period must be [kind, unit, length], two Strings and a whole number, not ["space", 5]',
                   {**data, period: ["space", 5]}
    kept = {**data.except(:value_types), aggregated_samples: [[frames, 7]]}
    in_directory { |directory| assert_equal [7], Rperf.load(Rperf.save(File.join(directory, "p.json"), kept))[:samples].first.values }
  end

  # Objects of two classes, one without a class, made by one method.
  def objects
    frames = [["a.rb", "Shop#order"], ["a.rb", "<main>"]]
    values = [[300, 12_000], [200, 16_000], [100, 4_000]]
    samples = values.each_with_index.map { |list, set| Rperf::Sample.new(frames, list.last, 1, set + 1, 1, nil, nil, list) }
    {mode: :alloc, rperf_version: "0.1.0", value_type: TYPES[1], value_types: TYPES.first(2), aggregated_samples: samples,
     label_sets: [{}, {class: "String", slot: 40}, {class: "Order", slot: 80}, {type: "T_DATA", slot: 40}]}
  end

  def leaves(*options, directory:)
    rperf("report", "--collapsed", "p.json", *options, directory:).out.lines.map { |line| line.split(";").last.chomp }
  end

  def test_the_class_of_objects_is_their_leaf
    in_directory do |directory|
      Rperf.save(File.join(directory, "p.json"), objects)
      assert_equal ["Order 16000", "String 12000", "T_DATA 4000"], leaves(directory:).sort
      assert_equal ["Shop#order 32000"], leaves("--tagleaf", "", directory:)
      assert_equal ["40 16000", "80 16000"], leaves("--tagleaf", "slot", directory:).sort
      top = rperf("report", "--top", "p.json", directory:).out
      assert_match(/^ +15\.62kB 50\.00% 50\.00% +15\.62kB 50\.00% +Order$/, top)
      rperf("convert", "p.json", "p.collapsed", directory:)
      assert_includes File.read(File.join(directory, "p.collapsed")), "<main>;Shop#order;String 12000\n"
      rperf("report", "--focus", "order", "--format", "json", "-o", "p.json", "p.json", directory:)
      assert_equal ["Order 16000", "String 12000", "T_DATA 4000"], leaves(directory:).sort, "once, also where it was saved so"
      assert_equal 0, rperf("convert", "p.json", "p.html", directory:).code
      assert_match(/"strings":\[[^\]]*"T_DATA"[^\]]*"type"/, File.read(File.join(directory, "p.html")))
    end
  end

  def test_objects_have_no_states_of_threads
    in_directory do |directory|
      Rperf.save(File.join(directory, "p.json"), objects)
      text = rperf("report", "--by", "class", "p.json", directory:).out
      assert_match(/^ +total  share  class +heaviest method$/, text)
      assert_match(/^ +15\.62kB 57\.14%  Order +Shop#order \(100%\)$/, text)
    end
  end

  def test_how_far_chance_may_have_moved_objects
    in_directory do |directory|
      Rperf.save(File.join(directory, "exact.json"), {**objects, period: ["objects", "count", 1]})
      Rperf.save(File.join(directory, "sampled.pb.gz"), {**objects, period: ["objects", "count", 50]})
      assert_match(/^n = 12 and 12 samples: 0 of /, rperf("diff", "--top", "sampled.pb.gz", "sampled.pb.gz", directory:).out)
      margin = ->(file) { rperf("diff", "--top", file, file, directory:).out[/^.*Order$/].split[4].to_f }
      assert_operator margin.call("exact.json"), :<, margin.call("sampled.pb.gz")
    end
  end

  def test_files_with_labels_and_methods_keep_their_leaves
    in_directory do |directory|
      path = File.join(directory, "p.json")
      Rperf.save(path, objects)
      assert_equal "Shop#order", Rperf.load(path)[:samples].first[0].first.label
      rperf("convert", "p.json", "p.pb.gz", directory:)
      assert_equal "Shop#order", Rperf.load(File.join(directory, "p.pb.gz"))[:samples].first[0].first.label
      assert_includes rperf("report", "--method", "Shop#order", "p.json", directory:).out, "flat: 31.25kB 100%"
    end
  end

  def assert_refused(message, data)
    in_directory do |directory|
      error = assert_raises(ArgumentError) { Rperf.save(File.join(directory, "p.json"), data) }
      assert_equal message, error.message
      assert_empty Dir.children(directory)
    end
  end
end
