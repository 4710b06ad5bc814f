# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/documents"
require_relative "../support/listening"
require_relative "../support/program"
require_relative "../support/push_server"

# What an agent says on stderr, and its program beside it.
class AgentSentencesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  SHORT = /^rperf: no profile of this process: it has ended within 5 s$/

  # Runs a program with an agent by the environment alone.
  def run_with_agent(url, program, **env)
    in_directory do |directory|
      write_file(directory, "app.rb", program)
      env = {"RPERF_PUSH_PERIOD" => "1", "RPERF_PUSH_URL" => url, **env.transform_keys(&:to_s)}
      run_program(RUBY, "-I", Paths::LIB, "-rrperf/agent", "app.rb", directory:, env:)
    end
  end

  def test_a_short_program
    assert_match(SHORT, run_with_agent("pprof+http://127.0.0.1:#{Listening.free_port}", "1").err)
  end

  def test_a_short_program_whose_profile_was_refused
    refusing = PushServer.new { [400, {}, "no"] }
    result = run_with_agent("pprof+http://127.0.0.1:#{refusing.port}", "Rperf::Agent.flush(timeout: 60) until Rperf::Agent.status[:destinations].values.first[:last_error]")
    assert_match(/ refuses a profile \(400 no\); it is dropped$/, result.err)
    refute_match(SHORT, result.err)
  ensure
    refusing&.close
  end

  def test_a_process_that_is_not_in_the_share
    result = run_with_agent("file:%t.json", "p Rperf::Agent.status.values_at(:session, :problem)", RPERF_SHARE: "0")
    problem = "today other processes record (share: 0.0)"
    assert_equal "[false, #{problem.inspect}]\n", result.out
    assert_match(/\Arperf: profiles of app go to file:\S+, each of 1 s, but not now: #{Regexp.escape(problem)}\n\z/, result.err)
  end

  # One line, also with children.
  def test_a_misspelt_variable
    result = run_with_agent("file:%t.json", "Process.wait(fork { puts :child }); puts :done", RPERF_PUSH_PERID: "5")
    assert_equal [0, "child\ndone\n"], [result.code, result.out]
    assert_equal ["rperf: there is no variable RPERF_PUSH_PERID; did you mean 'RPERF_PUSH_PERIOD'?\n"], result.err.lines.grep(/variable/)
  end

  def test_a_wrong_setting_is_one_line_and_the_program_runs
    result = run_with_agent("https://example.org", "puts :done")
    assert_equal [0, "done\n"], [result.code, result.out]
    assert_match(/\Arperf: the agent does not run: RPERF_PUSH_URL must be pyroscope\+https:[^\n]*\n\z/, result.err)
  end

  # As in a container whose environment is the program's.
  def test_the_command_itself_has_no_agent
    in_directory do |directory|
      env = {"RUBYOPT" => "-I#{Paths::LIB} -rrperf -rrperf/agent", "RPERF_PUSH_URL" => "file:%t.json", "RPERF_CONTROL" => "1",
             "RPERF_LISTEN" => "127.0.0.1:0", "RPERF_RECORDER" => "1", "XDG_RUNTIME_DIR" => directory}
      assert_match(/\Arperf: no process of yours has a control socket[^\n]*\n\z/, rperf("ps", directory:, env:).err)
      assert_match(/^ok +ticks|^note +ticks/, rperf("doctor", directory:, env:).out)
      assert_empty Dir.glob("*", base: directory)
    end
  end

  def test_the_document
    in_directory do |directory|
      write_file(directory, "mailer.rb", Documents.file("docs/production.md", "mailer.rb") + "puts :done\n")
      result = run_program(RUBY, "-I", Paths::LIB, "mailer.rb", directory:)
      assert_equal [0, "done\n"], [result.code, result.out]
      assert_equal "rperf: profiles of shop-mailer go to pyroscope+https://profiles.example.org:443, each of 60 s at 99 Hz\n", result.err.lines.first
    end
  end
end
