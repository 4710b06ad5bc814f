# frozen_string_literal: true

require_relative "../support/program"

# Rperf.save and Rperf.load: what goes through a file, and what is said when it does not.
class SavingTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  def teardown
    Rperf.stop
  end

  def work = 30_000.times { |number| number.to_s }

  # Profiles with a bit of everything that rperf records.
  def recorded
    labelled = Rperf.start(mode: :wall) do
      Rperf.label(request: "a \"b\"\n\u00fc") { work; sleep 0.005 }
      Thread.new { GC.start; work }.join
    end
    {
      "labelled" => labelled,
      "raw" => Rperf.start(aggregate: false) { Rperf.label(step: "x") { work } },
      "without lines" => Rperf.start(lines: false) { work },
      "at safepoints" => Rperf.start(signal: false) { work },
      "deferred" => Rperf.start(defer: true) { Rperf.profile(a: 1) { work } },
      "empty" => Rperf.start(defer: true) { work },
      "overflowing" => Rperf.start { 10_050.times { |number| Rperf.label(n: number) { nil } } }
    }
  end

  def test_encoders_return_what_would_be_written
    data = recorded.fetch("labelled")
    in_directory do |directory|
      {"a.pb.gz" => Rperf::PProf, "a.collapsed" => Rperf::Collapsed, "a.txt" => Rperf::Text}.each do |name, encoder|
        encoded = encoder.encode(data)
        assert_equal File.binread(Rperf.save(File.join(directory, name), data)), encoded.b
        assert_predicate encoded, :valid_encoding?
      end
    end
    assert_equal [Encoding::BINARY, Encoding::UTF_8], [Rperf::PProf, Rperf::Text].map { |encoder| encoder.encode(data).encoding }
    [nil, 5, {}].each { |wrong| assert_raises(ArgumentError) { Rperf::PProf.encode(wrong) } }
  end

  # Everything that a rich data hash may have.
  def made
    frames = [["a.rb", "Object#a"], ["a.rb", "<main>"]]
    {
      mode: :wall, frequency: 99, sampling_count: 3, sampling_time_ns: 4, hook_time_ns: 16, trigger_count: 5, detected_thread_count: 6,
      start_time_ns: 1_772_000_000_123_456_789, duration_ns: 7, unique_frames: 8, unique_stacks: 9, label_overflow_count: 10,
      tick_count: 2, event_count: 0,
      engine: :poll, dropped: {"ring full" => {samples: 11, weight_ns: 12}}, rperf_version: "0.1.0", ruby_version: "ruby",
      comments: ["one", "two"], value_type: %w[alloc_space bytes], value_types: [%w[alloc_space bytes]], stat: {user_ns: 13, ratio: 1.5, command: "x y", on: true, none: nil},
      aggregated_samples: [[frames, 14, 1, 1], [frames, 15, 2, 0]], label_sets: [{}, {request: "abc", pid: 12}]
    }.tap { |data| data[:samples] = data[:aggregated_samples] }
  end

  # The data after they were saved under this name and read again.
  def again(data, name)
    in_directory do |directory|
      path = File.join(directory, name)
      assert_equal path, Rperf.save(path, data)
      Rperf.load(path)
    end
  end

  def test_json_keeps_everything
    {**recorded, "made" => made}.each do |name, data|
      %w[p.json p.json.gz].each do |file|
        read = again(data, file)
        assert_equal data, read, name
        assert_equal data[:samples].map { |sample| sample.respond_to?(:lines) ? [sample.count, sample.lines] : [1, []] },
          read[:samples].map { |sample| [sample.count, sample.lines] }, name
      end
    end
  end

  # What formats.md says that pprof does not keep.
  LOST = %i[sampling_count sampling_time_ns hook_time_ns trigger_count detected_thread_count unique_frames unique_stacks event_count stat].freeze

  def test_pprof_keeps_all_but_the_counters
    {**recorded.except("raw"), "made" => made}.each do |name, data|
      read = again(data, "p.pb.gz")
      kept = data.keys - LOST - %i[samples aggregated_samples label_sets]
      kept.each { |key| data[key].nil? ? assert_nil(read[key], "#{name}: #{key}") : assert_equal(data[key], read[key], "#{name}: #{key}") }
      assert_equal by_labels(data), by_labels(read), name
    end
  end

  # What is in the samples is not lost with its count.
  def test_what_can_be_counted_again_is
    recorded.except("raw").each do |name, data|
      read = again(data, "p.pb.gz")
      frames = data[:samples].map(&:first)
      counted = [frames.flatten(1).uniq.length, frames.uniq.length]
      assert_equal counted, data.values_at(:unique_frames, :unique_stacks), name
      assert_equal counted, read.values_at(:unique_frames, :unique_stacks), name
      assert_equal data[:samples].map { |sample| sample[2] }.uniq.length, read[:detected_thread_count], name
    end
  end

  def test_a_path_that_is_none
    [nil, 5, ""].each do |path|
      error = assert_raises(ArgumentError) { Rperf.load(path) }
      assert_match(/\Athe path must be /, error.message)
    end
    error = assert_raises(ArgumentError) { Rperf.load("-") }
    assert_equal "the path must be the path of a file, not \"-\": stdin is /dev/stdin", error.message
  end

  # Weights by stack, thread and labels: label sets may have other numbers.
  def by_labels(data)
    sets = data[:label_sets] || [{}]
    data[:samples].each_with_object(Hash.new(0)) { |(frames, weight, thread, set), sums| sums[[frames, thread, sets[set]]] += weight }
  end

  def test_collapsed_keeps_names_and_weights
    data = recorded.fetch("labelled")
    names = ->(frames) { frames.map { |frame| frame[1].tr(";\n", ":_") } }
    sums = ->(profile) { profile[:samples].each_with_object(Hash.new(0)) { |(frames, weight), total| total[names.(frames)] += weight } }
    assert_equal sums.(data), sums.(again(data, "p.collapsed"))
  end

  def test_text_is_for_people
    error = assert_raises(Rperf::Error) { again(recorded.fetch("labelled"), "p.txt") }
    assert_match(/\Acannot read '.*p\.txt': /, error.message)
    refute_includes error.message, "\n"
  end

  def test_the_program_s_random_numbers_stay
    in_directory do |directory|
      program = "srand(1); a = rand; Rperf.start(output: 'a.json') { }; Rperf.save('a.html', {samples: []}); b = rand; srand(1); print [a, b] == [rand, rand]"
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", program, directory:)
      assert_equal "true", result.out, result.inspect
    end
  end

  # As programs do whose texts are in another encoding.
  def test_a_page_of_a_program_that_converts_what_it_reads
    in_directory do |directory|
      pages = [[], %w[-E UTF-8:EUC-JP]].map do |options|
        result = run_program(RUBY, *options, "-I", Paths::LIB, "-rrperf", "-e", "Rperf.save('p.html', {samples: [[[['a.rb', 'A#a']], 5]]})", directory:)
        assert_equal [0, ""], [result.code, result.err]
        File.binread(File.join(directory, "p.html"))
      end
      assert_equal 1, pages.uniq.length
    end
  end

  def test_other_keys_are_not_saved
    refute again({samples: [], mine: 1}, "p.json").key?(:mine)
  end

  def test_the_format_may_be_named
    data = recorded.fetch("labelled")
    in_directory do |directory|
      path = File.join(directory, "p.data")
      %i[pprof json collapsed].each do |format|
        Rperf.save(path, data, format:)
        refute_empty Rperf.load(path)[:samples], format
      end
      Rperf.save(path, data, format: "json")
      assert_equal data, Rperf.load(path)
    end
  end
end
