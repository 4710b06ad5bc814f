# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Programs whose threads do random things and know what each has cost them: the profile has it at
# the same methods and labels, whatever the process has done before.
class RandomProgramsAccuracyTest < Minitest::Test
  include ProgramSupport

  PROGRAM = File.join(__dir__, "support/random_program.rb")
  CIRCUMSTANCES = %w[alone after_a_session in_a_child beside_ractors].freeze
  PERIOD = 0.001
  # What may be wrong: a part of the time, seconds for each method or label, and what chance
  # explains, in standard deviations. Of 136 programs the worst was wrong by 0.6 of that.
  RELATIVE = 0.1
  EDGES = 0.02
  DEVIATIONS = 4

  %w[cpu wall].product(CIRCUMSTANCES).each_with_index do |(mode, circumstance), seed|
    define_method("test_#{mode}_#{circumstance}") do
      in_directory do |directory|
        result = run_program(RUBY, "-W0", "-I#{Paths::LIB}", PROGRAM, (seed + 1).to_s, mode, circumstance, directory:)
        assert_equal 0, result.code, result.inspect
        found = JSON.parse(result.out)
        %w[methods labels].each { |kind| found.fetch(kind).each { |key, (spent, weight)| assert_near(spent, weight, found["dropped"], "#{kind}: '#{key}'") } }
      end
    end
  end

  private

  def assert_near(spent, weight, dropped, what)
    chance = DEVIATIONS * Math.sqrt([spent, PERIOD].max * PERIOD)
    assert_in_delta spent, weight, RELATIVE * spent + EDGES + chance + dropped, what
  end
end
