# frozen_string_literal: true

require_relative "../support/program"

# What a program sees of rperf in other Ractors than the main one.
class RactorsTest < Minitest::Test
  include ProgramSupport

  # What each call does in another Ractor, one line each.
  def in_ractor(*calls, session: false)
    in_directory do |directory|
      program = write_file(directory, "program.rb", <<~RUBY)
        Warning[:experimental] = false
        Rperf.start(mode: :wall) if #{session}
        #{calls.map { |call| "p(Ractor.new { #{call} rescue [$!.class, $!.message] }.take)" }.join("\n")}
        p Rperf.stop.class
      RUBY
      result = run_program(RUBY, "-I#{File.join(ROOT, "lib")}", "-rrperf", program, directory:)
      assert_predicate result.code, :zero?, result.inspect
      result.out.lines(chomp: true)
    end
  end

  def refusal(method)
    [Rperf::Error, "Rperf.#{method} works in the main Ractor only: call it there; a session sees the threads of all Ractors"].inspect
  end

  def test_sessions_belong_to_the_main_ractor
    calls = {"start" => "Rperf.start", "stop" => "Rperf.stop", "snapshot" => "Rperf.snapshot",
             "save" => "Rperf.save('x.json', {samples: []})", "load" => "Rperf.load('x.json')"}
    refusals = calls.keys.map { |name| refusal(name) }
    assert_equal [*refusals, "NilClass"], in_ractor(*calls.values)
    assert_equal [*refusals, "Rperf::DataHash"], in_ractor(*calls.values, session: true)
  end

  def test_labels_belong_to_every_ractor
    assert_equal ['{step: "one"}', "Rperf::DataHash"], in_ractor("Rperf.label(step: :one) { Rperf.labels }", session: true)
  end
end
