# frozen_string_literal: true

require_relative "../support/program"

# Rperf.label and Rperf.labels, in this process.
class LabelsTest < Minitest::Test
  include ProgramSupport

  def teardown
    Rperf.stop
  end

  # Computes for so many seconds of CPU time, however loaded the machine is.
  def busy(seconds = 0.03)
    finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
    nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
  end

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
    data = Rperf.start(mode: :cpu) do
      Rperf.label(step: "one") { busy(0.06) }
      Rperf.label(step: "two") { busy(0.03) }
      busy(0.03)
    end
    sums = weights(data)
    assert_equal [{}, {step: "one"}, {step: "two"}], data[:label_sets]
    assert_operator sums[{step: "one"}], :>, sums[{step: "two"}]
    assert_operator sums[{step: "two"}], :>, 0
    assert_operator sums[{}], :>, 0
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

  def test_a_label_for_every_request_is_bounded_and_counted
    data = Rperf.start(mode: :cpu) do
      (Rperf::LabelSets::MAX_SETS + 100).times { |number| Rperf.label(request: number.to_s) { nil } }
    end
    assert_equal Rperf::LabelSets::MAX_SETS + 1, data[:label_sets].length
    assert_equal 101, data[:label_overflow_count]
  end

  def test_other_ractors_are_left_alone
    code = <<~RUBY
      require "rperf"
      Rperf.start
      print Ractor.new { Rperf.label(a: "b") { Rperf.labels.inspect } }.take
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-W0", "-I", File.join(ROOT, "lib"), "-e", code, directory:)
      assert_equal [0, "{}"], [result.code, result.out], result.inspect
    end
  end
end
