# frozen_string_literal: true

require "json"
require "tempfile"
require "zlib"
require "rperf/agent"
require_relative "../support/listening"
require_relative "../support/program"
require_relative "../support/push_server"

# Programs with an agent, which sends to a server of the test.
class AgentE2ETest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  WORK = <<~RUBY
    def burn = 20_000.times { |number| number.to_s }
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    # Computes for a seventh of the time.
    def work(seconds)
      finish = now + seconds
      (burn; sleep 0.012) while now < finish
    end
  RUBY
  # Of each run of a program.
  SETTINGS = {"RPERF_PUSH_PERIOD" => "1", "RPERF_MAX_OVERHEAD" => "1"}.freeze

  def setup
    @servers = []
  end

  def teardown
    @servers.each(&:close)
  end

  def server(&) = PushServer.new(&).tap { |server| @servers << server }

  # Runs a program with an agent by the environment alone.
  def run_with_agent(url, program, **env)
    in_directory do |directory|
      write_file(directory, "app.rb", WORK + program)
      options = ["-I", Paths::LIB, "-rrperf/agent"]
      run_program(RUBY, *options, "app.rb", directory:, env: {**SETTINGS, "RPERF_PUSH_URL" => url, **env.transform_keys(&:to_s)})
    end
  end

  # The data of the profiles that came.
  def profiles(server) = server.requests.map { |request| profile(request.body) }

  def profile(bytes)
    Tempfile.create(["profile", ".pb.gz"]) do |file|
      file.binmode.write(bytes)
      file.close
      Rperf.load(file.path)
    end
  end

  def test_by_the_environment_alone
    receiver = server { [204, {}, ""] }
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}/v1/pprof", "work(7); puts :done; exit 3")
    assert_equal [3, "done\n"], [result.code, result.out]
    check_requests(receiver.requests)
    check_periods(profiles(receiver))
    assert_match(/\Arperf: profiles of app go to pprof\+http:\/\/127.0.0.1:\d+\/v1\/pprof, each of 1 s at 99 Hz\n\z/, result.err)
  end

  def check_requests(requests)
    assert_equal [["POST", "/v1/pprof"]], requests.map { |request| [request.method, request.path] }.uniq
    assert_equal ["application/octet-stream"], requests.map { |request| request.headers["content-type"] }.uniq
    assert_match(/\Arperf\//, requests.first.headers["user-agent"])
  end

  # One period follows the other, up to the end of the program.
  def check_periods(profiles)
    assert_operator profiles.length, :>=, 6
    profiles.each_cons(2) { |one, next_one| assert_in_delta one[:start_time_ns] + one[:duration_ns], next_one[:start_time_ns], 1e6 }
    assert_operator profiles.sum { |profile| profile[:duration_ns] }, :>, 6.5e9
    burnt = profiles.sum { |profile| profile[:samples].sum { |frames, weight| frames.any? { |_path, label| label == "Object#burn" } ? weight : 0 } }
    assert_operator burnt, :>, 0.8 * profiles.sum { |profile| profile[:samples].sum { |sample| sample[1] } }
  end

  # The fields of a protobuf message of texts and messages: [[number, bytes], ...].
  def fields(message)
    found, rest = [], message.b
    until rest.empty?
      tag, at = varint(rest, 0)
      length, at = varint(rest, at)
      assert_equal 2, tag & 7
      found << [tag >> 3, rest.byteslice(at, length)]
      rest = rest.byteslice(at + length..)
    end
    found
  end

  def varint(bytes, at)
    value = shift = 0
    loop do
      byte = bytes.getbyte(at)
      value |= (byte & 127) << shift
      shift += 7
      at += 1
      return [value, at] if byte < 128
    end
  end

  # A double: it knows the message, not Pyroscope's rules.
  def test_pyroscope
    receiver = server
    result = run_with_agent("pyroscope+http://me:x@127.0.0.1:#{receiver.port}/base/", "work(3)
Rperf::Agent.flush(timeout: 60)",
                            RPERF_MODE: "wall", RPERF_SERVICE: "shop", RPERF_LABELS: "env=test", RPERF_PUSH_HEADERS: "X-Scope-OrgID=one")
    assert_equal 0, result.code, result.inspect
    requests = receiver.requests
    assert_equal [["/base/push.v1.PusherService/Push", "application/proto", "1", "one", "Basic #{["me:x"].pack("m0")}"]],
                 requests.map { |request| [request.path, *request.headers.values_at("content-type", "connect-protocol-version", "x-scope-orgid", "authorization")] }.uniq
    ids = requests.map { |request| check_push(request.body) }
    assert_equal requests.length, ids.uniq.length
  end

  def check_push(body)
    ((_, series),) = fields(body)
    parts = fields(series)
    labels = parts.filter_map { |number, bytes| fields(bytes).map { |_, text| text.force_encoding("UTF-8") } if number == 1 }.to_h
    assert_equal({"__delta__" => "false", "__name__" => "wall", "env" => "test", "host" => Socket.gethostname, "service_name" => "shop"}, labels)
    sample = fields(parts.last.last).to_h
    profile(sample[1]).then { |data| assert_operator data[:samples].sum { |it| it[1] }, :>, 0.8 * data[:duration_ns] }
    assert_match(/\A\h{8}(-\h{4}){3}-\h{12}\z/, sample[2])
    sample[2]
  end

  def test_opentelemetry_that_takes_a_part
    {"" => :sent, "\n\0" => :sent, "\n\x0a\x08\x01\x12\x06no cpu" => :rejected}.each do |body, kind|
      receiver = server { [200, {}, body] }
      url = URI("http://127.0.0.1:#{receiver.port}")
      series = Rperf::Agent::Series.new(service: "shop")
      destination = Rperf::Agent::Destinations::OTLP.new(url, series:, credentials: Rperf::Agent::Credentials.new)
      profile = Rperf::Native::Profile.from_h(Rperf.start { 1000.times(&:to_s) })
      answer = destination.deliver(Rperf::Agent::Delivery.new(profile))
      assert_equal kind, answer.kind
      assert_match(/no cpu/, answer.text) if kind == :rejected
      destination.finish
    end
  end

  # A double: it knows the format as rperf reads it. A flush leaves to the next period what the
  # thread has computed since its last tick.
  def test_opentelemetry
    receiver = server
    program = <<~RUBY
      before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      work(3)
      puts Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
      Rperf::Agent.flush(timeout: 60)
    RUBY
    result = run_with_agent("otlp+http://127.0.0.1:#{receiver.port}", program, RPERF_SERVICE: "shop",
                            OTEL_RESOURCE_ATTRIBUTES: "team=a")
    assert_equal 0, result.code, result.inspect
    assert_equal [["/v1development/profiles", "application/x-protobuf", "gzip"]],
                 receiver.requests.map { |request| [request.path, *request.headers.values_at("content-type", "content-encoding")] }.uniq
    assert_operator profiles(receiver).sum { |profile| profile[:samples].sum { |it| it[1] } }, :>, Float(result.out) * 0.5e9
    text = Zlib.gunzip(receiver.requests.first.body)
    %w[service.name shop service.instance.id host.name team rperf.sampler poll].each { |word| assert_includes text, word }
  end

  def test_forked_children_have_an_agent_of_their_own
    in_directory do |directory|
      pattern = File.join(directory, "profiles", "%p-%t.json")
      result = run_with_agent("file:#{pattern}", <<~RUBY)
        work(1.5)
        children = Array.new(2) { fork { work(6.5) } }
        short = fork { work(0.1) }
        [*children, short].each { |child| Process.wait(child) }
        puts [Process.pid, *children].join(" ")
      RUBY
      pids = result.out.split
      written = Dir.children(File.join(directory, "profiles")).group_by { |name| name[/\d+/] }
      assert_equal pids.sort, written.keys.sort
      assert_operator written.values.map(&:length).min, :>=, 5
      assert_equal 1, result.err.lines.length, result.err # A server that forks for each job would fill the log.
    end
  end

  # Seconds of samples with the label job, and of all others, by mode.
  def seconds_by_mode(agent)
    program = <<~RUBY
      Thread.new { sleep }
      Rperf::Agent.start(push: "file:%t.json", max_overhead: 1, **#{agent.inspect})
      sleep 0.5
      Rperf.work("mail") { work(0.5); sleep 1.5 }
      Rperf::Agent.stop
    RUBY
    in_directory do |directory|
      write_file(directory, "app.rb", "#{WORK}\nrequire 'rperf/agent'\n#{program}")
      result = run_program(RUBY, "-I", Paths::LIB, "app.rb", directory:)
      assert_equal 0, result.code, result.inspect
      sums_by_mode(Dir[File.join(directory, "*.json")])
    end
  end

  # The first period ends at a phase by chance: a mode has one file, or two.
  def sums_by_mode(paths)
    paths.group_by { |path| path[/(\w+)\.json/, 1] }
      .transform_values { |files| files.map { |path| job_and_rest(Rperf.load(path)) }.transpose.map(&:sum) }
  end

  # (A profile without labels has no sets.)
  def job_and_rest(data)
    sets = data.fetch(:label_sets, [{}])
    jobs, rest = data[:samples].partition { |sample| sets[sample[3]].key?(:job) }
    [jobs, rest].map { |samples| samples.sum { |sample| sample[1] } / 1e9 }
  end

  def test_the_wall_time_of_work_alone_unless_all_is_asked_for
    found = seconds_by_mode({})
    assert_equal %w[cpu wall], found.keys.sort
    # Of 0.5 s, on a machine that may do ten things at once.
    assert_operator found["cpu"].first, :>, 0.01
    assert_in_delta 2.0, found["wall"].first, 0.5
    assert_equal 0, found["wall"].last
    all = seconds_by_mode({wall: "all"})
    assert_in_delta 2.0, all["wall"].first, 0.5
    # The thread that sleeps, and the main thread before its work.
    assert_operator all["wall"].last, :>, 2.0
    assert_equal ["cpu"], seconds_by_mode({mode: "cpu"}).keys
    assert_operator seconds_by_mode({mode: "wall"})["wall"].last, :>, 2.0
  end

  # Seconds that the end of a program may take with a server that does not answer: one, and what a
  # busy machine takes.
  SILENT_END = 1.0 + 2.0

  def test_the_end_of_a_program_is_not_held_up
    silent = server { :silence }
    closed = Listening.free_port
    [silent.port, closed].each do |port|
      result = run_with_agent("pprof+http://127.0.0.1:#{port}", "work(6); puts now")
      took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - result.out.to_f
      assert_equal 0, result.code, result.inspect
      assert_operator took, :<, SILENT_END
    end
  end

  # A push is on its way to a server that does not answer.
  def test_a_signal_during_a_push
    silent = server { :silence }
    in_directory do |directory|
      write_file(directory, "app.rb", "#{WORK}loop { work(1) }")
      env = {**SETTINGS, "RPERF_PUSH_URL" => "pprof+http://127.0.0.1:#{silent.port}"}
      program = launch(RUBY, "-I", Paths::LIB, "-rrperf/agent", "app.rb", directory:, env:)
      begun = silent.await(1).first.at
      # Younger processes wait for nothing.
      IO.select(nil, nil, nil, Rperf::Agent::YOUNG)
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      program.signal(:TERM)
      result = program.finish
      took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - before
      assert_equal "TERM", Signal.signame(result.status.termsig), result.inspect
      assert_operator took, :<, SILENT_END, "the push began #{before - begun} s before"
    end
  end

  # As Unicorn begins anew (USR2): the master forks a child, which goes on as a new master by exec
  # and forks workers, while the old one goes on.
  def test_a_master_that_is_replaced
    program = <<~RUBY
      def old = work(1.5)
      def new = work(1.5)
      def worker = work(1.5)
      if ARGV == ["new"]
        $stdout.sync = true
        puts [Process.pid, fork { worker; Rperf::Agent.flush(timeout: 60) }].join(" ")
        new
      else
        child = fork { exec(RbConfig.ruby, "-rrperf/agent", __FILE__, "new") }
        old
        Process.wait(child)
        puts Process.pid
      end
      Process.waitall
      Rperf::Agent.flush(timeout: 60)
    RUBY
    in_directory do |directory|
      result = run_with_agent("file:#{directory}/%p-%t.json", program, RUBYLIB: Paths::LIB)
      assert_equal 0, result.code, result.inspect
      check_replaced(directory, result.out.split)
    end
  end

  # Each process has what it did, and nothing of another one.
  def check_replaced(directory, (new_master, worker, old_master))
    names = {old_master => "old", new_master => "new", worker => "worker"}
    names.each do |pid, own|
      labels = Dir[File.join(directory, "#{pid}-*.json")].flat_map { |path| Rperf.load(path)[:samples].flat_map { |frames,| frames.map { |_path, label| label } } }
      assert_equal ["Object##{own}"], labels.uniq.grep(/\AObject#(old|new|worker)\z/)
    end
    assert_equal names.keys.sort, Dir.children(directory).grep(/json/).map { |name| name[/\d+/] }.uniq.sort
  end

  # Two of each three seconds; nothing stands for the third.
  def test_a_part_of_the_time
    receiver = server
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}", "work(10); Rperf::Agent.stop", RPERF_DUTY: "2s/3s", RPERF_MODE: "wall")
    assert_equal 0, result.code, result.inspect
    found = profiles(receiver)
    assert_operator found.length, :>=, 2
    assert_equal [["duty: 2 s of each 3 s are recorded, and nothing is scaled"]], found.map { |profile| profile[:comments].grep(/\Aduty/) }.uniq
    assert_match(/, each of 2 s in 3 s at 99 Hz$/, result.err)
    assert_operator found.sum { |profile| profile[:duration_ns] }, :<, 9e9
    gaps = found.each_cons(2).map { |one, other| other[:start_time_ns] - one[:start_time_ns] - one[:duration_ns] }
    assert_operator gaps.min, :>, 0.5e9
  end

  # A throttle that has never enough, which is asked by the length of a period of ten seconds.
  def test_a_frequency_that_was_lowered
    receiver = server
    program = <<~RUBY
      Rperf::Agent::Throttle.send(:remove_const, :SPAN)
      Rperf::Agent::Throttle::SPAN = 1
      4.times { work(1); Rperf::Agent.flush(timeout: 60) }
      p Rperf::Agent.status.values_at(:frequency, :frequency_changes)
    RUBY
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}", program, RPERF_MAX_OVERHEAD: "0.0001", RPERF_MODE: "cpu", RPERF_PUSH_PERIOD: "600")
    assert_equal "[24, 2]\n", result.out, result.err
    comment = "frequency: 49 Hz instead of 99, since more took too much of the processor"
    assert_equal [[99, []], [99, []], [49, [comment]], [49, [comment]]], profiles(receiver).first(4).map { |profile| [profile[:frequency], profile[:comments].grep(/\Afrequency/)] }
  end

  def test_the_third_failure_in_a_row_ends_the_agent_and_nothing_else
    receiver = server
    program = <<~RUBY
      module Broken
        def take = $broken ? raise("broken on purpose") : super
      end
      Rperf::ContinuousSession.prepend(Broken)
      # What was taken, or broke. It needs seconds, and beside other programs a session begins late.
      count = -> { Rperf::Agent.status.then { |status| [status[:internal_errors], status[:destinations].values.first[:taken]] } }
      again = -> { before = count.(); (work(0.6); Rperf::Agent.flush(timeout: 60)) while count.() == before }
      [true, true, false, true, true, true].each { |broken| $broken = broken; again.() }
      # Its thread closes the session, and ends.
      sleep 0.01 until Rperf::Agent.status[:problem]
      begun = now
      Rperf::Agent.flush(timeout: 60)
      p Rperf::Agent.status.values_at(:internal_errors, :last_error, :session, :problem), Rperf.running?, now - begun < 30
    RUBY
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}", program, RPERF_PUSH_PERIOD: "600", RPERF_MODE: "cpu")
    error = "RuntimeError: broken on purpose"
    assert_equal "#{[5, error, false, "the agent has ended after errors of its own: #{error}"]}\nfalse\ntrue\n", result.out, result.err
    assert_equal ["rperf: the agent ends after errors of its own: RuntimeError: broken on purpose\n"], result.err.lines.grep(/ends/)
    assert_equal 1, receiver.requests.length
  end

  def test_status_and_flush
    receiver = server { |number| number.zero? ? [400, {}, "no"] : [200, {}, ""] }
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}/x?key=swordfish", <<~RUBY, RPERF_PUSH_PERIOD: "600", RPERF_LABELS: "env=test")
      require "json"
      delivered = Array.new(2) { work(1); Rperf::Agent.flush(timeout: 60) }
      puts JSON.generate(Rperf::Agent.status)
      p [*delivered, Rperf::Agent.flush(timeout: 0)]
      Rperf::Agent.stop
      p Rperf::Agent.status, Rperf.running?
    RUBY
    status, *rest = result.out.lines
    refute_match(/swordfish/, result.out + result.err)
    assert_equal ["[false, true, false]\n", "nil\n", "false\n"], rest # The first one was refused; the last one had no time.
    (_name, counts), = JSON.parse(status)["destinations"].to_a
    assert_equal({"taken" => 2, "sent" => 1, "spooled" => 0, "sent_from_spool" => 0, "dropped" => {"rejected" => 1},
                  "failed" => {"rejected" => 1}, "sent_without" => {}, "outbox" => 0, "outbox_bytes" => 0, "last_error" => "400 no"}, counts.except("last_success"))
    assert_match(/\A\d{4}-\d\d-\d\d /, counts["last_success"])
  end

  # The agent reads what the program records for itself. (A tick just before has its own profile.)
  def test_beside_a_session_of_the_program
    receiver = server
    result = run_with_agent("pprof+http://127.0.0.1:#{receiver.port}", <<~RUBY, RPERF_PUSH_PERIOD: "600")
      work(1)
      Rperf::Agent.flush(timeout: 60)
      Rperf.start(mode: :wall, frequency: 500) # The agent's own session ends.
      Rperf::Agent.start # It was started by the environment: another one takes its place.
      work(1)
      Rperf::Agent.flush(timeout: 60)
      work(1)
      data = Rperf.stop
      puts data[:samples].sum { |sample| sample[1] }, data[:frequency]
    RUBY
    weight, frequency = result.out.lines.map(&:to_i)
    sent = profiles(receiver).group_by { |profile| profile[:frequency] }
    assert_equal [500, [99, 500]], [frequency, sent.keys]
    sent = sent.fetch(500).first[:samples].sum { |sample| sample[1] }
    assert_operator sent, :<, 0.75 * weight
    assert_operator sent, :>, 0.25 * weight
  end
end
