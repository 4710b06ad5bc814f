# frozen_string_literal: true

require_relative "../support/program"

# What rperf has to say finds no room on stderr: the program does not notice. (/dev/full is Linux's
# disk without room.)
class FullStderrTest < Minitest::Test
  include ProgramSupport

  LIBRARY = ["-I", Paths::LIB, "-rrperf"].freeze

  # What a program prints whose stderr is full from its beginning on.
  def printed(*words, env: {})
    in_directory do |directory|
      result = run_program("/bin/sh", "-c", "exec \"$0\" \"$@\" 2>/dev/full", RUBY, *LIBRARY, *words, directory:, env:)
      assert_equal 3, result.code, result.inspect
      return result.out
    end
  end

  def test_settings_of_the_environment
    settings = {"RPERF_PUSH_URL" => ["file:%t.pb.gz", "nonsense"], "RPERF_CONTROL" => ["maybe"], "RPERF_RECORDER" => ["nonsense"],
                "RPERF_MODE" => ["nonsense"]}
    settings.each do |name, values|
      values.each { |value| assert_equal "ran\n", printed("-e", "puts :ran; exit 3", env: {name => value, "RPERF_ENABLED" => "1"}) }
    end
  end

  # The exit status is for scripts, also where the sentence has no room.
  def test_commands_end_with_their_status
    in_directory do |directory|
      write_file(directory, "a.collapsed", "main;work 5000000000\n")
      write_file(directory, "b.collapsed", "main;work 90000000000\n")
      {%w[] => 2, %w[record -f 0 x] => 2, %w[report --top missing] => 1, %w[report --top --focus nothing a.collapsed] => 0,
       %w[report --html p.html a.collapsed] => 0, %w[diff --fail-above 5 a.collapsed b.collapsed] => 3, %w[ps] => 0}.each do |words, status|
        ["2>/dev/full", "2>&-"].each do |to|
          result = run_program("/bin/sh", "-c", "exec \"$0\" \"$@\" #{to}", RUBY, "--disable-gems", RPERF, *words, directory:)
          assert_equal status, result.code, [words, to].inspect
        end
      end
    end
  end

  def test_a_program_that_forks
    code = <<~RUBY
      Rperf::Agent.start(push: "file:%t.pb.gz")
      $stderr.reopen("/dev/full")
      Process.wait(fork { puts "child" })
      puts $?.exitstatus
      exit 3
    RUBY
    assert_equal "child\n0\n", printed("-rrperf/agent", "-e", code)
  end

  def test_a_session_of_the_program_s_own
    code = <<~RUBY
      p Rperf.start(verbose: true) { 1 }.key?(:samples)
      begin
        Rperf.start(output: "/dev/full") { raise KeyError }
      rescue KeyError
        exit 3
      end
    RUBY
    assert_equal "true\n", printed("-e", code)
  end

  def test_a_log_of_the_program_s_that_fails
    code = <<~RUBY
      log = Object.new
      def log.info(*) = raise("no log")
      def log.warn(*) = raise("no log")
      Rperf::Agent.start(push: "file:%t.pb.gz", logger: log)
      p Rperf::Agent.running?
      exit 3
    RUBY
    assert_equal "true\n", printed("-rrperf/agent", "-e", code)
  end
end
