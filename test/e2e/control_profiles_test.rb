# frozen_string_literal: true

require_relative "../support/controlled"

# Profiles of a process that runs: /debug/pprof, `rperf attach`, `top` and `dump`.
class ControlProfilesTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  # A thread that burns, one that waits for a lock while another one sleeps under it.
  WAITING = <<~RUBY
    $stdout.sync = true
    def burn = 100.times { Math.sqrt(2.0) }
    lock = Mutex.new
    Thread.new { lock.synchronize { sleep } }.name = "holder"
    Thread.pass until lock.locked?
    Thread.new { lock.synchronize { burn } }.name = "waiter"
    puts "ready"
    loop { burn }
  RUBY

  def test_attach_without_a_session
    controlled do |program, directory|
      assert_match(/ Object#burn$/, control!("attach", program.pid, "--seconds", 1, "--top", directory:))
      control!("attach", program.pid, "--seconds", 1, "--mode", "alloc", "--interval", 40, "-o", "alloc.json", directory:)
      assert_includes rperf("report", "--comments", "alloc.json", directory:).out, "\ninterval: 40\n"
      assert_equal :alloc, Rperf.load(File.join(directory, "alloc.json"))[:mode]
      assert_nil status(program, directory:)[:session]
      assert_empty status(program, directory:)[:kept]
    end
  end

  def test_what_attach_writes
    controlled do |program, directory|
      attached = control("attach", program.pid, "-s", 1, "-m", "alloc", "-o", "objects", "--format", "text", "--sample-index", "alloc_objects", directory:)
      assert_match(/\Arperf: wrote objects: \d+ samples?, \d+ of alloc_objects[^;\n]*; look at it with: cat objects\n\z/, attached.err)
      assert_match(/\ATotal: \d+ \(alloc_objects\)$/, File.read(File.join(directory, "objects")))
      folded, whole = [[], %w[--idle]].map do |words|
        control!("attach", program.pid, "-s", 1, "-m", "wall", "-o", "wall.txt", *words, directory:)
        File.read(File.join(directory, "wall.txt"))
      end
      assert_match(/ idle folded/, folded)
      refute_match(/ idle folded/, whole)
    end
  end

  def test_a_page
    controlled do |program, directory|
      code, page = ask(socket(program, directory), "GET", "/debug/pprof/profile?seconds=1&format=html")
      assert_equal 200, code, page
      assert_match(/\A<!doctype html>.*Object#burn/m, page)
    end
  end

  # The program's own profile has everything, too.
  def test_attach_takes_nothing_from_a_session_that_runs
    text = "Rperf.start(mode: [:wall, :alloc], frequency: 200)\ntrap(:TERM) { Thread.new { Rperf.stop; exit } }\n#{BUSY}"
    controlled(text.sub("200)", '200, output: "own.json")')) do |program, directory|
      3.times { |at| control!("attach", program.pid, "-s", 1, "-o", "#{at}.json", directory:) }
      control!("attach", program.pid, "-s", 1, "-m", "alloc", "-o", "alloc.json", directory:)
      refusal = control("attach", program.pid, "-s", 1, "-m", "cpu", directory:).err
      assert_match(/: a wall and alloc session runs in this process, which has no cpu profile: wait until the program has stopped it/, refusal)
      program.signal(:TERM)
      program.finish
      own = Rperf.load(File.join(directory, "app/own.wall.json"))
      parts = Array.new(3) { |at| Rperf.load(File.join(directory, "#{at}.json")) }
      assert_equal [[:wall, 200]] * 3, parts.map { |data| data.values_at(:mode, :frequency) }
      assert_operator weight(own), :>, parts.sum { |data| weight(data) }
      assert_equal :alloc, Rperf.load(File.join(directory, "alloc.json"))[:mode]
    end
  end

  def test_a_session_of_the_program_s_own_values
    controlled("Rperf.start(mode: :custom)\n#{BUSY}") do |program, directory|
      [%w[attach --seconds 1 --top], %w[top]].each do |command, *words|
        result = control(command, program.pid, *words, directory:)
        assert_equal 1, result.code
        assert_match(/\Arperf: .*a custom session runs in this process, which has no cpu profile[^\n]+\n\z/, result.err)
      end
    end
  end

  def test_waiting
    controlled(WAITING.sub("loop { burn }", "sleep")) do |program, directory|
      all, locks = %w[block mutex].map do |mode|
        control!("attach", program.pid, "-s", 1, "-m", mode, "-o", "#{mode}.json", directory:)
        Rperf.load(File.join(directory, "#{mode}.json"))[:samples].map { |frames,| frames.first(2).map { |_path, label| label } }.uniq.sort
      end
      waits = ["[GVL blocked]", "Thread::Mutex#synchronize"]
      assert_includes all, ["[GVL blocked]", "Kernel#sleep"]
      assert_equal [[waits], true], [locks, all.include?(waits)]
      data = Rperf.load(File.join(directory, "mutex.json"))
      assert_equal [{wait: "lock"}], data[:samples].map { |sample| data[:label_sets][sample[3]] }.uniq
    end
  end

  def test_all_of_a_session_so_far
    controlled do |program, directory|
      path = socket(program, directory)
      assert_equal [409, "no session runs in this process: start one, or say for how many seconds (seconds=)\n"], ask(path, "GET", "/debug/pprof/heap")
      control!("start", program.pid, "--mode", "heap", directory:)
      code, bytes = ask(path, "GET", "/debug/pprof/heap?gc=1")
      assert_equal [200, "\x1F\x8B".b], [code, bytes.b[0, 2]]
      code, text = ask(path, "GET", "/debug/pprof/allocs?debug=1")
      assert_equal [200, true], [code, text.include?(" (alloc_space)")], text
      assert_equal 409, ask(path, "GET", "/debug/pprof/block").first
    end
  end

  def test_top_and_dump
    controlled(WAITING) do |program, directory|
      assert_match(/ Object#burn$/, control!("top", program.pid, "-s", 1, directory:))
      dump = control!("dump", program.pid, directory:)
      assert_match(/^main \(run\)\n(?:  .*\n)*  app\.rb:\d+:in '<main>'\n/, dump)
      assert_match(/^holder \(sleep\)\n  app\.rb:\d+:in 'Kernel#sleep'\n/, dump)
      assert_match(/^waiter \(sleep_forever\)\n  app\.rb:\d+:in 'Thread::Mutex#synchronize'\n/, dump)
      assert_equal 3, dump.scan(/^\S/).length
    end
  end

  # It has --nodecount, but no --nodefraction.
  def test_top_shows_small_functions
    few = "400.times { |i| eval('def part%d = 200.times { 1 + 1 }' % i) }\nputs 'ready'; loop { 400.times { |i| send('part%d' % i) } }"
    controlled("$stdout.sync = true\n#{few}") do |program, directory|
      out = control!("top", program.pid, "-s", 1, "--nodecount", 50, directory:)
      assert_equal [50, false], [out.scan(/%  \S/).length, out.include?("Dropped")], out
    end
  end

  # A request in which a job runs, on a thread that waits.
  WORKING = <<~RUBY
    $stdout.sync = true
    Rperf.start(mode: :cpu)
    Thread.new { Rperf.work("GET /users/:id", kind: :request) { Rperf.work("mail") { sleep } } }.name = "web"
    Thread.pass until Thread.list.last.stop?
    puts "ready"
    sleep
  RUBY

  # The name of the program is no text, and those of its threads are in two encodings.
  def test_names_that_are_not_utf_8
    text = <<~'RUBY'
      $stdout.sync = true
      $0 = "caf\xE9"
      Thread.new { sleep }.name = "caf\xE9 1".dup.force_encoding("ISO-8859-1")
      Thread.new { sleep }.name = "caf\u00E9 2"
      Thread.new { sleep }.name = "caf\xE9 3"
      puts "ready"
      sleep
    RUBY
    controlled(text) do |program, directory|
      assert_equal "caf\u{FFFD}", status(program, directory:)[:program]
      dump = control!("dump", program.pid, directory:)
      assert_equal ["caf\u00E9 1", "caf\u00E9 2", "caf\u{FFFD} 3"], dump.scan(/^(caf. \d) \(/).flatten.sort
      _status, profile = ask(socket(program, directory), "GET", "/debug/pprof/threads?format=json")
      assert_includes profile, "caf\u00E9 1"
    end
  end

  # Titles as Unicorn and Puma set them.
  def test_the_title_of_a_servers_process
    puma = "puma: cluster worker 0: 4700 [app]"
    {"unicorn worker[0] -D -c config/app.rb" => "unicorn worker[0]", puma => puma}.each do |title, shown|
      controlled("$0 = #{title.inspect}; $stdout.sync = true; puts 'ready'; sleep") do |program, directory|
        assert_equal shown, status(program, directory:)[:program]
      end
    end
  end

  # A thread in a request and one without, both with long names, in a file with a long path.
  LONG = <<~'RUBY'
    $stdout.sync = true
    Rperf.start(mode: :cpu)
    path = "/srv/shop/#{"releases/" * 10}app.rb"
    endpoint = "GET /organizations/:organization_id/projects/:project_id/issues/:id IssuesController#show"
    Thread.new { Rperf.work(endpoint, kind: :request) { eval("sleep", nil, path) } }.name = "web"
    Thread.new { sleep }.name = "a thread whose name is a sentence, since people need to tell many threads apart"
    Thread.pass until Thread.list.drop(1).all?(&:stop?)
    puts "ready"
    sleep
  RUBY

  def test_dump_fits_on_a_terminal
    controlled(LONG) do |program, directory|
      text = control_on_terminal!("dump", program.pid, directory:)
      assert_fits text
      assert_match(/^web \(sleep\), request GET \/organizations\/:org.*\u2026 for [\d.]+ m?s$/, text)
      assert_match(/^  \u2026\w*\/releases\/.*\/app\.rb:1:in 'Kernel#sleep'$/, text)
      assert_match(/^a thread whose name .*\u2026 \(sleep\w*\)$/, text)
      piped = control!("dump", program.pid, directory:)
      assert_includes piped, "#{"releases/" * 10}app.rb:1:in"
      assert_match(/projects\/:project_id\/issues\/:id IssuesController#show for/, piped)
    end
  end

  def test_names_cannot_command_a_terminal
    text = <<~'RUBY'
      $stdout.sync = true
      Rperf.start
      Thread.new { Rperf.work("\e[2Jmail") { eval("sleep", nil, "\e]0;a\a.rb") } }.name = "\e[31mred"
      Thread.pass until Thread.list.last.stop?
      puts "ready"
      sleep
    RUBY
    controlled(text) do |program, directory|
      dump = control!("dump", program.pid, directory:)
      refute_match(/[[:cntrl:]&&[^\n]]/, dump)
      assert_match(/^\u{fffd}\[31mred \(sleep\), job \u{fffd}\[2Jmail for .*\n  \u{fffd}\]0;a\u{fffd}\.rb:1:in 'Kernel#sleep'$/, dump)
    end
  end

  def test_what_units_of_work_threads_run
    controlled(WORKING) do |program, directory|
      dump = control!("dump", program.pid, directory:)
      assert_match(/^main \(sleep\)\n/, dump)
      # Of rperf's own frames there are none.
      stack = ["Kernel#sleep", "block (3 levels) in <main>", "block (2 levels) in <main>", "block in <main>"]
      lines = stack.map { |label| "  app.rb:3:in '#{label}'\n" }.join
      assert_match(/^web \(sleep\), request GET \/users\/:id for \d+(?:\.\d+)? m?s\n#{Regexp.escape(lines)}(?:\n|\z)/, dump)
      code, bytes = ask(socket(program, directory), "GET", "/debug/pprof/goroutine?format=json")
      File.write(File.join(directory, "threads.json"), bytes)
      data = Rperf.load(File.join(directory, "threads.json"))
      assert_equal [200, %w[threads count], [1, 1], %w[main web]], [code, data[:value_type], data[:samples].map { |sample| sample[1] }, data[:threads].map { |thread| thread[:name] }]
      frames, _weight, _thread, set = data[:samples].last
      labels = data[:label_sets][set]
      assert_equal [stack.map { |label| ["app.rb", label] }, [[3] * 4]], [frames, data[:samples].last.lines.map(&:first)]
      assert_equal({state: "sleep", endpoint: "GET /users/:id"}, labels.except(:open))
      assert_operator labels[:open], :>, 0
    end
  end

  def test_two_at_once
    controlled do |program, directory|
      path = socket(program, directory)
      first = Thread.new { ask(path, "GET", "/debug/pprof/profile?seconds=3&format=text") }
      Thread.pass until status(program, directory:)[:session]
      refused = raw(path, "GET /debug/pprof/profile?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      assert_match(/\AHTTP\/1.1 503 Service Unavailable\r\n.*^retry-after: [1-3]\r\n.*\r\na profile is being taken already: come again in [1-3] s\n\z/m, refused)
      assert_includes control!("status", program.pid, directory:), "for a profile that is being taken\n"
      code, text = first.value
      assert_equal [200, true], [code, text.include?("Object#burn")]
    end
  end

  # The session that ran for a client that has gone ends at once.
  def test_a_client_that_goes
    controlled do |program, directory|
      client = UNIXSocket.new(socket(program, directory))
      client.write("GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      Thread.pass until status(program, directory:)[:session]
      client.close
      Thread.pass while status(program, directory:)[:session]
    end
  end

  def test_a_program_that_ends_during_an_attach
    controlled("trap(:TERM) { exit 5 }\n#{BUSY}") do |program, directory|
      attach = launch_rperf("attach", program.pid.to_s, "--seconds", "600", "-o", "never.pb.gz", directory:, env: @runtime)
      Thread.pass until session?(program, directory)
      program.signal(:TERM)
      assert_equal 5, program.finish.code
      result = attach.finish
      assert_equal [1, "rperf: process #{program.pid} has ended, or has closed its control socket, before its answer was complete\n"], [result.code, result.err]
      refute_path_exists File.join(directory, "never.pb.gz")
    end
  end

  def test_wrong_parameters
    controlled do |program, directory|
      path = socket(program, directory)
      {"profile?seconds=601" => [400, "seconds must be a whole number from 1 to 600 (seconds), not 601"],
       "profile?seconds=1.5" => [400, "seconds must be"], "profile?frequency=5000" => [400, "frequency must be a whole number from 1 to 1000 (Hz), not 5000"],
       "heap?interval=0" => [400, "interval must be a whole number from 1 to"],
       "profile?now=1" => [400, 'there is no parameter "now" here'], "profile?format=pdf" => [400, "format must be"],
       "profile?debug=3" => [400, "debug must be"], "goroutine?seconds=1" => [400, 'there is no parameter "seconds" here'], "profile?gc=1" => [400, 'there is no parameter "gc" here'],
       "cmdline" => [404, "rperf does not show the arguments of a process"], "trace" => [404, "rperf has no traces"],
       "nothing" => [404, "there is nothing here"]}.each do |target, (code, sentence)|
        status, body = ask(path, "GET", "/debug/pprof/#{target}")
        assert_equal [code, true, 1], [status, body.start_with?(sentence), body.lines.length], "#{target}: #{body}"
      end
      assert_equal [200, "num_symbols: 0\n"], ask(path, "POST", "/debug/pprof/symbol")
      assert_equal ask(path, "GET", "/debug/pprof/"), ask(path, "GET", "/debug/pprof"), "Rails' router removes the slash"
      assert_includes ask(path, "GET", "/debug/pprof/").last, "mutex    wall time in which threads waited for locks and queues\n"
    end
  end

  private

  def weight(data) = data[:samples].sum { |sample| sample[1] }

  # Asked without a program in the directory, whose output another one has.
  def session?(program, directory) = JSON.parse(ask(socket(program, directory), "GET", "/status").last)["session"]
end
