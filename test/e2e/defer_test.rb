# frozen_string_literal: true

require_relative "../support/program"

# Rperf.profile, and sessions with `defer: true`, in which only its blocks are profiled. With each timer and sampler.
class DeferTest < Minitest::Test
  include ProgramSupport

  # What time inside of blocks may be off by, in nanoseconds: a tick or two for each thread, and the machine's load.
  TOLERANCE = 15_000_000
  TIMERS = {
    "reader" => [{}, {}],
    "task clocks" => [{"RPERF_TIMER" => "perf"}, {}],
    "without signals" => [{}, {signal: false}]
  }.freeze

  def teardown
    Rperf.stop
  end

  # Computes for so many seconds of CPU time, however loaded the machine is.
  def inside(seconds) = burn(seconds)
  def outside(seconds) = burn(seconds)

  def burn(seconds)
    finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
    # Asking for the time is a system call: few of them, as ticks do not come in the kernel.
    500.times { |number| number ^ 1 } while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
  end

  # The weight of all samples with this method anywhere, or of all.
  def weight(data, label = nil)
    data[:samples].sum { |frames, weight| label.nil? || frames.any? { |frame| frame[1] == "DeferTest##{label}" } ? weight : 0 }
  end

  def with_env(env)
    before = env.to_h { |name, _value| [name, ENV[name]] }
    ENV.update(env)
    yield
  ensure
    ENV.update(before)
  end

  # What the work looks like in a deferred session, with each timer: [[name, data], ...].
  def deferred(**options, &work)
    TIMERS.map do |name, (env, more)|
      [name, with_env(env) { Rperf.start(defer: true, **options, **more, &work) }]
    end
  end

  def test_only_blocks_are_profiled
    results = deferred(mode: :cpu) { 3.times { outside(0.02); Rperf.profile { inside(0.04) }; outside(0.02) } }
    results.each do |name, data|
      assert_in_delta 120_000_000, weight(data, "inside"), TOLERANCE, name
      assert_operator weight(data, "outside"), :<=, 2_000_000, name
      assert_includes data[:comments], "deferred: Rperf.profile blocks only"
      assert_equal 1, data[:detected_thread_count], name
    end
  end

  def test_without_a_block_nothing_is_recorded
    deferred(mode: :wall) { outside(0.03); sleep 0.01; GC.start; Thread.new { outside(0.01) }.join }.each do |name, data|
      assert_empty data[:samples], name
      assert_empty data[:dropped], name
      assert_equal [0, 0, 0], data.values_at(:trigger_count, :sampling_count, :detected_thread_count), name
    end
  end

  # Blocks much shorter than a tick, as often as not without one: together they are right.
  def test_many_short_blocks_are_measured_as_one_long_one
    results = deferred(mode: :cpu) do
      400.times { Rperf.profile { one(0.0002); three(0.0006) }; outside(0.0002) }
    end
    results.each do |name, data|
      spent = %w[one three].map { |label| weight(data, label) }
      assert_in_delta 320_000_000, weight(data), 40_000_000, name
      # The kernel swallows ticks of task clocks, and at safepoints long C calls come first.
      next unless name == "reader"
      assert_operator spent.sum, :>=, weight(data) * 0.9, "#{name}: #{spent}"
      assert_in_delta 0.25, spent[0] / spent.sum.to_f, 0.12, name
    end
  end

  def one(seconds) = burn(seconds)
  def three(seconds) = burn(seconds)

  def test_waiting_inside_of_a_block_is_measured
    deferred(mode: :wall) { sleep 0.05; Rperf.profile { nap(0.08) }; sleep 0.05 }.each do |name, data|
      assert_in_delta 80_000_000, weight(data, "nap"), TOLERANCE, name
      assert_in_delta 80_000_000, weight(data), TOLERANCE, name
    end
  end

  def nap(seconds) = sleep(seconds)

  def test_collections_count_inside_of_blocks_only
    deferred(mode: :cpu) { GC.start; Rperf.profile { 5.times { GC.start } }; GC.start }.each do |name, data|
      collections = data[:samples].select { |frames,| frames.first[0] == "<GC>" }
      refute_empty collections, name
      collections.each { |frames,| assert_includes frames.map { |frame| frame[1] }, "Rperf.profile", name }
    end
  end

  def test_only_threads_in_a_block_are_profiled
    results = deferred(mode: :cpu) do
      other = Thread.new { outside(0.06) }
      Rperf.profile do
        started_inside = Thread.new { outside(0.02) }
        [Thread.new { Rperf.profile { inside(0.03) } }, started_inside].each(&:join)
        inside(0.03)
      end
      other.join
    end
    results.each do |name, data|
      assert_in_delta 60_000_000, weight(data, "inside"), TOLERANCE, name
      assert_equal 0, weight(data, "outside"), name
      assert_equal 2, data[:samples].map { |sample| sample[2] }.uniq.length, name
    end
  end

  def test_a_thread_has_one_number_in_all_its_blocks
    data = Rperf.start(defer: true) { 5.times { Rperf.profile { inside(0.01) }; Thread.new { Rperf.profile { inside(0.005) } }.join } }
    assert_equal 6, data[:detected_thread_count]
    threads = data[:samples].select { |frames,| frames.any? { |frame| frame[1] == "DeferTest#inside" } }.group_by { |sample| sample[2] }
    assert_in_delta 50_000_000, threads.values.map { |samples| samples.sum { |sample| sample[1] } }.max, TOLERANCE
  end

  def test_blocks_may_be_nested
    data = Rperf.start(defer: true) do
      Rperf.profile { Rperf.profile { inside(0.02) }; inside(0.02) }
      outside(0.02)
    end
    assert_in_delta 40_000_000, weight(data, "inside"), TOLERANCE
    assert_operator weight(data, "outside"), :<=, 2_000_000
  end

  def test_the_blocks_value_and_its_ways_out
    Rperf.start(defer: true)
    assert_equal 5, Rperf.profile { 5 }
    assert_raises(KeyError) { Rperf.profile { raise KeyError } }
    assert_equal(:thrown, catch(:out) { Rperf.profile { throw :out, :thrown } })
    assert_equal :broken, Rperf.profile { break :broken }
    outside(0.03)
    assert_operator weight(Rperf.stop), :<=, 2_000_000
  end

  def test_a_block_is_needed
    assert_equal "Rperf.profile needs a block: the code to profile", assert_raises(ArgumentError) { Rperf.profile(a: 1) }.message
  end

  def test_a_labelled_scope
    data = Rperf.start(defer: true) do
      Rperf.label(outer: "1") do
        Rperf.profile(step: "one") { inside(0.03) }
        outside(0.01)
      end
      Rperf.profile(step: "two") { Rperf.label(more: "x") { inside(0.03) } }
    end
    sets = data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[data[:label_sets][sample[3]]] += sample[1] }
    assert_in_delta 30_000_000, sets[{outer: "1", step: "one"}], TOLERANCE
    assert_in_delta 30_000_000, sets[{step: "two", more: "x"}], TOLERANCE
    assert_operator sets[{outer: "1"}] + sets[{}], :<=, 2_000_000
  end

  def test_without_defer_it_labels
    data = Rperf.start(mode: :cpu) { Rperf.profile(step: "one") { inside(0.03) }; outside(0.03) }
    assert_operator weight(data, "outside"), :>, 15_000_000
    assert_includes data[:label_sets], {step: "one"}
  end

  def test_without_a_session_it_only_calls_the_block
    assert_equal [7, {}], Rperf.profile(a: 1) { [7, Rperf.labels] }
  end

  def test_sessions_that_begin_and_end_inside_of_a_block
    Rperf.profile { Rperf.start(defer: true); outside(0.02) }
    assert_equal 0, weight(Rperf.stop)
    Rperf.start(defer: true)
    data = Rperf.profile do
      inside(0.03)
      Rperf.stop.tap { Rperf.start(defer: true); outside(0.02) }
    end
    assert_in_delta 30_000_000, weight(data, "inside"), TOLERANCE
    assert_equal 0, weight(Rperf.stop)
  end

  def test_snapshots_inside_and_outside
    Rperf.start(defer: true)
    parts = Array.new(4) do
      Rperf.profile { inside(0.02); @part = Rperf.snapshot(clear: true); inside(0.01) }
      outside(0.01)
      [@part, Rperf.snapshot(clear: true)]
    end
    total = [*parts.flatten, Rperf.stop].sum { |part| weight(part, "inside") }
    assert_in_delta 120_000_000, total, TOLERANCE
  end

  def test_a_fork_inside_of_a_block
    Rperf.start(defer: true)
    data = Rperf.profile do
      pid = fork { exit!(Rperf.profile { Rperf.running? } ? 1 : 0) }
      assert_equal 0, Process.wait2(pid).last.exitstatus
      inside(0.02)
      Rperf.stop
    end
    assert_in_delta 20_000_000, weight(data, "inside"), TOLERANCE
  end

  def test_the_environment_and_the_option
    code = "def inside = burn; def outside = burn; def burn = 2_000_000.times { |n| n ^ 1 }; outside; Rperf.profile(job: 'x') { inside }"
    in_directory do |directory|
      run_program(RUBY, RPERF, "record", "--defer", "-o", "a.json", RUBY, "-rrperf", "-e", code, directory:)
      run_program(RUBY, "-I", File.join(ROOT, "lib"), "-rrperf", "-e", code, directory:,
        env: {"RPERF_ENABLED" => "1", "RPERF_DEFER" => "1", "RPERF_OUTPUT" => "b.json"})
      %w[a.json b.json].each do |name|
        data = Rperf.load(File.join(directory, name))
        labels = data[:samples].flat_map { |frames,| frames.map { |frame| frame[1] } }
        assert_includes labels, "Object#inside", name
        refute_includes labels, "Object#outside", name
        assert_includes data[:label_sets], {job: "x"}
      end
    end
  end

  # Between blocks: no ticks, and hardly a wake-up. The worker looks a few times more before it rests.
  def test_between_blocks_nothing_wakes
    TIMERS.each do |name, (env, more)|
      with_env(env) do
        Rperf.start(defer: true, mode: :wall, **more)
        Rperf.profile { inside(0.01) }
        outside(0.2)
        Rperf.snapshot(clear: true)
        before = switches_of_worker
        outside(0.3)
        woken = switches_of_worker - before
        assert_equal 0, Rperf.stop[:trigger_count], name
        assert_operator woken, :<=, 2, name
      end
    end
  end

  # How often the worker's thread went to sleep so far.
  def switches_of_worker
    task = Dir["/proc/self/task/*"].find { |path| File.read("#{path}/comm").start_with?("rperf") }
    File.read("#{task}/status")[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i
  end
end
