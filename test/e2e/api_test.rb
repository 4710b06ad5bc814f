# frozen_string_literal: true

require "stringio"
require_relative "../support/program"
require_relative "../support/spent_time"

# Rperf.start and its relatives, in this process.
class ApiTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  def teardown
    Rperf.stop
  end

  # Computes for so many seconds of CPU time, however loaded the machine is. Returns what it used.
  def busy(seconds = 0.1) = Burning.burn(seconds)

  def labels_of(data) = data[:samples].flat_map(&:first).map { |frame| frame[1] }.uniq

  def capture_stderr
    before = $stderr
    $stderr = StringIO.new
    yield
    $stderr.string
  ensure
    $stderr = before
  end

  def test_a_block_returns_the_data_and_writes_the_file
    in_directory do |directory|
      path = File.join(directory, "p.collapsed")
      data = Rperf.start(output: path) { busy }
      refute_predicate Rperf, :running?
      assert_equal [:cpu, 1000], data.values_at(:mode, :frequency)
      assert_same data[:samples], data[:aggregated_samples]
      assert_includes labels_of(data), "ApiTest#busy"
      assert_includes File.read(path), "ApiTest#busy"
    end
  end

  def test_the_data_has_what_the_guide_promises
    lasted = nil
    data = Rperf.start(mode: :wall) { lasted = Burning.spent(Burning::WALL) { busy } }
    %i[sampling_count sampling_time_ns trigger_count detected_thread_count start_time_ns duration_ns unique_frames
      unique_stacks].each { |key| assert_kind_of Integer, data[key], key }
    refute data.key?(:label_sets), "no label was used"
    frames, weight, thread, labels = data[:samples].first
    assert_kind_of String, frames.first[0]
    assert_kind_of String, frames.first[1]
    assert_operator weight, :>, 0
    assert_operator thread, :>=, 1
    assert_equal 0, labels
    assert_in_delta Time.now.to_f, data[:start_time_ns] / 1e9, 3600
    assert_operator data[:duration_ns], :>=, lasted.ns
  end

  def test_manual_start_and_stop
    assert_nil Rperf.start(mode: :wall)
    assert_predicate Rperf, :running?
    busy
    data = Rperf.stop
    assert_equal :wall, data[:mode]
    assert_nil Rperf.stop
  end

  # At 20 ticks a second there is much of it. (On a busy machine most ticks come while the program
  # waits for a processor.)
  def test_what_runs_after_the_last_tick_belongs_to_what_it_met
    data = Rperf.start(frequency: 20) { busy(1) }
    assert_operator data[:sampling_count], :>, 0
    # The method itself only starts and stops; its block, which has its name too, computes. (Another
    # thread may be a server of an earlier test, whose last client has gone.)
    thread = data[:samples].max_by { |_, weight| weight }[2]
    stacks = data[:samples].select { |sample| sample[2] == thread }.map { |frames,| frames.map(&:label) }
    assert_empty(stacks.reject { |labels| labels.count { |label| label.end_with?("##{__method__}") } == 2 })
  end

  def test_the_blocks_own_exception_comes_out_and_the_profile_is_written
    in_directory do |directory|
      path = File.join(directory, "p.txt")
      assert_equal "mine", assert_raises(KeyError) { Rperf.start(output: path) { busy; raise KeyError, "mine" } }.message
      assert_includes File.read(path), "ApiTest#busy"
      refute_predicate Rperf, :running?
    end
  end

  def test_leaving_the_block_otherwise_stops_too
    in_directory do |directory|
      path = File.join(directory, "p.txt")
      assert_equal(:thrown, catch(:out) { Rperf.start(output: path) { throw :out, :thrown } })
      assert_equal(:broken, Rperf.start(output: path) { break :broken })
      refute_predicate Rperf, :running?
      assert_path_exists path
    end
  end

  def test_the_blocks_exception_wins_over_a_file_that_cannot_be_written
    messages = capture_stderr { assert_raises(KeyError) { Rperf.start(output: "/dev/full") { raise KeyError } } }
    assert_equal "rperf: cannot write '/dev/full': the disk is full; free some space, or name a file on another disk\n", messages
    assert_match(/the disk is full/, assert_raises(Rperf::Error) { Rperf.start(output: "/dev/full") { 1 } }.message)
  end

  def test_the_file_is_where_the_session_began
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "sub"))
      Dir.chdir(directory) { Rperf.start(output: "p.txt", mode: %i[cpu alloc]) { Dir.chdir("sub") } }
      assert_equal %w[p.alloc.txt p.cpu.txt sub], Dir.glob("**/*", base: directory).sort
    end
  end

  def test_a_file_that_cannot_be_written_is_found_before_the_work
    in_directory do |directory|
      error = assert_raises(Rperf::Error) { Rperf.start(output: File.join(directory, "no/p.txt")) { flunk "the block ran" } }
      assert_match(/\Acannot write '.*': the directory '.*' does not exist; /, error.message)
      refute_predicate Rperf, :running?
    end
  end

  def test_starting_twice
    Rperf.start
    message = "a session runs already: stop it with Rperf.stop before you start another"
    assert_equal message, assert_raises(Rperf::Error) { Rperf.start }.message
    assert_equal message, assert_raises(Rperf::Error) { Rperf.start { flunk "the block ran" } }.message
    # As where two threads start one at the same time.
    settings = {frequency: 1000, mode: :cpu, signal: nil, aggregate: true, lines: true}
    assert_equal message, assert_raises(Rperf::Error) { Rperf::Native.start(**settings) }.message
    assert_predicate Rperf, :running?
  end

  def test_a_block_ends_only_its_own_session
    own = nil
    assert_nil(Rperf.start(mode: :cpu) { own = Rperf.stop; Rperf.start(mode: :wall) })
    assert_equal %i[cpu wall], [own[:mode], Rperf.stop[:mode]]
  end

  def test_wrong_values_start_nothing
    assert_raises(ArgumentError) { Rperf.start(frequency: 0) }
    assert_raises(ArgumentError) { Rperf.start(nonsense: 1) { flunk "the block ran" } }
    refute_predicate Rperf, :running?
  end

  def test_verbose
    messages = capture_stderr { Rperf.start(verbose: true) { busy } }
    assert_match(/\A\[rperf\] mode=cpu frequency=1000Hz/, messages)
  end

  def test_raw_samples
    data = Rperf.start(mode: :cpu, aggregate: false) { busy(0.2) }
    assert_same data[:samples], data[:raw_samples]
    refute data.key?(:aggregated_samples)
    assert_operator data[:raw_samples].length, :>, 4, "one aggregated sample would be one stack"
  end

  def test_save_in_every_format
    data = Rperf.start { busy }
    in_directory do |directory|
      %w[a.pb.gz a.collapsed a.txt a.json a.json.gz].each do |name|
        path = File.join(directory, name)
        assert_equal path, Rperf.save(path, data)
        assert_operator File.size(path), :>, 0
      end
      forced = File.join(directory, "a.dat")
      Rperf.save(forced, data, format: :text)
      assert_equal File.read(File.join(directory, "a.txt")), File.read(forced)
      assert_equal "format: must be pprof, collapsed, text, json, dot, callgrind, speedscope, firefox, markdown, otlp or html, not :xml", assert_raises(ArgumentError) { Rperf.save(forced, data, format: :xml) }.message
      assert_raises(ArgumentError) { Rperf.save(forced, nil) }
      assert_raises(Rperf::Error) { Rperf.save(File.join(directory, "no", "a.txt"), data) }
    end
  end

  def test_samples_can_be_changed_before_they_are_saved
    data = Rperf.start { busy }
    data[:aggregated_samples].select! { |frames,| frames.any? { |_path, label| label == "ApiTest#busy" } }
    data[:aggregated_samples] << [[["made.rb", "up"]], 5, 1, 0]
    in_directory do |directory|
      path = File.join(directory, "a.collapsed")
      Rperf.save(path, data)
      assert_includes File.readlines(path), "up 5\n"
    end
  end

  # The Hash has the samples by two keys; under one of them are other samples now.
  def test_samples_that_the_program_put_in_their_place
    [{}, {aggregate: false}].each do |options|
      data = Rperf.start(**options) { busy }
      kept = data[:samples].select { |frames,| frames.any? { |_path, label| label == "ApiTest#busy" } }
      whole = data[:samples].sum { |sample| sample[1] } + 5
      data[:samples] << [[["made.rb", "up"]], 5, 1, 0] # There are others than those that are kept.
      key = (data.keys & %i[aggregated_samples raw_samples]).first
      [data.merge(samples: kept), {**data, samples: kept}, data.merge(key => kept), data.except(key).merge(samples: kept)].each do |own|
        assert_equal kept.sum { |sample| sample[1] }, Rperf::Native::Profile.from_h(own).weight
      end
      assert_equal 0, Rperf::Native::Profile.from_h(data.merge(samples: [])).weight
      assert_equal whole, Rperf::Native::Profile.from_h(data).weight
      message = assert_raises(ArgumentError) { Rperf::Native::Profile.from_h(data.merge(samples: kept, key => [])) }.message
      assert_equal "the data's samples and aggregated_samples (or raw_samples) differ: delete one of the two", message
    end
  end

  def test_load_reads_what_save_wrote
    data = Rperf.start(mode: :wall) { Rperf.label(step: "one") { busy } }
    in_directory do |directory|
      %w[a.pb.gz a.json a.json.gz].each do |name|
        path = File.join(directory, name)
        Rperf.save(path, data)
        read = Rperf.load(path)
        assert_equal data[:samples].sum { |sample| sample[1] }, read[:samples].sum { |sample| sample[1] }, name
        assert_equal labels_of(data).sort, labels_of(read).sort, name
        assert_equal :wall, read[:mode]
        assert_includes read[:label_sets], {step: "one"}
      end
      assert_match(/there is no such file/, assert_raises(Rperf::Error) { Rperf.load(File.join(directory, "none")) }.message)
    end
  end

  def test_snapshots
    assert_nil Rperf.snapshot
    Rperf.start(mode: :cpu)
    busy
    first = Rperf.snapshot
    assert_includes labels_of(first), "ApiTest#busy"
    busy
    second = Rperf.snapshot(clear: true)
    assert_operator weight(second), :>=, weight(first)
    assert_predicate Rperf, :running?
    rest = Rperf.stop
    assert_operator weight(rest), :<, weight(second)
  end

  def test_cleared_snapshots_add_up
    # No part is counted twice: together they weigh what the thread's clock says. (Only the
    # collector's time is that of the wall clock.)
    spent = Burning::NOTHING
    Rperf.start(mode: :cpu)
    parts = Array.new(10) { spent += busy(0.03); Rperf.snapshot(clear: true) }
    assert_spent spent, [*parts, Rperf.stop].sum { |part| weight(part, "ApiTest#busy") + lost(part) }
  end

  def test_a_snapshot_needs_merged_samples
    Rperf.start(aggregate: false)
    assert_match(/merged samples/, assert_raises(Rperf::Error) { Rperf.snapshot }.message)
  end

  def test_a_forked_child_can_start_anew_and_the_parent_goes_on
    in_directory do |directory|
      path = File.join(directory, "child.collapsed")
      Rperf.start(mode: :cpu)
      pid = fork do
        exit!(2) if Rperf.running?
        exit!(3) if Rperf.stop
        Rperf.label(a: "b") { exit!(4) unless Rperf.labels == {} }
        Rperf.start(output: path) { busy }
        exit!(0)
      end
      status = Process.wait2(pid).last
      assert_equal 0, status.exitstatus
      assert_includes File.read(path), "ApiTest#busy"
      busy
      assert_includes labels_of(Rperf.stop), "ApiTest#busy"
    end
  end

  # Nanoseconds of the samples with this function in their stack, or of all.
  def weight(data, name = nil)
    data[:samples].sum { |frames, weight| name.nil? || frames.any? { |_path, label| label == name } ? weight : 0 }
  end

  def lost(data) = data[:dropped].values.sum { |drop| drop[:weight_ns] }
end
