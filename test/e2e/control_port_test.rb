# frozen_string_literal: true

require "net/http"
require_relative "../support/controlled"

# The TCP port of a process that is controlled.
class ControlPortTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  BUSY = "#{Controlled::BUSY.sub('puts "ready"', 'puts "ready #{Rperf::Control.addresses.last}"')}\n"

  def test_go_s_pprof
    listening do |url, directory|
      cpu = run_program("go", "tool", "pprof", "-raw", "#{url}/debug/pprof/profile?seconds=2", directory:)
      assert_equal 0, cpu.code, cpu.inspect
      assert_match(/^PeriodType: cpu nanoseconds$/, cpu.out)
      assert_match(/ Object#burn /, cpu.out)
      allocs = run_program("go", "tool", "pprof", "-raw", "#{url}/debug/pprof/allocs?seconds=1", directory:)
      assert_equal 0, allocs.code, allocs.inspect
      # What scrapers ask for as they would ask a program in Go.
      threads = run_program("go", "tool", "pprof", "-raw", "#{url}/debug/pprof/goroutine", directory:)
      assert_equal 0, threads.code, threads.inspect
      assert_match(/^PeriodType: threads count\nPeriod: 1$.* thread:\[main\]$/m, threads.out)
    end
  end

  # The program goes on in another directory, and so does a daemon, whose token may be gone.
  RELATIVE = <<~'RUBY'
    require "rbconfig"
    require "net/http"
    def answer = Net::HTTP.get_response(URI("#{Rperf::Control.addresses.last}/status"), {"Authorization" => "Bearer 0123456789abcdef"}).code
    Rperf::Control.start(listen: "127.0.0.1:0", token_file: "token")
    path = File.absolute_path("token")
    Dir.chdir("/")
    puts answer
    2.times do
      said, says = IO.pipe
      Process.wait(fork { Process.daemon(false, true); says.puts Rperf::Control.running? && answer })
      says.close
      puts said.read
      File.unlink(path) if File.exist?(path)
    end
  RUBY

  def test_a_relative_token_file
    in_directory do |directory|
      write_file(directory, "token", "0123456789abcdef")
      env = {"XDG_RUNTIME_DIR" => directory}
      result = run_program(RUBY, "-I", Paths::LIB, "-r", "rperf/control", "-e", RELATIVE, directory:, env:)
      assert_equal [0, "200\n200\nfalse\n"], [result.code, result.out], result.inspect
      assert_match(/\Arperf: process \d+ cannot be controlled: the token file '#{directory}\/token' cannot be read[^\n]*\n\z/, result.err)
    end
  end

  # A program that starts another one, say, or a server whose workers load the application each.
  def test_a_port_that_another_process_has
    listening do |url, directory|
      env = {"XDG_RUNTIME_DIR" => directory, "RPERF_LISTEN" => url.delete_prefix("http://")}
      both = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", "puts Rperf::Control.addresses", directory:, env: {**env, "RPERF_CONTROL" => "1"})
      sentence = "rperf: cannot listen at #{env["RPERF_LISTEN"]}: Address already in use"
      assert_match(/\A#{directory}\/rperf\/\d+\.sock\n\z/, both.out)
      assert_equal "#{sentence}; process #{both.out[/\d+(?=\.sock)/]} has #{both.out.chomp} alone\n", both.err
      alone = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", "puts Rperf::Control.addresses", directory:, env:)
      assert_equal ["", "#{sentence.sub("rperf:", "rperf: the program cannot be controlled:")}\n"], [alone.out, alone.err]
    end
  end

  def test_what_a_port_without_a_token_refuses
    listening do |url|
      assert_equal ["403", "commands are given through the Unix socket, or with a token\n"], fetch(url, "/start", Net::HTTP::Post)
      assert_equal ["403", "this door answers requests to this machine's own names only\n"], fetch(url, "/status", "Host" => "evil.example")
      assert_equal "200", fetch(url, "/status", "Host" => "localhost:1").first
      assert_equal ["400", "seconds must be a whole number from 1 to 60 (seconds), not 61\n"], fetch(url, "/debug/pprof/profile?seconds=61")
    end
  end

  def test_a_token
    in_directory do |secrets|
      path = write_file(secrets, "token", "0123456789abcdef\n")
      listening("RPERF_TOKEN_FILE" => path) do |url|
        needed = ["401", "this needs the token of the process: Authorization: Bearer TOKEN\n"]
        assert_equal [needed] * 3, [{}, {"Authorization" => "Bearer 0123456789abcdeX"}, {"Authorization" => "0123456789abcdef"}].map { |headers| fetch(url, "/status", **headers) }
        right = {"Authorization" => "Bearer 0123456789abcdef"}
        assert_equal "200", fetch(url, "/start?seconds=60", Net::HTTP::Post, **right).first
        refute_includes fetch(url, "/status", **right).last, "0123456789"
        File.write(path, "fedcba9876543210")
        assert_equal %w[401 200], [right, {"Authorization" => "Bearer fedcba9876543210"}].map { |headers| fetch(url, "/status", **headers).first }
      end
    end
  end

  # The program runs without.
  def test_wrong_settings
    in_directory do |directory|
      short = write_file(directory, "short", "secret")
      {{"RPERF_LISTEN" => "127.0.0.1:70000"} => "must be an address and a port, such as 127.0.0.1:6065, not \"127.0.0.1:70000\"",
       {"RPERF_LISTEN" => "6065"} => "must be an address and a port, such as 127.0.0.1:6065, not \"6065\"",
       {"RPERF_LISTEN" => "0.0.0.0:0"} => "listen: 0.0.0.0:0 can be reached by other machines, and needs a token",
       {"RPERF_LISTEN" => "0.0.0.0:0", "RPERF_TOKEN_FILE" => short} => "the token file '#{short}' cannot be read, or has less than 16 bytes",
       {"RPERF_LISTEN" => "127.0.0.1:0", "RPERF_TOKEN_FILE" => "/none"} => "the token file '/none' cannot be read"}.each do |settings, sentence|
        result = run_program(RUBY, "-rrperf", "-e", "puts Rperf::Control.running?", directory:, env: {"RUBYLIB" => Paths::LIB, **settings})
        assert_equal [0, "false\n"], [result.code, result.out], result.inspect
        assert_match(/\Arperf: the program cannot be controlled: .*#{Regexp.escape(sentence)}.*\n\z/, result.err)
      end
    end
  end

  def test_what_the_program_sets_replaces_what_the_environment_has_started
    program = <<~RUBY
      2.times { Rperf::Control.start(signal: 43) } rescue puts $!.message
      puts Rperf::Control.addresses.map { |address| address.split(%r{/|:\\d+}).last }
      Process.wait(fork { puts Rperf::Control.addresses.length })
    RUBY
    in_directory do |directory|
      env = {"RUBYLIB" => Paths::LIB, "XDG_RUNTIME_DIR" => directory, "RPERF_CONTROL" => "1", "RPERF_LISTEN" => "127.0.0.1:0"}
      result = run_program(RUBY, "-rrperf", "-e", program, directory:, env:)
      assert_equal <<~TEXT, result.out.sub(/^\d+(?=\.sock$)/, "PID"), result.inspect
        control listens already: stop it with Rperf::Control.stop before you start it again
        PID.sock
        signal 43
        127.0.0.1
        2
      TEXT
    end
  end

  def test_wrong_keywords
    program = <<~RUBY
      [{socket: 3}, {socket: false}, {token_file: "token"}].each do |keywords|
        Rperf::Control.start(**keywords)
      rescue ArgumentError => error
        puts error.message
      end
      puts Rperf::Control.running?
      Rperf::Control.start(socket: false, signal: 43)
      puts Rperf::Control.addresses
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-rrperf/control", "-e", program, directory:, env: {"RUBYLIB" => Paths::LIB})
      assert_equal <<~TEXT, result.out, result.inspect
        socket: must be true or false, not 3
        socket: false leaves nothing to listen at: add listen: or signal:, or leave it out
        token_file: is for the port, and none is opened: add listen:, or leave it out
        false
        signal 43
      TEXT
    end
  end

  private

  def listening(env = {})
    controlled(BUSY, env: {"RPERF_CONTROL" => "0", "RPERF_LISTEN" => "127.0.0.1:0", **env}) do |program, directory|
      program.await_output("\n")
      yield program.out[/http:\S+/], directory
    end
  end

  # [status, body]
  def fetch(url, target, kind = Net::HTTP::Get, **headers)
    uri = URI(url)
    response = Net::HTTP.start(uri.host, uri.port, read_timeout: LIMIT) { |http| http.request(kind.new(target, headers.transform_keys(&:to_s))) }
    [response.code, response.body]
  end
end
