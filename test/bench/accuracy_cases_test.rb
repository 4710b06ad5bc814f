# frozen_string_literal: true

require "minitest/autorun"
require_relative "../../bench/workloads/workloads"
require_relative "../../bench/accuracy/lib/attribution"
require_relative "../../bench/accuracy/lib/case"
require_relative "../../bench/accuracy/lib/circumstance"
require_relative "../../bench/accuracy/lib/samplers"

# Every case of bench/accuracy by itself: with a profile that knows everything the bench finds no
# error, and in one that was spoilt it finds what was spoilt.
module AccuracyCaseTests
  SECONDS = 0.02

  def self.included(tests)
    Accuracy::Case.all.each do |name, type|
      tests.define_method("test_no_error_in_a_perfect_profile_of_#{name}") { assert_perfect ran(type) }
      tests.define_method("test_the_error_in_a_spoilt_profile_of_#{name}") { assert_spoilt ran(type) }
    end
  end

  private

  def ran(type)
    Workloads.clock = clock
    type.new.tap { |subject| subject.profile(Accuracy::Samplers::Oracle.new(subject), SECONDS) }
  end

  def assert_perfect(subject)
    attribution = attribution(subject, subject.perfect_samples)

    assert_operator subject.truth(attribution).values.sum, :>, 0
    assert_in_delta 0.0, error(subject, attribution), 1e-3
    assert_empty subject.checks(attribution).reject(&:ok?).map(&:to_s)
  end

  # What belongs to the largest method or label is shown as nothing's.
  def assert_spoilt(subject)
    perfect = subject.perfect_samples
    truth = subject.truth(attribution(subject, perfect))
    name, lost = truth.max_by(&:last)
    spoilt = attribution(subject, perfect.map { |sample| charged_to_nothing(sample, subject, name) })

    assert_in_delta lost / truth.values.sum.to_f, error_by(subject, truth, spoilt), 1e-3
  end

  def charged_to_nothing(sample, subject, name)
    frames, weight, thread_seq, label_set = sample
    if subject.class.label_key
      [frames, weight, thread_seq, subject.perfect_label_sets[label_set].value?(name.to_s) ? 0 : label_set]
    else
      [frames.reject { |_path, label| Accuracy::Labels.bare_name(label) == name.to_s }, weight, thread_seq, label_set]
    end
  end

  def attribution(subject, samples)
    type = subject.class
    Accuracy::Attribution.new(samples:, measured: type.measured, one_thread_each: type.one_thread_each,
                              label_sets: subject.perfect_label_sets, label_key: type.label_key)
  end

  def error(subject, attribution) = error_by(subject, subject.truth(attribution), attribution)

  def error_by(subject, truth, attribution)
    Accuracy::Comparison.new(truth:, reported: subject.reported(attribution)).error
  end
end

class AccuracyCpuCasesTest < Minitest::Test
  include AccuracyCaseTests

  def clock = :cpu

  # What a case sleeps is no time of its methods in cpu mode; nor is what it waits for a processor.
  def test_a_wait_costs_little
    began = Workloads.monotonic_ns
    cost = ran(Accuracy::Cases::SleepWithoutGvl).costs.fetch(:sleep_without_gvl)

    assert_operator cost, :<, (Workloads.monotonic_ns - began) / 5
  end

  def test_a_length_is_cpu_time
    Workloads.clock = :cpu
    length = Accuracy::Length.new(0.05, wall_limit: 60)
    sleep 0.06

    refute_predicate length, :over?
    Workloads.burn_thread_cpu(50_000_000)
    assert_predicate length, :over?
    assert_operator length.spent, :>=, 0.05
  end

  def test_a_length_ends_at_its_limit_in_wall_time
    Workloads.clock = :cpu
    length = Accuracy::Length.new(1_000, wall_limit: 0.001)
    sleep 0.002

    assert_predicate length, :over?
    refute_predicate Accuracy::Length.new(1_000, wall_limit: 60), :over?
  end
end

class AccuracyWallCasesTest < Minitest::Test
  include AccuracyCaseTests

  def clock = :wall

  def test_a_wait_costs_what_it_takes
    assert_operator ran(Accuracy::Cases::SleepWithoutGvl).costs.fetch(:sleep_without_gvl), :>=, 3_000_000
  end

  def test_a_length_is_wall_time
    Workloads.clock = :wall
    length = Accuracy::Length.new(0.001)
    sleep 0.002

    assert_predicate length, :over?
    refute_predicate Accuracy::Length.new(60), :over?
  end
end

class AccuracyCaseRulesTest < Minitest::Test
  def test_a_label_that_leaks_is_found_by_method_too
    Workloads.clock = :cpu
    subject = Accuracy::Cases::Server.new
    subject.run(0.02)
    leaked = subject.perfect_samples.map { |frames, weight, thread_seq, label_set| [frames, weight, thread_seq, [label_set, 1].min] }
    checks = subject.checks(Accuracy::Attribution.new(samples: leaked, measured: subject.class.measured,
                                                      label_sets: subject.perfect_label_sets, label_key: :request))

    assert_equal ["time by method"], checks.reject(&:ok?).map(&:name)
  end

  def test_programs_without_their_method_are_counted
    subject = Accuracy::Cases::ShortPrograms.new
    subject.run(0.2)
    perfect = subject.perfect_samples

    assert_equal 3, perfect.size
    assert_empty failing(subject, perfect)
    assert_equal ["programs with their method"], failing(subject, perfect.drop(1))
    subject.circumstance = Accuracy::Circumstance::ALL.fetch("two")
    assert_empty failing(subject, perfect.drop(1))
    assert_equal ["programs with their method"], failing(subject, perfect.drop(2))
  end

  def test_more_ticks_than_expected_are_no_error_of_programs
    subject = Accuracy::Cases::ShortPrograms.new
    subject.run(0.1)
    twice = Accuracy::Attribution.new(samples: subject.perfect_samples * 2, measured: subject.class.measured)

    assert_equal subject.costs, subject.reported(twice)
  end

  # In a process of its own: once a Ractor was freed, as other tests have it, Ruby tells no hook of
  # the collector.
  def test_the_collectors_time_is_on_the_clock_of_the_mode
    library = File.expand_path("../../bench/workloads/workloads.rb", __dir__)
    program = "Workloads.clock = :wall; p Workloads.collector_cost { GC.start }, Workloads.collector_cost { nil }"
    wall, nothing = IO.popen([RbConfig.ruby, "-r", library, "-e", program], &:read).split.map(&:to_i)

    assert_operator wall, :>, 10_000
    assert_operator nothing, :<=, wall
  end

  def test_calls_without_a_clock_are_left_out_where_threads_wait_for_processors
    type = Accuracy::Cases::EqualCalls

    assert type.fits?(mode: "wall", circumstance: Accuracy::Circumstance::ALL.fetch("pinned"), sampler: "tick")
    assert type.fits?(mode: "cpu", circumstance: Accuracy::Circumstance::ALL.fetch("two"), sampler: "tick")
    refute type.fits?(mode: "wall", circumstance: Accuracy::Circumstance::ALL.fetch("two"), sampler: "tick")
  end

  private

  def failing(subject, samples)
    attribution = Accuracy::Attribution.new(samples:, measured: subject.class.measured)
    subject.checks(attribution).reject(&:ok?).map(&:name)
  end
end
