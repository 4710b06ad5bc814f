# frozen_string_literal: true

require_relative "support/manual_session"

# The stack of a sample is the one that stood at the tick.
class VmStackTest < Minitest::Test
  include ManualSession

  # Ticks in methods of all kinds.
  module Work
    module_function

    def thrown = throw(:out, Rperf::Native.tick)
    def caught = catch(:out) { thrown }
    def in_c = [Rperf::Native].map(&:tick)
    def escaped = proc { binding && Rperf::Native.tick }
    def after_c = in_c.length
    def in_block = [1].each { |_one| Rperf::Native.tick }
    def in_times = 1.times { Rperf::Native.tick }
    def in_sort = [1].sort_by { |_one| Rperf::Native.tick }
    def in_hash = Hash.new { |_hash, _key| Rperf::Native.tick }[1]
    def deep(depth) = depth.zero? ? Rperf::Native.tick : deep(depth - 1)
  end

  # Something else stands where the frames of the tick stood, and then the tick is interpreted.
  def overwrite = [3, 2, 1].sort_by { |number| [number].map { |one| one.to_s * 3 } }

  def test_a_method_that_was_left_before_the_safepoint
    data = session { Work.caught; overwrite }
    assert_leaf data, "VmStackTest::Work.thrown", "VmStackTest::Work.caught", "Kernel#catch", "VmStackTest::Work.caught"
  end

  def test_a_c_method_that_was_left_before_the_safepoint
    data = session { Work.after_c; overwrite }
    assert_leaf data, "Array#map", "VmStackTest::Work.in_c", "VmStackTest::Work.after_c"
  end

  def test_blocks_and_their_moved_environments_that_were_left
    data = session { Work.escaped.call; overwrite }
    assert_leaf data, "VmStackTest::Work.escaped", "VmStackTest##{__method__}", "ManualSession#session"
  end

  def test_a_tick_that_waits_when_a_thread_ends
    data = session { Thread.new { Work.thrown rescue overwrite }.join }
    assert_equal 1, assert_leaf(data, "VmStackTest::Work.thrown", "VmStackTest##{__method__}").count
  end

  # The same tick, with and without a stack of its own.
  def ticked_then_left
    Rperf::Native.tick
    work = 1
    work
  end

  def test_the_safepoint_engine_sees_the_safepoint
    data = session(signal: false) { ticked_then_left; Native.tick }
    assert_equal :safepoint, data[:engine]
    assert_equal 2, data[:sampling_count]
    data = session { ticked_then_left; Native.tick }
    assert_equal :poll, data[:engine]
    assert_equal ticked_line, assert_leaf(data, "VmStackTest#ticked_then_left").lines.first.first.first
  end

  def ticked_line = method(:ticked_then_left).source_location.last + 1

  def test_blocks_that_c_methods_call
    data = session { Work.in_sort; Work.in_hash }
    sample = assert_leaf(data, "VmStackTest::Work.in_sort", "Enumerable#sort_by", "Array#each", "Enumerable#sort_by", "VmStackTest::Work.in_sort")
    assert_equal [__FILE__, "<C method>", "<C method>", "<C method>", __FILE__], sample[0].first(5).map(&:first)
    assert_leaf data, "VmStackTest::Work.in_hash", "VmStackTest::Work.in_hash", "VmStackTest#test_blocks_that_c_methods_call"
  end

  def test_blocks_that_methods_of_the_core_written_in_ruby_call
    data = session { Work.in_block; Work.in_times }
    assert_leaf data, "VmStackTest::Work.in_block", "Array#each", "VmStackTest::Work.in_block"
    sample = assert_leaf(data, "VmStackTest::Work.in_times", "Integer#times", "VmStackTest::Work.in_times")
    assert_equal "<internal:numeric>", sample[0][1][0]
  end

  def test_callers_are_all_there
    sample = assert_leaf(session { Work.deep(50) }, *["VmStackTest::Work.deep"] * 51)
    assert_equal ["VmStackTest##{__method__}", "ManualSession#session", "VmStackTest##{__method__}"], labels(sample)[51, 3]
    assert_equal caller_locations(0).map(&:base_label).last(5), labels(sample).last(5).map { |label| label[/[^.#]+\z/] }
  end

  # Without the proof the engine is `safepoint`.
  def test_ten_thousand_frames_and_no_more
    code = <<~RUBY
      # Several ticks: a copy that takes long shows the leaf alone.
      def deep(depth) = depth.zero? ? [#{(["Rperf::Native.tick"] * 8).join(", ")}] : deep(depth - 1)
      [false, true].product([9_990, 12_000]) do |proved, depth|
        Rperf::LayoutProof.ensure if proved
        Rperf::Native.start(frequency: 1000, mode: :cpu, signal: nil, aggregate: true, lines: true, manual: true)
        deep(depth)
        data = Rperf::Native.stop.to_h
        # (The collector may run, in a frame more.)
        stacks = data[:samples].map { |frames,| frames.map(&:last) - ["[GC marking]", "[GC sweeping]"] }
        labels = stacks.max_by(&:length)
        puts [data[:engine], labels.length, labels.count("Object#deep"), labels.last].join(" ")
      end
    RUBY
    printed = ruby(code, env: {"RUBY_THREAD_VM_STACK_SIZE" => (16 << 20).to_s}).lines(chomp: true)
    assert_equal %w[safepoint poll].flat_map { |engine| ["#{engine} 9994 9991 <main>", "#{engine} 10000 9999 [truncated]"] },
      printed, "the call of tick itself is a frame too"
  end

  # Its size is address space; what is in use is copied.
  def test_a_large_stack_that_is_hardly_used
    code = "print Rperf.start(mode: :cpu) { }[:engine]"
    assert_equal "poll", ruby(code, env: {"RUBY_THREAD_VM_STACK_SIZE" => (1 << 30).to_s})
  end
end
