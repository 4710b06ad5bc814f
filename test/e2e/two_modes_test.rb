# frozen_string_literal: true

require "rack/mock_request"
require "zlib"
require_relative "../support/program"
require_relative "../support/spent_time"
require "rperf/viewer"

# One recording in several modes, time by one clock or both and objects: a profile of each, which
# share labels and threads.
class TwoModesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  # So many objects of a class of its own.
  OBJECTS = 20_000
  Part = Class.new
  PROGRAM = <<~RUBY
    require #{SpentTime::BURNING.inspect}
    class Part; end
    def make = Array.new(#{OBJECTS}) { Part.new }
    def compute = Burning.burn(0.1)
    make
    compute
  RUBY

  def teardown
    Rperf.stop
  end

  def make = Array.new(OBJECTS) { Part.new }

  # Sums of values of the samples that are objects of this class.
  def of_class(data, name)
    rows = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == name }
    rows.map(&:values).transpose.map(&:sum)
  end

  def weight(data, method)
    data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == method } ? weight : 0 }
  end

  def labelled(data, name) = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:job] == name }

  def test_two_data_in_the_order_of_the_modes_which_share_labels_and_threads
    spent = nil
    cpu, alloc = Rperf.start(mode: %i[cpu alloc], interval: 1) do
      Rperf.label(job: "main") { make }
      thread = Thread.new { Rperf.label(job: "other") { [Burning.burn(0.2), make].first } }
      spent = thread.tap { |it| it.name = "worker" }.value
    end
    assert_equal [[:cpu, 1000, nil], [:alloc, 0, ["objects", "count", 1]]], [cpu, alloc].map { |data| data.values_at(:mode, :frequency, :period) }
    assert_equal [:poll, true], [cpu[:engine], %i[direct event].include?(alloc[:engine])]
    assert_spent spent, weight(cpu, "Burning.burn")
    assert_equal [2 * OBJECTS, 40 * 2 * OBJECTS], of_class(alloc, "TwoModesTest::Part")
    assert_equal [%w[main other]] * 2, [cpu, alloc].map { |data| %w[main other].reject { |name| labelled(data, name).empty? } }
    threads = [cpu, alloc].map { |data| labelled(data, "other").map { |sample| sample[2] }.uniq }
    assert_equal threads.first, threads.last
    assert_equal [["worker"]] * 2, [cpu, alloc].map { |data| data[:threads].select { |it| threads.first == [it[:thread_seq]] }.map { |it| it[:name] } }
    assert_equal cpu.values_at(:start_time_ns, :duration_ns), alloc.values_at(:start_time_ns, :duration_ns)
    assert_empty cpu[:dropped].keys & ["not seen"]
  end

  def test_the_order_is_that_of_the_modes
    assert_equal %i[heap wall], Rperf.start(mode: %w[heap wall]) { make }.map { |data| data[:mode] }
  end

  # Of that what ran, and neither waited nor collected.
  def running(data, method)
    weight(data.merge(samples: data[:samples].reject { |frames, _weight| %w[<GVL> <CPU> <GC>].include?(frames.first.path) }), method)
  end

  def test_cpu_and_wall_time_of_the_same_ticks
    computed = elapsed = slept = nil
    cpu, wall = Rperf.start(mode: :both) do
      thread = Thread.new { Rperf.label(job: "sleep") { slept = Burning.spent(Burning::WALL) { sleep(0.3) } } }
      elapsed = Burning.spent(Burning::WALL) { computed = Burning.burn(0.3) }
      thread.join
    end
    assert_equal %i[cpu wall], [cpu, wall].map { |data| data[:mode] }
    assert_spent computed, weight(cpu, "Burning.burn")
    # Of a processor that the machine takes away the system does not always know.
    assert_operator running(wall, "Burning.burn"), :>=, computed.ns - tolerance_of(computed)
    assert_operator running(wall, "Burning.burn"), :<=, elapsed.ns + tolerance_of(elapsed)
    # (Threads of other tests sleep, too.)
    asleep = [cpu, wall].map { |data| weight({samples: labelled(data, "sleep")}, "Kernel#sleep") }
    assert_spent slept, asleep.last
    assert_operator asleep.first, :<, EDGES
    refute(cpu[:samples].any? { |frames, _weight| frames.first.label == "[GVL blocked]" })
  end

  def test_what_is_computed_without_the_gvl_is_blocked_by_one_clock_and_computed_by_the_other
    bytes = Random.bytes(8_000_000)
    used = elapsed = nil
    cpu, wall = Rperf.start(mode: :both) do
      elapsed = Burning.spent(Burning::WALL) { used = Burning.spent(Burning::CPU) { Zlib.deflate(bytes) } }
    end
    assert_spent used, weight(cpu, "Zlib.deflate")
    assert_operator weight(wall, "Zlib.deflate"), :>=, used.ns - tolerance_of(used)
    # It has the GVL for a moment at each piece of its result. Where processors are scarce it may
    # lose its own then, and the system does not always know.
    without = elapsed.ns - used.ns
    assert_operator running(wall, "Zlib.deflate"), :<=, tolerance_of(used) + without / 2
  end

  def test_all_three_and_the_collector
    cpu, wall, alloc = Rperf.start(mode: %i[both alloc], interval: 1) { [make, GC.start] }
    assert_equal %i[cpu wall alloc], [cpu, wall, alloc].map { |data| data[:mode] }
    assert_equal OBJECTS, of_class(alloc, "TwoModesTest::Part").first
    collected = [cpu, wall].map { |data| weight(data, "[GC marking]") }
    assert(collected.all?(&:positive?), collected.inspect)
  end

  def test_snapshots_and_periods
    kept = nil
    Rperf.start(mode: %i[cpu heap], interval: 1, min_age: 0)
    kept = make
    first = Rperf.snapshot(clear: true)
    spent = Burning.burn(0.1)
    cpu, heap = Rperf.stop
    assert_equal %i[cpu heap], first.map { |data| data[:mode] }
    assert_equal [OBJECTS, 0, OBJECTS], [of_class(first.last, "TwoModesTest::Part")[0], *of_class(heap, "TwoModesTest::Part").values_at(0, 2)]
    assert_spent spent, weight(cpu, "Burning.burn")
    assert_equal 0, weight(cpu, "TwoModesTest#make")
    assert_equal OBJECTS, kept.length
  end

  # The full collection is rperf's own work, and so is asking for the size of each object.
  def test_what_the_last_look_at_objects_takes_is_in_no_profile_of_time
    kept = []
    kept.concat(Array.new(500_000) { Part.new }) until collection_ns > 100_000_000
    Rperf.start(mode: %i[cpu heap])
    spent = Burning.burn(0.1)
    cpu, heap = Rperf.stop
    assert_includes heap[:comments], "gc before snapshot: yes"
    assert_spent spent, cpu[:samples].sum { |_frames, weight| weight }
  end

  # What a full collection takes.
  def collection_ns
    before = GC.total_time
    GC.start
    GC.total_time - before
  end

  def test_deferred_sessions_profile_both_in_blocks_only
    work = -> { Burning.spent(Burning::CPU) { make } + Burning.burn(0.1) }
    inside = nil
    cpu, alloc = Rperf.start(mode: %i[cpu alloc], interval: 1, defer: true) do
      work.()
      Rperf.profile(job: "inside") { inside = work.() }
    end
    assert_equal OBJECTS, of_class(alloc, "TwoModesTest::Part").first
    assert_spent inside, cpu[:samples].sum { |_frames, weight| weight }
    assert_equal ["inside"], [*cpu[:label_sets], *alloc[:label_sets]].filter_map { |set| set[:job] }.uniq
  end

  def test_children_join_the_profile_of_their_mode
    cpu, alloc = Rperf.start(mode: %i[cpu alloc], interval: 1, inherit: :fork) do
      make
      Process.wait(fork { make })
    end
    assert_equal [2, 2], [cpu, alloc].map { |data| data[:processes].length }
    assert_equal 2 * OBJECTS, of_class(alloc, "TwoModesTest::Part").first
  end

  def test_the_viewer_keeps_both
    viewer = Rperf::Viewer.new(permit: ->(_env) { true })
    Rperf.start(mode: %i[wall alloc])
    make
    assert_equal [1, 2], viewer.take_snapshot!(title: "both")
    list = Rack::MockRequest.new(viewer).get("/").body
    assert_equal %w[wall alloc].sort, list.scan(%r{<td>(wall|alloc)</td>}).flatten.sort
  end

  def test_output_and_saving
    in_directory do |directory|
      path = File.join(directory, "app.pb.gz")
      data = Rperf.start(mode: %i[cpu alloc], output: path) { make }
      assert_equal %w[app.alloc.pb.gz app.cpu.pb.gz], Dir.children(directory).sort
      assert_equal %i[cpu alloc], %w[cpu alloc].map { |mode| Rperf.load(File.join(directory, "app.#{mode}.pb.gz"))[:mode] }
      error = assert_raises(ArgumentError) { Rperf.save(path, data) }
      assert_equal "the data is that of 2 modes: give them one by one", error.message
    end
  end

  def test_record_writes_a_file_for_each_mode
    in_directory do |directory|
      result = rperf("record", "-m", "cpu,alloc", "-i", "1", "-v", "ruby", "-e", PROGRAM, directory:)
      lines = result.err.lines.grep(/wrote/)
      assert_match(/\Arperf: wrote rperf\.cpu\.data: \d+ samples, .* of CPU time.*; look at it with: rperf report rperf\.cpu\.data\n\z/, lines.first)
      assert_match(/\Arperf: wrote rperf\.alloc\.data: [\d,]+ samples, .* of alloc_space.*; look at it with: rperf report rperf\.alloc\.data\n\z/, lines.last)
      assert_equal %w[cpu alloc], result.err.scan(/^\[rperf\] mode=(\w+)/).flatten
      assert_match(/ Burning\.burn/, rperf("report", "--top", "rperf.cpu.data", directory:).out)
      assert_match(/ Part\n/, rperf("report", "--top", "rperf.alloc.data", directory:).out)
      assert_equal OBJECTS, of_class(Rperf.load(File.join(directory, "rperf.alloc.data")), "Part").first
    end
  end

  def test_formats_that_the_profile_of_time_alone_has_room_for
    in_directory do |directory|
      rperf("record", "-m", "wall,alloc", "--timeline", "-o", "my.app.json.gz", "ruby", "-e", PROGRAM, directory:)
      wall, alloc = %w[wall alloc].map { |mode| Rperf.load(File.join(directory, "my.app.#{mode}.json.gz")) }
      assert_equal [true, nil], [wall[:timeline], alloc[:timeline]]
      rperf("record", "-m", "cpu,alloc", "-o", "page.html", "ruby", "-e", PROGRAM, directory:)
      %w[cpu alloc].each { |mode| assert_match(/<title>page\.#{mode}\.html/, File.read(File.join(directory, "page.#{mode}.html"))) }
    end
  end

  def test_stat_shows_both
    in_directory do |directory|
      2.times do |repeat|
        more = repeat.zero? ? [] : %w[--repeat 2]
        text = rperf("stat", "-m", "wall,alloc", *more, "--report", "ruby", "-e", PROGRAM, directory:).err
        assert_match(/CPU execution\n.*objects allocated/m, text)
        assert_equal 1, text.scan("[Ruby] GC time").length
        assert_match(/ samples .* triggers.*\n  [\d,]+ samples .* objects/, text)
        assert_equal 2, text.scan(/^Flat:/).length
        assert_equal ["Wall time", "Objects"] * 2, text.scan(/^\n (.+):\n.*(?:CPU execution|objects allocated|Flat)/).flatten
      end
    end
  end

  def test_the_environment
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_MODE" => "cpu,heap", "RPERF_OUTPUT" => "own.pb.gz"}
      program = "#{PROGRAM}\nKEPT = make\nProcess.wait(fork { make })"
      result = run_program(RUBY, "-I", Paths::LIB, "-r", "rperf/autostart", "-e", program, directory:, env:)
      assert_predicate result.status, :success?, result.err
      assert_equal ["own.N.cpu.pb.gz", "own.N.heap.pb.gz", "own.cpu.pb.gz", "own.heap.pb.gz"], Dir.glob("own*", base: directory).map { |name| name.sub(/\d{2,}/, "N") }.sort
    end
  end

  def test_what_cannot_be_together_is_one_sentence
    in_directory do |directory|
      File.mkfifo(File.join(directory, "pipe"))
      {
        %w[-m cpu,cpu] => "-m must be one mode, or several: cpu or wall or both, and alloc or heap, not 'cpu,cpu'",
        %w[-m alloc,heap] => "-m must be one mode, or several: cpu or wall or both, and alloc or heap, not 'alloc,heap'",
        %w[-m cpu,alock] => "-m must be cpu, wall, custom, alloc, heap or both, not 'alock'; did you mean 'alloc'?",
        %w[-m cpu,alloc -o -] => "several modes give a profile each, which '/dev/stdout' cannot take, being no file: name one, or choose one mode",
        %w[-m cpu,alloc -o /dev/null] => "several modes give a profile each, which '/dev/null' cannot take, being no file: name one, or choose one mode",
        %w[-m cpu,alloc -o pipe] => "several modes give a profile each, which 'pipe' cannot take, being no file: name one, or choose one mode",
        %w[-m cpu,heap --no-aggregate] => "aggregate: false (--no-aggregate) has no meaning in mode heap, where an object's sample changes until it dies: leave it out",
        %w[-m cpu,alloc --min-age 2] => "min_age: (--min-age) belongs to the mode heap, not to cpu and alloc: leave it out, or choose another mode",
        %w[-m cpu,alloc -o no/app.pb.gz] => "cannot write 'DIRECTORY/no/app.cpu.pb.gz': the directory 'DIRECTORY/no' does not exist; create it, or name a file elsewhere"
      }.each do |arguments, sentence|
        result = rperf("record", *arguments, "ruby", "-e", "raise", directory:)
        assert_equal "rperf: #{sentence}\n", result.err.gsub(File.realpath(directory), "DIRECTORY")
      end
    end
  end
end
