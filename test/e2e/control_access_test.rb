# frozen_string_literal: true

require "rperf/control/client"
require_relative "../support/controlled"
require "rperf/control/socket_directory"

# Who reaches the control socket of a process, and what is refused there.
class ControlAccessTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  # A user that is none of ours, nor root; tests run as root where they try this.
  STRANGER = 65_534

  def test_rights
    controlled do |program, directory|
      assert_equal [0o700, 0o600], [File.dirname(socket(program, directory)), socket(program, directory)].map { |path| File.stat(path).mode & 0o777 }
    end
  end

  def test_another_user_is_refused_by_mode
    controlled do |program, directory|
      File.chmod(0o755, directory)
      assert_equal "Errno::EACCES", as_stranger { UNIXSocket.new(socket(program, directory)) }
    end
  end

  def test_another_user_is_told_who_may
    controlled do |program, _directory|
      sentence = "process #{program.pid} belongs to another user, who alone may control it: run rperf as that user"
      assert_equal sentence, as_stranger { assert_raises(Rperf::Error) { Rperf::Control::Client.of(program.pid) }.message }
    end
  end

  # As a server's workers do. Root sees the process in `rperf ps`, and reaches it.
  def test_a_process_that_has_given_up_its_rights
    controlled("Process::UID.change_privilege(#{STRANGER})\n#{BUSY}") do |program, directory|
      assert_match(/^ *#{program.pid} /, control!("ps", directory:))
      assert_equal program.pid, status(program, directory:)[:pid]
    end
  end

  # Where the modes let another user in, the process itself refuses.
  def test_another_user_is_refused_by_the_process
    controlled do |program, directory|
      path = socket(program, directory)
      File.chmod(0o755, directory, File.dirname(path))
      File.chmod(0o666, path)
      answer = as_stranger { ask(path, "GET", "/status").inspect }
      assert_equal [403, "this process belongs to another user, who alone may control it\n"].inspect, answer
      assert_equal 200, ask(path, "GET", "/status").first
    end
  end

  def test_a_link_in_place_of_the_directory
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "elsewhere"), 0o700)
      File.symlink(File.join(directory, "elsewhere"), File.join(directory, "rperf"))
      assert_refused(directory, "it is no directory")
      assert_empty Dir.children(File.join(directory, "elsewhere"))
    end
  end

  def test_a_directory_that_others_can_write_to
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "rperf"))
      File.chmod(0o777, File.join(directory, "rperf"))
      assert_refused(directory, "other users have rights there")
    end
  end

  def test_a_directory_of_another_user
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "rperf"), 0o700)
      File.chown(STRANGER, nil, File.join(directory, "rperf"))
      assert_refused(directory, "it belongs to another user")
    end
  end

  # As `sudo` may leave it.
  def test_the_runtime_directory_of_another_user_is_not_used
    in_directory do |directory|
      File.chown(STRANGER, nil, directory)
      text = "print Rperf::Control.addresses.first"
      path = run_program(RUBY, "-rrperf", "-e", text, directory:, env: environment(directory)).out
      assert_match(%r{/rperf-#{Process.euid}/\d+\.sock\z}, path)
      refute_path_exists File.join(directory, "rperf")
    end
  end

  def test_a_path_that_is_too_long
    in_directory do |directory|
      long = File.join(directory, "a" * 100)
      Dir.mkdir(long)
      result = run_program(RUBY, "-rrperf", "-e", "puts 1", directory:, env: environment(long))
      assert_equal [0, "1\n"], [result.code, result.out]
      assert_match(/\Arperf: the program cannot be controlled: cannot listen at .*too long unix socket path.*; set XDG_RUNTIME_DIR to a directory with a shorter path\n\z/,
        result.err)
      asked = rperf("status", Process.pid.to_s, directory:, env: environment(long))
      assert_equal [1, "rperf: process #{Process.pid} has no control socket: load rperf in it, and call Rperf::Control.start or set RPERF_CONTROL=1\n"], [asked.code, asked.err]
    end
  end

  def test_a_wrong_setting
    in_directory do |directory|
      result = run_program(RUBY, "-rrperf", "-e", "puts 1", directory:, env: {**environment(directory), "RPERF_CONTROL" => "maybe"})
      assert_equal [0, "1\n"], [result.code, result.out]
      assert_equal "rperf: the program cannot be controlled: RPERF_CONTROL must be true or false (1 or 0), not \"maybe\"\n", result.err
    end
  end

  def test_requests_that_make_no_sense
    controlled do |program, directory|
      path = socket(program, directory)
      {["GET", "/nothing"] => [404, "there is nothing here; rperf answers /status"], ["GET", "/start"] => [405, "only POST is possible here"],
       ["POST", "/status"] => [405, "only GET or HEAD is possible here"], ["GET", "/status?x=1"] => [400, "there is no parameter \"x\" here; there is none"],
       ["POST", "/start?frequency=1001"] => [400, "frequency must be a whole number from 1 to 1000 (Hz), not 1001"],
       ["POST", "/start?seconds=0"] => [400, "seconds must be a whole number from 1 to 600 (seconds), not 0"],
       ["POST", "/start?output=x"] => [400, "there is no parameter \"output\" here"], ["POST", "/start?aggregate=false"] => [400, "there is no parameter"],
       ["POST", "/start?mode=heat"] => [400, "mode must be"], ["POST", "/start?mode=heap&frequency=5"] => [400, "frequency: (--frequency) belongs to"],
       ["POST", "/start?%FF%0A=1"] => [400, "there is no parameter \"\uFFFD\\n\" here"], ["POST", "/stop?format=pdf"] => [400, "format must be"]}.each do |request, (code, sentence)|
        status, body = ask(path, *request)
        assert_equal [code, true], [status, body.start_with?(sentence)], "#{request}: #{body}"
        assert_equal 1, body.lines.length
      end
      assert_match(/^allow: GET, HEAD\r$/, raw(path, "POST /status HTTP/1.1\r\nHost: localhost\r\n\r\n"))
      assert_nil status(program, directory:)[:session]
    end
  end

  def test_huge_and_slow_requests
    controlled do |program, directory|
      path = socket(program, directory)
      assert_match(/\AHTTP\/1.1 414 /, raw(path, "GET /#{"a" * 20_000}"))
      assert_match(/\AHTTP\/1.1 431 /, raw(path, "GET / HTTP/1.1\r\nA: #{"a" * 20_000}"))
      assert_match(/\AHTTP\/1.1 400 /, raw(path, "POST /stop HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"))
      assert_match(/\AHTTP\/1.1 400 /, raw(path, "what\r\n\r\n"))
      idle = Array.new(40) { UNIXSocket.new(path) }
      assert_equal 200, ask(path, "GET", "/status").first
      assert_equal "", raw(path, "GET / HTTP") # The head does not come in time.
    ensure
      idle&.each(&:close)
    end
  end

  private

  def environment(directory) = {"RUBYLIB" => Paths::LIB, "RPERF_CONTROL" => "1", "XDG_RUNTIME_DIR" => directory}

  # The program runs, and says in one sentence why it has no socket.
  def assert_refused(directory, reason)
    result = run_program(RUBY, "-rrperf", "-e", "puts 1", directory:, env: environment(directory))
    assert_equal [0, "1\n"], [result.code, result.out]
    assert_match(/\Arperf: the program cannot be controlled: cannot make a control socket in .*: #{reason}; .*\n\z/, result.err)
  end

  # What the block returns, or the class of its exception, in a process of another user.
  def as_stranger
    reader, writer = IO.pipe
    child = fork do
      Process::Sys.setgroups([]) if Process::Sys.respond_to?(:setgroups)
      Process::GID.change_privilege(STRANGER)
      Process::UID.change_privilege(STRANGER)
      writer.write(yield)
    rescue SystemCallError => error
      writer.write(error.class)
    ensure
      exit!
    end
    writer.close
    reader.read
  ensure
    Process.wait(child)
  end
end
