# frozen_string_literal: true

require "tmpdir"
require "rperf/recorder"
require_relative "../support/test_helper"

# The parts of the flight recorder, without a session.
class RecorderTest < Minitest::Test
  Recorder = Rperf::Recorder
  Work = Data.define(:kind, :name, :exception, :seconds, :paused) do
    def initialize(kind:, name:, exception:, seconds: nil, paused: false) = super
    def paused? = paused
    def key = :job
  end

  # A profile of so many nanoseconds of work; `start` is when it began, in seconds.
  def profile(weight, mode: :wall)
    Rperf::Native::Profile.from_h({mode:, frequency: 99, duration_ns: 5_000_000_000, samples: [[[["app.rb", "Object#work"]], weight, 1, nil]]})
  end

  def weight(profiles) = profiles.first.to_h[:samples].sum { |sample| sample[1] }

  def test_the_window_has_the_last_seconds
    window = Recorder::Window.new(60)
    assert_nil window.profiles(0)
    20.times { |index| window.add([profile(1 << index)], index * 5.0) }
    assert_equal 60, window.seconds
    assert_equal (8..19).sum { |index| 1 << index }, weight(window.profiles(95.0))
    assert_equal (1 << 19) + (1 << 18), weight(window.profiles(95.0, 10))
    assert_equal 0, window.given_up
    window.clear
    assert_nil window.profiles(95.0)
  end

  def test_the_window_gives_up_what_is_too_large
    one = profile(1)
    window = Recorder::Window.new(60, limit: one.memory_size * 3)
    5.times { |index| window.add([profile(1 << index)], index.to_f) }
    assert_equal [28, 2, true], [weight(window.profiles(4.0)), window.given_up, window.bytes <= one.memory_size * 3]
  end

  def test_one_a_minute_and_ten_an_hour
    allowance = Recorder::Allowance.new
    assert_equal [nil, 60, 1.5, nil], [0, 0, 58.5, 60].map { |now| allowance.take(now) }
    8.times { |index| assert_nil allowance.take(120 + index * 60) }
    assert_equal [3000, nil, 60], [600, 3600, 3600].map { |now| allowance.take(now) }
  end

  def settings(**given) = Recorder::Settings.new(**given)

  def test_settings
    assert_equal [60, 2.0, 30, 0.5, 20, ".pb.gz"], settings.values_at(:window, :slow, :stuck, :gc, :keep, :ending)
    assert_nil Recorder::Settings.from_text("0", "RPERF_RECORDER")
    assert_equal 60, Recorder::Settings.from_text("on", "RPERF_RECORDER")[:window]
    given = Recorder::Settings.from_text("slow=0.5, stuck=off,exception=KeyError Net::ReadTimeout,keep=3,mode=wall", "RPERF_RECORDER")
    assert_equal [0.5, false, %w[KeyError Net::ReadTimeout], 3, :wall], given.values_at(:slow, :stuck, :exception, :keep, :mode)
    assert_equal [[], []], [settings(exception: false), Recorder::Settings.from_text("exception=off", "RPERF_RECORDER")].map { |one| one[:exception] }
    assert_equal %w[KeyError ArgumentError], settings(exception: [KeyError, "ArgumentError"])[:exception]
  end

  def test_directories_stay_where_they_were
    in_directory do |parent|
      Dir.mkdir(directory = File.join(parent, "app"))
      Dir.chdir(directory) do
        assert_equal File.join(directory, "mine"), settings(directory: "mine")[:directory]
        assert_equal [File.join(directory, "tmp/recordings"), nil], [settings.default_directory, settings[:directory]]
        Dir.rmdir(directory)
        error = assert_raises(ArgumentError) { settings(directory: "mine") }
        assert_equal "directory: is 'mine', but the directory of the process is gone: give the whole path", error.message
      end
    end
  end

  SETTINGS = "window, slow, stuck, times_p95, exception, gc, directory, keep, ending, mode, frequency, timeline"

  def test_wrong_settings
    {{window: 5} => "window: must be a number from 10 to 600 (seconds), not 5", {slow: "x"} => "slow: must be a number from 0.001 to 86400 (seconds; false: none), not \"x\"",
     {keep: 0} => "keep: must be a whole number from 1 to 10000 (recordings), not 0", {ending: ".html"} => "ending: must be an ending such as .pb.gz, .json.gz or .collapsed, not \".html\"",
     {mode: :alloc, timeline: true} => "timeline: belongs to the modes cpu and wall, not to alloc: leave it out, or choose another mode",
     {exception: 5} => "exception: must be a class of exceptions or its name, or an Array of these (false: none), not 5", {slwo: 1} => "the recorder has no setting :slwo; did you mean 'slow'?",
      {subject: "x"} => "the recorder has no setting :subject; it has #{SETTINGS}"}.each do |given, sentence|
      assert_equal sentence, assert_raises(ArgumentError) { settings(**given) }.message
    end
    %w[foo subject].each do |name|
      error = assert_raises(ArgumentError) { Recorder::Settings.from_text("#{name}=1", "RPERF_RECORDER") }
      assert_equal "RPERF_RECORDER: the recorder has no setting :#{name}; it has #{SETTINGS}", error.message
    end
    error = assert_raises(ArgumentError) { Recorder::Settings.from_text("slow", "RPERF_RECORDER") }
    assert_equal "RPERF_RECORDER must be 1, or NAME=VALUE,NAME=VALUE, and has the part 'slow'", error.message
    error = assert_raises(ArgumentError) { Recorder::Settings.from_text("mode=alloc,timeline=1", "RPERF_RECORDER") }
    assert_equal "RPERF_RECORDER: timeline belongs to the modes cpu and wall, not to alloc: leave it out, or choose another mode", error.message
    error = assert_raises(ArgumentError) { Recorder::Settings.from_text("mode=\xFF", "RPERF_RECORDER") }
    assert_equal "RPERF_RECORDER must be 1, or NAME=VALUE,NAME=VALUE, and has the part 'mode=\u{FFFD}'", error.message
  end

  def watch(**given)
    causes = []
    [Recorder::WorkWatch.new(settings(**given)) { |cause| causes << [cause.kind, cause.text] }, causes]
  end

  def test_units_of_work
    watch, causes = watch(slow: 0.001)
    work = Work.new(:request, "GET /", nil)
    watch.ended(work) # It began before.
    watch.began(work)
    sleep 0.002
    watch.ended(work)
    watch, more = watch(slow: false, exception: IndexError)
    [KeyError, ArgumentError].each { |error| Work.new(:job, "import", error.new).then { |one| watch.began(one) && watch.ended(one) } }
    causes += more
    assert_equal %i[slow exception], causes.map(&:first)
    assert_match(/\Arequest GET \/ took \d\d?\.\d ms \(slow: 0\.001\)\z/, causes.dig(0, 1))
    assert_equal "job import ended by KeyError", causes.dig(1, 1)
  end

  # A request whose body the server has not closed yet.
  def test_a_pause_is_not_the_units_time
    causes = []
    watch = Recorder::WorkWatch.new({slow: 0.5, stuck: 0, exception: []}) { |cause| causes << [cause.kind, cause.text] }
    [0.4, 0.6].each do |seconds|
      work = Work.new(:request, "GET /", nil, seconds, true)
      watch.began(work)
      assert_nil watch.look
      watch.ended(work)
    end
    assert_equal [[:slow, "request GET / took 600.0 ms (slow: 0.5)"]], causes
  end

  def test_units_that_are_open_for_long
    watch = Recorder::WorkWatch.new({stuck: 0, exception: []}) { flunk }
    Thread.new { watch.began(Work.new(:job, "abandoned", nil)) }.join
    assert_nil watch.look
    go = Thread::Queue.new
    thread = Thread.new { watch.began(Work.new(:job, "import", nil)) && go.pop }
    thread.define_singleton_method(:native_thread_id) { nil } # As in M:N threads that wait.
    cause = watch.look until cause
    assert_match(/\Ajob import is still open after/, cause.text)
    assert_equal [:stuck, nil, nil], [cause.kind, cause.unit, watch.look]
  ensure
    go&.close
    thread&.join
  end

  def test_a_directory
    Dir.mktmpdir do |root|
      path = File.join(root, "a", "recordings")
      directory = Recorder::Directory.new(path, keep: 2, ending: ".json")
      assert_equal [0o700, []], [File.stat(path).mode & 0o777, directory.list]
      names = Array.new(3) { |index| directory.put([profile(1, mode: :cpu), profile(2)], Recorder::Cause.new(:slow, "why"), Time.at(index)) }
      assert_equal names.last(2).flatten, directory.list.map { |file| file[:name] }
      assert_equal ["recording-19700101T000002.000Z-#{Process.pid}-slow.cpu.json", "recording-19700101T000002.000Z-#{Process.pid}-slow.wall.json"], names.last
      assert_equal [{time: "1970-01-01T00:00:01.000Z", pid: Process.pid, reason: "slow"}], directory.list.map { |file| file.slice(:time, :pid, :reason) }.uniq.first(1)
      assert_equal [0o600], Dir.children(path).map { |name| File.stat(File.join(path, name)).mode & 0o777 }.uniq
      assert_equal [true, nil, nil], [directory.read(names.last.first).start_with?("{"), directory.read("../x"), directory.read(names.first.first)]
    end
  end

  def test_recordings_from_before_the_clock_was_set_back_are_the_oldest
    Dir.mktmpdir do |root|
      directory = Recorder::Directory.new(root, keep: 2, ending: ".json")
      names = [5000, 5100, 10, 20].map { |second| directory.put([profile(1)], Recorder::Cause.new(:slow, "why"), Time.at(second)).first }
      assert_equal names.last(2), directory.list.map { |file| file[:name] }
    end
  end

  def test_directories_that_are_not_used
    Dir.mktmpdir do |root|
      others, link = File.join(root, "others"), File.join(root, "link")
      Dir.mkdir(others, 0o755)
      File.symlink(others, link)
      [[others, "other users have rights there"], [link, "it is no directory"]].each do |path, flaw|
        error = assert_raises(Rperf::Error) { Recorder::Directory.new(path, keep: 1, ending: ".pb.gz") }
        assert_equal "the recorder's directory '#{path}' must be a directory of your own that others cannot read (mode 0700): #{flaw}", error.message
      end
      File.write(File.join(root, "file"), "")
      error = assert_raises(Rperf::Error) { Recorder::Directory.new(File.join(root, "file", "x", "y"), keep: 1, ending: ".pb.gz") }
      assert_match(/\Athe recorder's directory '.*' cannot be made: (?:Not a directory|File exists)/, error.message)
    end
  end

  def test_reasons_are_one_line
    assert_equal "a b", Recorder::Cause.called(:call, "a\n\tb\xFF".dup.force_encoding("UTF-8")).text[0, 3]
    assert_equal ["it was asked for", 200], [Recorder::Cause.called(:call, nil).text, Recorder::Cause.called(:call, "x" * 300).text.length]
  end

  def test_without_a_recorder
    assert_equal [false, nil], [Rperf.dump(reason: "why"), Recorder.status]
    assert_nil Recorder.stop
  end
end
