# frozen_string_literal: true

require_relative "../support/paths"
require_relative "../support/program"

# What the agent has of a program whose sessions begin and end, and of its end.
class AgentSessionsTest < Minitest::Test
  include ProgramSupport

  BEGINNING = <<~RUBY
    require "rperf/agent"
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def burn(seconds, till = now + seconds) = (9.to_s while now < till)
    def later = burn(0.5)
  RUBY

  def run_agent(text, directory)
    write_file(directory, "app.rb", BEGINNING + text)
    run_program(RUBY, "-I", Paths::LIB, "app.rb", directory:)
  end

  # Long before the period ends.
  def test_it_goes_on_soon_after_a_session_of_the_program
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        Rperf::Agent.start(push: "file:%t.json", mode: :cpu, period: 600)
        burn(0.6)
        Rperf.start(mode: :cpu)
        Rperf.stop
        till = now + 20
        sleep 0.02 until Rperf.running? || now > till
        later
        Rperf::Agent.stop(timeout: 20)
      RUBY
      assert_equal 0, result.code, result.err
      samples = Dir.glob("*.json", base: directory).flat_map { |name| Rperf.load(File.join(directory, name))[:samples] }
      seen = samples.sum { |frames, weight| frames.any? { |_path, label| label == "Object#later" } ? weight : 0 }
      assert_operator seen, :>, 0.1e9
    end
  end

  # A process that is younger than five seconds leaves nothing.
  def test_the_last_profile_waits_in_the_spool_where_the_server_is_away
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        Rperf::Agent.start(push: "pprof+http://127.0.0.1:9", spool: "spool", mode: :cpu, period: 600)
        burn(0.6)
        Rperf::Agent.flush(timeout: 1)
        till = now + 20
        sleep 0.02 until Rperf::Agent.status[:destinations].values.first[:last_error] || now > till
        burn(5)
      RUBY
      assert_equal 0, result.code, result.err
      assert_equal 2, Dir.glob("spool/*.request", base: directory).length
    end
  end
end
