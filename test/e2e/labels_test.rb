# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"

# Rperf.label and Rperf.labels, in this process.
class LabelsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  def teardown
    Rperf.stop
  end

  # Computes for so many seconds of CPU time, however loaded the machine is. Returns what it used.
  def busy(seconds = 0.1) = Burning.burn(seconds)

  # Weight by label set.
  def weights(data)
    sets = data.fetch(:label_sets)
    data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[sets.fetch(sample[3])] += sample[1] }
  end

  def test_without_a_session_labels_do_nothing
    assert_equal({}, Rperf.labels)
    assert_nil Rperf.label(request: "abc")
    assert_equal 5, Rperf.label(request: "abc") { assert_equal({}, Rperf.labels); 5 }
    assert_equal({}, Rperf.labels)
  end

  def test_labels_of_before_a_session_are_not_in_it
    Rperf.label(request: "before") do
      Rperf.start
      assert_equal({}, Rperf.labels)
    end
    assert_equal({}, Rperf.labels)
  end

  def test_a_block_sets_and_restores
    Rperf.start(mode: :cpu)
    result = Rperf.label(request: "abc") do
      assert_equal({request: "abc"}, Rperf.labels)
      Rperf.label(phase: "db") { assert_equal({request: "abc", phase: "db"}, Rperf.labels) }
      assert_equal({request: "abc"}, Rperf.labels)
      :value
    end
    assert_equal :value, result
    assert_equal({}, Rperf.labels)
  end

  def test_an_exception_a_throw_and_a_return_restore_too
    Rperf.start(mode: :cpu)
    assert_raises(KeyError) { Rperf.label(a: "1") { raise KeyError } }
    catch(:out) { Rperf.label(a: "1") { throw :out } }
    leave_early
    assert_equal({}, Rperf.labels)
  end

  def leave_early = Rperf.label(a: "1") { return }

  def test_without_a_block_labels_stay
    Rperf.start(mode: :cpu)
    Rperf.label(request: "abc")
    Rperf.label(phase: "db")
    assert_equal({request: "abc", phase: "db"}, Rperf.labels)
    Rperf.label(request: nil)
    assert_equal({phase: "db"}, Rperf.labels)
  end

  def test_a_block_restores_whatever_happened_inside
    Rperf.start(mode: :cpu)
    Rperf.label(request: "abc") { Rperf.label(request: "other", more: "x") }
    assert_equal({}, Rperf.labels)
  end

  def test_threads_have_labels_of_their_own
    Rperf.start(mode: :wall)
    Rperf.label(who: "main") do
      seen = Thread.new { [Rperf.labels, Rperf.label(who: "thread") { Rperf.labels }] }.value
      assert_equal [{}, {who: "thread"}], seen
      assert_equal({who: "main"}, Rperf.labels)
    end
  end

  def test_samples_carry_the_labels
    spent = {}
    data = Rperf.start(mode: :cpu) do
      spent[{step: "one"}] = Rperf.label(step: "one") { busy(0.6) }
      spent[{step: "two"}] = Rperf.label(step: "two") { busy(0.3) }
      spent[{}] = busy(0.3)
    end
    sums = weights(data)
    assert_equal [{}, {step: "one"}, {step: "two"}], data[:label_sets]
    spent.each { |labels, time| assert_spent time, sums[labels], labels }
  end

  def test_rperfs_own_methods_are_no_frames
    data = Rperf.start { Rperf.label(request: "abc") { Rperf.profile(step: "one") { busy } } }
    labels = data[:samples].flat_map { |frames,| frames.map(&:label) }.uniq
    assert_includes labels, "Burning.burn"
    assert_empty labels.grep(/\ARperf\b|in Rperf\./)
  end

  def test_pprof_sees_the_labels
    data = Rperf.start(mode: :cpu) { Rperf.label(request: "a \"b\"\n\u00fc") { busy } }
    in_directory do |directory|
      Rperf.save(File.join(directory, "p.pb.gz"), data)
      result = run_program("go", "tool", "pprof", "-tags", "p.pb.gz", directory:)
      assert_includes result.out, "request: Total"
      assert_includes result.out, "\u00fc"
    end
  end

  def test_a_session_that_ends_inside_of_a_block
    Rperf.start
    Rperf.label(a: "1") do
      Rperf.stop
      Rperf.start
      Rperf.label(b: "2")
    end
    assert_equal({b: "2"}, Rperf.labels, "the block's end belongs to the session that has ended")
  end

  # So many labels as there may be in a period, and 100 more.
  def label_requests(prefix = nil) = 10_100.times { |number| Rperf.label(request: "#{prefix}#{number}") { nil } }

  def test_a_label_for_every_request_is_bounded_and_counted
    data = Rperf.start(mode: :cpu) { label_requests }
    assert_equal 10_001, data[:label_sets].length
    assert_equal({rperf: "too many label sets"}, data[:label_sets].last)
    assert_equal 101, data[:label_overflow_count]
    in_directory do |directory|
      path = File.join(directory, "p.pb.gz")
      Rperf.save(path, data)
      assert_includes run_program("go", "tool", "pprof", "-comments", path, directory:).out, "label sets beyond the limit: 101 labellings"
      assert_equal 101, Rperf.load(path)[:label_overflow_count]
    end
  end

  def test_the_program_that_labels_too_much_is_told
    code = "10_100.times { |number| Rperf.label(request: number) { nil } }"
    in_directory do |directory|
      result = run_program(RUBY, RPERF, "record", "-v", "-o", "p.json", RUBY, "-rrperf", "-e", code, directory:)
      assert_includes result.err, "101 labellings beyond the limit of label sets"
      assert_equal 101, Rperf.load(File.join(directory, "p.json"))[:label_overflow_count]
    end
  end

  def test_each_cleared_snapshot_has_room_for_new_labels
    # So slow that no tick meets any of this: what the last one met would stay, too.
    Rperf.start(mode: :cpu, frequency: 1)
    Rperf.label(stays: "yes") do
      label_requests("a")
      assert_equal 102, Rperf.snapshot(clear: true)[:label_overflow_count]
      label_requests("b")
      second = Rperf.snapshot(clear: true)
      assert_equal 102, second[:label_overflow_count]
      assert_includes second[:label_sets], {stays: "yes", request: "b0"}
      assert_equal({stays: "yes"}, Rperf.labels)
    end
    assert_equal({}, Rperf.labels)
    data = Rperf.stop
    assert_operator data.fetch(:label_sets, []).length, :<=, 2
    refute data.key?(:label_overflow_count)
  end

  def test_a_block_goes_back_to_labels_of_an_earlier_period
    Rperf.start(mode: :cpu)
    Rperf.label(outer: "1") do
      Rperf.label(inner: "2") { Rperf.snapshot(clear: true) }
      assert_equal({outer: "1"}, Rperf.labels)
    end
  end

  def test_the_same_set_has_one_entry_whatever_the_order_and_the_kind_of_its_values
    spent = nil
    data = Rperf.start(mode: :cpu) do
      spent = Rperf.label(a: 1, b: :x) { busy } + Rperf.label(b: "x") { Rperf.label(a: "1") { busy } }
    end
    assert_equal [{}, {a: "1", b: "x"}, {b: "x"}], data[:label_sets]
    assert_spent spent, weights(data)[{a: "1", b: "x"}]
  end

  # What becomes of a value.
  def stored(value)
    Rperf.label(key: value) { Rperf.labels[:key] }
  end

  def test_values_are_texts
    Rperf.start
    assert_equal ["3", "fast", "true", "1.5", "[1, nil]", "-4611686018427387905"],
      [3, :fast, true, 1.5, [1, nil], -4_611_686_018_427_387_905].map { |value| stored(value) }
    assert_equal "3", Rperf.label("text" => 3) { Rperf.labels[:text] }
    assert_equal "quoted \"\"\nline", stored("quoted \"\"\nline")
    assert_equal "", stored("")
    assert_predicate stored("x"), :frozen?
  end

  def test_damaged_and_endless_values_are_tamed
    Rperf.start
    assert_equal "x\u{fffd}y", stored("x\xFFy")
    assert_equal "\u{fffd}", stored("\xE4".b)
    assert_equal "\u{e4}", stored("\xE4".dup.force_encoding("ISO-8859-1"))
    assert_equal "\u{e4}", stored("\u{e4}".encode("UTF-16LE"))
    assert_equal "x" * 4096, stored("x" * 1_000_000)
    assert_predicate stored("\u{20ac}" * 10_000), :valid_encoding?
    assert_equal 1, Rperf.label("k" * 1_000_000 => 1) { Rperf.labels.keys.count { |key| key.length == 4096 } }
  end

  def test_a_value_is_asked_for_its_text_once
    value = Object.new
    def value.to_s = (@count = @count.to_i + 1).to_s
    Rperf.start
    assert_equal "1", stored(value)
    assert_equal "2", stored(value)
  end

  def test_a_text_that_changes_later_changes_nothing
    value = +"abc"
    data = Rperf.start { Rperf.label(request: value) { value << "def" } }
    assert_includes data[:label_sets], {request: "abc"}
  end

  def test_a_value_that_cannot_say_its_text_changes_nothing
    value = Object.new
    def value.to_s = raise(KeyError, "mine")
    Rperf.start
    Rperf.label(before: "1") do
      assert_equal "mine", assert_raises(KeyError) { Rperf.label(a: "x", b: value) { flunk "the block ran" } }.message
      assert_equal({before: "1"}, Rperf.labels)
      error = assert_raises(ArgumentError) { Rperf.label(12 => "x") }
      assert_equal "a label's key must be a Symbol or a String, not 12", error.message
    end
  end

  def test_a_wrong_key_is_an_error_without_a_session_too
    [-> { Rperf.label(12 => "x") { flunk "the block ran" } }, -> { Rperf.label(a: 1, 12 => "x") },
     -> { Rperf.profile(12 => "x") { flunk "the block ran" } }, -> { Rperf.work("import", 12 => "x") { flunk "the block ran" } }].each do |call|
      assert_equal "a label's key must be a Symbol or a String, not 12", assert_raises(ArgumentError, &call).message
    end
    assert_equal :value, Rperf.label(a: 1, "b" => 2) { :value }
    assert_equal :value, Rperf.work("import", a: 1) { :value }
  end

  # Labels belong to the fiber: one that is left in the middle of a block keeps its labels, and its
  # resumer its own.
  def test_fibers_have_labels_of_their_own
    Rperf.start
    fiber = Fiber.new { Rperf.label(a: "1") { Fiber.yield; Rperf.labels } }
    fiber.resume
    assert_equal({}, Rperf.labels)
    assert_equal({a: "1", b: "2"}, Rperf.label(b: "2") { Fiber.new { Rperf.label(a: "1") { Rperf.labels } }.resume })
    assert_equal({a: "1"}, Rperf.label(b: "2") { fiber.resume })
    assert_equal({}, Rperf.labels)
  end

  # Runs fibers in turn: each gives way after a part of its work.
  def in_turn(fibers)
    fibers = fibers.each(&:resume).select(&:alive?) until fibers.empty?
  end

  # Where ticks are late by as much as a fiber's turns take, one has the time of others: the best of
  # a few counts.
  def test_samples_of_fibers_in_turn_carry_their_labels
    tries = 0
    begin
      check_fibers_in_turn
    rescue Minitest::Assertion
      (tries += 1) < 4 ? retry : raise
    end
  end

  def check_fibers_in_turn
    spent = Hash.new(Burning::NOTHING)
    data = Rperf.start(mode: :cpu) do
      in_turn(Array.new(10) do |n|
        part = n < 5 ? 0.01 : 0.03
        Fiber.new { Rperf.label(fiber: n) { 5.times { spent[{fiber: n.to_s}] += busy(part); Fiber.yield } } }
      end)
    end
    sums = weights(data)
    assert_equal spent.keys.sort_by(&:to_s), (sums.keys - [{}]).sort_by(&:to_s)
    spent.each { |labels, time| assert_spent time, sums[labels], labels }
  end

  def in_a(fiber) = fiber.resume

  def in_b = Fiber.yield

  # Each of two fibers does nothing but enter the other one, for so many seconds.
  def switch_for(seconds)
    over = false
    fiber = Fiber.new { Rperf.label(step: "b") { in_b until over } }
    ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    Rperf.label(step: "a") { in_a(fiber) until Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends }
    over = true
    fiber.resume
  end

  # The VM serves interrupts in the fiber that it has entered, and announces the switch afterwards.
  def test_samples_at_a_switch_have_the_labels_of_their_stack
    steps = Hash.new { |all, method| all[method] = [] }
    # On a busy machine one of them may have no tick in a third of a second.
    10.times do
      data = Rperf.start(mode: :cpu, frequency: 5000, signal: false) { switch_for(0.3) }
      sets = data.fetch(:label_sets)
      data[:samples].each { |sample| steps[sample[0].map(&:last).grep(/#in_[ab]\z/).first] |= [sets.fetch(sample[3])[:step]] }
      break if (%w[LabelsTest#in_a LabelsTest#in_b] - steps.keys).empty?
    end
    {"LabelsTest#in_a" => "a", "LabelsTest#in_b" => "b"}.each { |method, step| assert_equal [step], steps[method] }
  end

  def test_threads_may_label_at_the_same_time
    data = Rperf.start(mode: :cpu) do
      threads = Array.new(8) do |thread|
        Thread.new { 2_000.times { |n| Rperf.label(n: n % 50) { assert_equal (n % 50).to_s, Rperf.labels[:n]; Thread.pass if n % 97 == thread } } }
      end
      threads.each(&:join)
    end
    assert_equal 51, data[:label_sets].length
  end

  def test_other_ractors_have_labels_too
    code = <<~RUBY
      Rperf.start
      print Ractor.new { Rperf.label(a: "b") { Rperf.labels.inspect } }.take
      Rperf.stop
      print Ractor.new { Rperf.label(a: "b") { Rperf.labels.inspect } }.take
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-W0", "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_equal [0, '{a: "b"}{}'], [result.code, result.out], result.inspect
    end
  end

  # Fibers of a Ractor that give way to one another, each with a method of its own.
  RACTOR_FIBERS = <<~'RUBY'
    def one = Burning.burn(0.01)
    def two = Burning.burn(0.01)
    data = Rperf.start(mode: :wall) do
      Ractor.new do
        fibers = %i[one two].map { |name| Fiber.new { Rperf.label(step: name) { 10.times { __send__(name); sleep 0.001; Fiber.yield } } } }
        fibers = fibers.each(&:resume).select(&:alive?) until fibers.empty?
      end.take
    end
    sums = Hash.new(0)
    data[:samples].each do |frames, weight, _thread, labels|
      method = frames.map(&:last).find { |name| name.match?(/#(?:one|two)\z/) }
      sums[[method[/\w+\z/], data[:label_sets].fetch(labels)[:step]]] += weight if method
    end
    print sums.sum { |(method, label), weight| method == label ? weight : 0 }.fdiv(sums.values.sum)
  RUBY

  def test_fibers_of_a_ractor
    in_directory do |directory|
      result = run_program(RUBY, "-W0", "-I", Paths::LIB, "-rrperf", "-r", BURNING, "-e", RACTOR_FIBERS, directory:)
      assert_equal 0, result.code, result.inspect
      # (A tick just at a switch may have the labels of the fiber that was left.)
      assert_operator Float(result.out), :>, 0.9
    end
  end

  # Eight Ractors that label at the same time, while the main one takes snapshots.
  def test_ractors_may_label_at_the_same_time
    code = <<~RUBY
      Rperf.start(mode: :wall)
      ractors = Array.new(8) { |r| Ractor.new(r) { |me| 5_000.times { |n| Rperf.label(r: me, n: n) { nil } }; Rperf.labels } }
      50.times { Rperf.snapshot(clear: true) }
      p ractors.map(&:take).uniq
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-W0", "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_equal [0, "[{}]\n"], [result.code, result.out], result.inspect
    end
  end
end
