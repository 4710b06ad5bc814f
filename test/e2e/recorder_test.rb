# frozen_string_literal: true

require_relative "../support/controlled"

# The flight recorder in programs.
class RecorderE2ETest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  WORK = <<~RUBY
    $stdout.sync = true
    # CPU time: the system may take the processor away for as long as a burn lasts.
    def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    def burn(seconds)
      till = now + seconds
      Math.sqrt(2.0) while now < till
    end
    # For so many seconds, of which it computes a tenth.
    def work(seconds) = (seconds * 100).ceil.times { burn(0.001); sleep 0.009 }
    def recordings(ending = :pb) = Dir.glob("tmp/recordings/*.\#{ending}.gz")
    # The recorder counts a recording when its files are there.
    def await_recording(ending = :pb) = (sleep 0.01 until recordings(ending).length == 2 && Rperf::Recorder.status[:made] == 1)
  RUBY

  # Runs a program with a recorder; yields its Result and the directory.
  def recorded(text, setting = "1", **env)
    in_directory do |directory|
      write_file(directory, "app.rb", WORK + text)
      yield run_program(RUBY, "-I", Paths::LIB, "-rrperf", "app.rb", directory:, env: {"RPERF_RECORDER" => setting, **env}), directory
    end
  end

  def files(directory) = Dir.glob(File.join(directory, "tmp/recordings/*"), File::FNM_DOTMATCH).select { |path| File.file?(path) }.sort

  def comments(path) = rperf("report", "--comments", path, directory: File.dirname(path)).out

  # Half a second of work, and what a busy machine adds.
  TOOK = /took (?:[5-9]\d\d\.\d ms|[1-9]\d*\.\d\d s)/

  # What makes a recording, by its kind: the setting, the program, what the comment says.
  CAUSES = {
    slow: ["slow=0.3,stuck=off,gc=off", "Rperf.work('import') { burn(0.5) }", /job import #{TOOK} \(slow: 0\.3\)/],
    stuck: ["slow=off,stuck=1,gc=off", "Rperf.work('import') { burn(0.3); await_recording }", /job import is still open after [1-9]\d*\.\d\d s \(stuck: 1\.0\)/],
    exception: ["exception=KeyError IOError,gc=off", "begin Rperf.work('import') { burn(0.3); {}.fetch(1) } rescue KeyError end", /job import ended by KeyError/],
    gc: ["gc=0.05", "keep = Array.new(300_000) { |n| n.to_s * 2 }; GC.start while recordings.empty?", /the collector took \d+\.\d\d s \(gc: 0\.05\)/],
    call: ["slow=off,gc=off", "burn(0.3); p Rperf.dump(reason: \"wrong\\nsum\"), Rperf.dump", /wrong sum/]
  }.freeze

  CAUSES.each do |kind, (setting, text, sentence)|
    define_method("test_#{kind}") do
      recorded("#{text}\nawait_recording\np Rperf::Recorder.status.slice(:made, :failed)", setting) do |result, directory|
        assert_equal [0, "", "{made: 1, failed: 0}"], [result.code, result.err, result.out.lines.last&.chomp], result.inspect
        cpu, wall = paths = files(directory)
        assert_equal 2, paths.length
        check_files(paths, kind, sentence)
        assert_equal %i[cpu wall], [cpu, wall].map { |path| Rperf.load(path)[:mode] }
      end
    end
  end

  def check_files(paths, kind, sentence)
    assert_equal [0o700, 0o600], [File.stat(File.dirname(paths.first)).mode & 0o777, *paths.map { |path| File.stat(path).mode & 0o777 }.uniq]
    paths.each do |path|
      assert_match(/\Arecording-\d{8}T\d{6}\.\d{3}Z-\d+-#{kind}\.(?:cpu|wall)\.pb\.gz\z/, File.basename(path))
      assert_match(/^recording \(#{kind}\) at 20\S+Z: #{sentence}/, comments(path))
      sets = Rperf.load(path)[:label_sets]
      assert_includes sets.map { |set| set[:recording] }, kind.to_s
      assert_equal %i[slow stuck exception].include?(kind) ? [kind.to_s] : [], sets.filter_map { |set| set[:unit] }.uniq
    end
  end

  # Others of its name, on another thread, go on meanwhile. Not even on a busy machine does one of
  # them take as long.
  def test_the_samples_of_the_unit_are_apart
    recorded(<<~RUBY, "slow=2,gc=off") do |result, directory|
      def other = burn(0.01)
      def culprit = burn(0.3).then { sleep 2 }
      ended = false
      beside = Thread.new { (Rperf.work("import") { other }; sleep 0.01) until ended }
      burn(0.3)
      Rperf.work("import") { culprit }
      await_recording
      ended = true
      beside.join
    RUBY
      assert_equal [0, ""], [result.code, result.err]
      data = Rperf.load(files(directory).first)
      marked = data[:samples].select { |_frames, _weight, _thread, labels| data[:label_sets][labels][:unit] == "slow" }
      of = ->(samples, method) { samples.sum { |frames, weight| frames.any? { |_path, label| label == "Object##{method}" } ? weight : 0 } }
      assert_equal [of.(data[:samples], "culprit"), 0], [of.(marked, "culprit"), of.(marked, "other")]
      assert_operator of.(data[:samples], "other"), :>, 0
      assert_operator of.(marked, "culprit"), :>, 0
    end
  end

  # A path, say, that a client has sent.
  def test_a_unit_whose_name_is_no_text
    recorded("Rperf.work(%(a\\xff)) { burn(0.5) }\nawait_recording", "slow=0.4,gc=off") do |result, directory|
      assert_equal [0, ""], [result.code, result.err]
      file = files(directory).first
      assert_match(/: job a\uFFFD took \d+\.\d+ m?s/, comments(file))
      assert_equal ["slow"], Rperf.load(file)[:label_sets].filter_map { |set| set[:unit] }.uniq
    end
  end

  # The ledger is read at the first look, after a second.
  def test_slow_beside_others_of_its_name
    text = "230.times { Rperf.work('quick') { 9.to_s } }\nwork(2)\nRperf.work('quick') { burn(0.5) }\nawait_recording"
    recorded(text, "slow=off,times_p95=3,gc=off") do |result, directory|
      assert_equal [0, ""], [result.code, result.err]
      assert_match(/job quick #{TOOK}, and 95 % of its kind take at most (?:\d{1,2}\.\d ms|\d+ us) \(times_p95: 3\.0\)/, comments(files(directory).first))
    end
  end

  # Where a request may not wait, it gets what the recorder has kept.
  def test_rack
    recorded(<<~RUBY, "directory=recordings") do |result, _directory|
      require "rperf/endpoints"
      app = Rperf::Endpoints.new(permit: ->(_env) { true })
      ask = ->(query) { app.call("REQUEST_METHOD" => "GET", "PATH_INFO" => "/debug/pprof/profile", "QUERY_STRING" => query) }
      burn(0.5)
      status, _headers, body = ask.("seconds=10&format=collapsed")
      p status, body.join.include?("burn")
      p ask.("seconds=10&past=0").first
      Rperf::Recorder.stop
      p ask.("seconds=10").first
    RUBY
      assert_equal "200\ntrue\n400\n400\n", result.out, result.inspect
    end
  end

  # What was recorded before the unit is there, too.
  def test_a_recording_has_the_window_and_the_label_of_the_unit
    recorded("def before = work(6)\nbefore\nRperf.work('import') { burn(0.5) }\nawait_recording", "slow=0.3,gc=off") do |_result, directory|
      data = Rperf.load(files(directory).first)
      assert_operator data[:duration_ns], :>, 6e9
      assert_includes data[:label_sets], {job: "import", latency: "slow", recording: "slow", unit: "slow"}
      assert(data[:samples].any? { |frames,| frames.any? { |_path, label| label == "Object#before" } })
    end
  end

  # In the order of the program, also across the segments of the window.
  def test_with_a_timeline
    recorded("def before = work(6)\nbefore\nRperf.work('import') { burn(0.5) }\nawait_recording(:json)", "slow=0.3,gc=off,timeline=on") do |result, directory|
      assert_equal [0, ""], [result.code, result.err]
      path = Dir.glob(File.join(directory, "tmp/recordings/*.cpu.json.gz")).first
      data = Rperf.load(path)
      before = data[:samples].select { |frames,| frames.any? { |_path, label| label == "Object#before" } }.map(&:moment_ns)
      unit = data[:samples].select { |sample| data[:label_sets][sample[3]][:unit] }.map(&:moment_ns)
      assert_operator before.max, :<=, unit.min
      assert_operator before.max - before.min, :>, 5e9
      assert_operator unit.max, :<=, data[:duration_ns]
      spans = rperf("convert", path, "profile.firefox.json", directory:)
      assert_equal 0, spans.code, spans.err
      assert_includes File.read(File.join(directory, "profile.firefox.json")), "import"
    end
  end

  def test_a_second_one_within_a_minute_is_counted
    recorded("burn(0.3); 3.times { Rperf.dump }\nawait_recording\nsleep 0.01 until Rperf::Recorder.status[:refused] == {call: 2}\nputs :counted") do |result, directory|
      assert_equal ["counted\n", 2], [result.out, files(directory).length], result.inspect
    end
  end

  # What the collector does here is worth a recording at each look.
  def test_what_is_refused_does_not_keep_it_from_collecting
    program = <<~RUBY
      collect = -> { GC.start; sleep 0.01 }
      collect.call until Rperf::Recorder.status[:refused][:gc].to_i >= 3
      collect.call until Rperf::Recorder.status[:seconds] >= 5
      p Rperf::Recorder.status.slice(:made, :failed)
    RUBY
    recorded(program, "gc=0.01,slow=off") { |result| assert_equal ["{made: 1, failed: 0}\n", ""], [result.out, result.err], result.inspect }
  end

  def test_a_signal_handler_may_ask
    recorded("trap(:USR2) { Rperf.dump(reason: 'a signal') }\nburn(0.3); Process.kill(:USR2, $$)\nawait_recording") do |result, directory|
      assert_equal [0, ""], [result.code, result.err]
      assert_includes comments(files(directory).first), ": a signal\n"
    end
  end

  def test_forked_children_have_a_recorder_of_their_own
    recorded(<<~RUBY) do |result, directory|
      def await_own = (sleep 0.01 until recordings.grep(/-\#{$$}-/).length == 2)
      burn(0.2)
      child = fork { def forked = burn(0.5); forked; Rperf.dump; await_own }
      Process.wait(child)
      Rperf.dump
      await_own
      p [child, $$].sort, $?.exitstatus
    RUBY
      pids = files(directory).map { |path| path[/Z-(\d+)-/, 1].to_i }.uniq
      assert_equal "#{pids.sort}\n0\n", result.out, result.inspect
    end
  end

  def test_recordings_go_to_the_agent
    recorded("burn(0.3); Rperf.dump\nsleep 0.01 until Dir.glob('sent/*').any?\np Dir.exist?('tmp')", "mode=cpu", "RPERF_PUSH_URL" => "file:sent/%t-%m.json") do |result, directory|
      assert_equal "false\n", result.out, result.inspect
      sent = Dir.glob(File.join(directory, "sent/*")).map { |path| Rperf.load(path) }
      assert(sent.any? { |data| data[:label_sets].any? { |set| set[:recording] == "call" } })
    end
  end

  def test_wrong_settings_are_one_line
    {"slow=x" => "RPERF_RECORDER: slow must be a number from 0.001 to 86400 (seconds; false: none), not \"x\"",
     "timeline=on,ending=.pb.gz" => "RPERF_RECORDER: ending .pb.gz has no room for a timeline: use .json.gz, .firefox.json.gz or .speedscope.json.gz, " \
       "or leave out timeline",
     "directory=app.rb" => "the recorder's directory '.*app.rb' must be a directory of your own that others cannot read \\(mode 0700\\): it is no directory"}.each do |setting, sentence|
      recorded("puts :runs", setting) do |result, _directory|
        assert_equal [0, "runs\n"], [result.code, result.out]
        assert_match(/\Arperf: the recorder does not run: #{setting.start_with?("directory") ? sentence : Regexp.escape(sentence)}\n\z/, result.err)
      end
    end
  end

  # A disk that is full, say.
  def test_what_cannot_be_written_is_one_line_and_the_program_goes_on
    recorded(<<~RUBY, "directory=recordings") do |result, _directory|
      burn(0.3)
      File.rename("recordings", "gone")
      Rperf.dump
      sleep 0.01 until Rperf::Recorder.status[:failed] == 1
      puts :runs
    RUBY
      assert_equal [0, "runs\n"], [result.code, result.out]
      assert_match(/\Arperf: the recorder: cannot write the recording '.*': No such file or directory\n\z/, result.err)
    end
  end

  # The program's own session is read, and goes on.
  def test_beside_a_session_of_the_program
    recorded("Rperf.start(mode: :wall, frequency: 200)\nwork(2.5)\nRperf.dump\nsleep 0.01 until recordings.any?\np Rperf.stop[:duration_ns] > 1_200_000_000", "gc=off") do |result, directory|
      assert_equal ["true\n", ""], [result.out, result.err]
      assert_equal [[:wall, 200]], files(directory).map { |path| Rperf.load(path).values_at(:mode, :frequency) }
    end
  end

  RECORDER = {"RPERF_RECORDER" => "1"}.freeze

  def test_control
    controlled(env: RECORDER) do |program, directory|
      path = socket(program, directory)
      code, list = ask(path, "GET", "/recordings")
      assert_equal [200, [], true], [code, *JSON.parse(list, symbolize_names: true).values_at(:recordings, :session)]
      assert_match(/\Arperf: process \d+ wrote (recording-\S+-control\.cpu\.pb\.gz) and recording-\S+-control\.wall\.pb\.gz\nrperf: wrote own.pb.gz \(\1\)\n\z/,
                   control("recordings", program.pid, "--now", "-o", "own.pb.gz", directory:).err)
      assert_includes comments(File.join(directory, "own.pb.gz")), "recording (control) at 20"
      control!("recordings", program.pid, "-o", "wall.pb.gz", "--mode", "wall", directory:)
      assert_equal :wall, Rperf.load(File.join(directory, "wall.pb.gz"))[:mode]
      assert_match(/\A20\S+Z  control    +\S+ k?B  recording-\S+-control.cpu.pb.gz\n20.*wall.pb.gz\n\z/, control!("recordings", program.pid, directory:))
      narrow = control_on_terminal!("recordings", program.pid, directory:)
      assert_fits narrow
      assert_match(/\A +\S+ k?B  recording-20\S+-control.cpu.pb.gz\n/, narrow)
      check_refusals(path, program, directory)
    end
  end

  # Its file has no mode in its name.
  def test_a_recording_of_another_mode_is_not_taken
    controlled(env: {"RPERF_RECORDER" => "mode=wall"}) do |program, directory|
      control!("recordings", program.pid, "--now", "-o", "own.pb.gz", "--mode", "wall", directory:)
      refused = control("recordings", program.pid, "-o", "other.pb.gz", "--mode", "cpu", directory:)
      assert_equal [1, "rperf: process #{program.pid} keeps the wall profile, and no cpu profile: leave out --mode, " \
                       "or see the setting 'mode' of Rperf::Recorder.start\n"], [refused.code, refused.err]
      assert_equal [true, false], %w[own other].map { |name| File.exist?(File.join(directory, "#{name}.pb.gz")) }
      taken = ["own.txt", "own"].map { |name| control("recordings", program.pid, "-o", name, directory:).err.lines.drop(1).join }
      assert_match(/\Arperf: its format is that of recording-\S+-control\.pb\.gz, not that of its ending: rperf convert writes others\n\z/, taken.first)
      assert_empty taken.last
      assert_match(/^recorder: keeps \d+\.\d s \(\S+ [kM]?B\), 1 recording made$/, control!("status", program.pid, directory:))
    end
  end

  def check_refusals(path, program, directory)
    refused = control("recordings", program.pid, "--now", directory:)
    assert_match(/\Arperf: process \d+ refuses: there is one recording a minute, and ten an hour, at most: come again in \d+ s\n\z/, refused.err)
    assert_equal 1, refused.code
    assert_equal [404, "there is no such recording: GET /recordings lists them\n"], ask(path, "GET", "/recordings/../../etc/passwd")
    assert_equal 405, ask(path, "POST", "/recordings/x").first
    assert_equal({control: 1}, status(program, directory:).dig(:recorder, :refused))
  end

  def test_what_was_recorded_just_now
    controlled(env: RECORDER) do |program, directory|
      program.await(" Object#burn\n") { control!("attach", program.pid, "--past", "--top", directory:) }
      control!("attach", program.pid, "--past", "-s", 60, "-m", "wall", "-o", "wall.json", directory:)
      assert_equal :wall, Rperf.load(File.join(directory, "wall.json"))[:mode]
      code, sentence = ask(socket(program, directory), "GET", "/debug/pprof/allocs?past=1")
      assert_equal [409, "the recorder keeps the cpu and wall profile, and no alloc or heap profile: see the setting 'mode' of Rperf::Recorder.start\n"], [code, sentence]
    end
  end

  def test_without_a_recorder
    controlled do |program, directory|
      sentence = "no recorder runs in this process: start it with Rperf::Recorder.start, or the process with RPERF_RECORDER=1\n"
      path = socket(program, directory)
      assert_equal [[409, sentence]] * 3, [%w[GET /recordings], %w[POST /recordings], %w[GET /debug/pprof/profile?past=1]].map { |method, target| ask(path, method, target) }
    end
  end
end
