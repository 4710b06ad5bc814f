# frozen_string_literal: true

require "json"
require_relative "../support/on_terminal"

# `rperf doctor` on this machine, and where something is missing.
class DoctorE2ETest < Minitest::Test
  include OnTerminal

  def doctor(*words, **env)
    in_directory { |directory| rperf("doctor", *words, directory:, env: env.transform_keys(&:to_s)) }
  end

  def test_what_works_here
    result = doctor("--json")
    assert_equal ["", 0], [result.err, result.code], result.out
    findings = JSON.parse(result.out).fetch("findings").to_h { |finding| [finding["subject"], finding] }
    assert_equal "poll: stacks are read from outside, at the tick", findings.dig("engine", "text")
    %w[ruby engine layout native alloc heap malloc].each { |subject| assert_equal "ok", findings.dig(subject, "verdict"), subject }
    assert_equal RUBY_DESCRIPTION, findings.dig("ruby", "text")
    assert_match(/\Aproved: context at byte \d+ of a thread, frames of (?:56|64) bytes\z/, findings.dig("layout", "text"))
    assert_match(/\A--native shows functions of libraries \(perf_event_paranoid is -?\d+\)\z/, findings.dig("native", "text"))
    assert_match(/\A[1-9]\d* of 300 in 0.3 s at 1000 Hz\z/, findings.dig("ticks", "text"))
    assert_match(/\A\d+ us of CPU time a tick: \d+\.\d% of a processor at 1000 Hz\z/, findings.dig("cost", "text"))
    assert_equal findings.keys, doctor.out.scan(/^(?:ok|note|bad) +(\S+(?: \S+)*)  /).flatten
  end

  def test_a_ruby_whose_frames_are_not_known
    result = doctor(RPERF_LAYOUT_PROOF: "fail")
    assert_equal ["", 1], [result.err, result.code]
    assert_match(/^bad   engine +safepoint: rperf cannot prove how this Ruby lays out its frames\n +Report this Ruby/, result.out)
  end

  def test_native_functions_need_the_engine
    assert_match(/^note  native +--native shows nothing: it needs the engine poll/, doctor(RPERF_LAYOUT_PROOF: "fail").out)
  end

  # What the variable asks for is said, and not done.
  def test_an_environment_that_starts_sessions
    in_directory do |directory|
      result = rperf("doctor", directory:, env: {"RPERF_ENABLED" => "1", "RPERF_CONTROL" => "1"})
      assert_equal ["", 0], [result.err, result.code]
      assert_includes result.out, "RPERF_ENABLED"
      assert_empty Dir.children(directory) - %w[.stdout .stderr]
    end
  end

  def test_objects_that_cannot_be_watched
    result = doctor(RPERF_ALLOCATION_PROOF: "fail")
    assert_equal 0, result.code
    assert_match(/^note  alloc +event: /, result.out)
    assert_match(/^note  malloc +--malloc is not possible/, result.out)
  end

  def test_sentences_fit_on_a_terminal
    in_directory do |directory|
      text = on_terminal!("doctor", directory:, env: {"RPERF_ALLOCATION_PROOF" => "fail"})
      assert_fits text
      assert_match(/^note  malloc      --malloc is not possible: rperf does not see all that this\n {18}Ruby takes from malloc\(3\)$/, text)
    end
  end

  def test_words_that_it_does_not_know
    result = doctor("app.rb")
    assert_equal ["rperf: 'rperf doctor' takes no arguments, but got 'app.rb'\n", 2], [result.err, result.code]
  end
end
