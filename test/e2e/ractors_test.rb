# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# What a program sees of rperf in other Ractors than the main one.
class RactorsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  # What each call does in another Ractor, one line each.
  def in_ractor(*calls, session: false, setup: "")
    in_directory do |directory|
      program = write_file(directory, "program.rb", <<~RUBY)
        Warning[:experimental] = false
        #{setup}
        Rperf.start(mode: :wall) if #{session}
        #{calls.map { |call| "p(Ractor.new { #{call} rescue [$!.class, $!.message] }.take)" }.join("\n")}
        p Rperf.stop.class
      RUBY
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      assert_predicate result.code, :zero?, result.inspect
      result.out.lines(chomp: true)
    end
  end

  def refusal(method)
    [Rperf::Error, "#{method} works in the main Ractor only: call it there; a session sees the threads of all Ractors"].inspect
  end

  def test_sessions_belong_to_the_main_ractor
    calls = {"start" => "Rperf.start", "stop" => "Rperf.stop", "snapshot" => "Rperf.snapshot",
             "save" => "Rperf.save('x.json', {samples: []})", "load" => "Rperf.load('x.json')", "diff" => "Rperf.diff({samples: []}, {samples: []})"}
    refusals = calls.keys.map { |name| refusal("Rperf.#{name}") }
    assert_equal [*refusals, "NilClass"], in_ractor(*calls.values)
    assert_equal [*refusals, "Rperf::DataHash"], in_ractor(*calls.values, session: true)
  end

  # What is called in other Ractors, and what it is called in the sentence.
  OTHER_METHODS = {
    "require 'rperf/agent'" => {"Rperf::Agent.stop" => "Rperf::Agent.stop", "Rperf::Agent.start(push: 'file:%t.json')" => "Rperf::Agent.start"},
    "require 'rperf/recorder'" => {"Rperf::Recorder.stop" => "Rperf::Recorder.stop", "Rperf::Recorder.start" => "Rperf::Recorder.start"},
    "require 'rperf/control'" => {"Rperf::Control.stop" => "Rperf::Control.stop", "Rperf::Control.start" => "Rperf::Control.start"},
    "" => {"Rperf::PProf.encode({samples: []})" => "encode", "Rperf::OTLP.encode({samples: []})" => "encode"}
  }.freeze

  def test_what_belongs_to_sessions_belongs_to_the_main_ractor
    OTHER_METHODS.each do |setup, calls|
      assert_equal [*calls.values.map { |name| refusal(name) }, "NilClass"], in_ractor(*calls.keys, setup:)
    end
  end

  def test_labels_belong_to_every_ractor
    assert_equal ['{step: "one"}', "Rperf::DataHash"], in_ractor("Rperf.label(step: :one) { Rperf.labels }", session: true)
  end

  # What a program calls in hot code, and what it returns without a session, and in one.
  HOT = {
    "Rperf.running?" => %w[false true],
    "Rperf.profile(step: :one) { 1 }" => %w[1 1],
    "Rperf.sample(weight: 3, bytes: 4)" => %w[false false],
    "Rperf.work('import') { |work| work.error!; work.name }" => ['""', '"import"'],
    "Rperf.work('import', kind: :request, step: :one) { Rperf.labels }" => ["{}", '{endpoint: "import", step: "one"}'],
    "Rperf.work('import') { raise 'no' }" => ['[RuntimeError, "no"]'] * 2,
    "Rperf.work('import', kind: 3) { 1 }" => ['[ArgumentError, "kind: must be :job or :request, not 3"]'] * 2
  }.freeze

  def test_hot_code_runs_in_every_ractor
    assert_equal [*HOT.values.map(&:first), "NilClass"], in_ractor(*HOT.keys)
    assert_equal [*HOT.values.map(&:last), "Rperf::DataHash"], in_ractor(*HOT.keys, session: true)
  end

  # Sessions begin and end, and collections stop all Ractors, while two others ask for the session.
  LEDGER = <<~RUBY
    Warning[:experimental] = false
    others = Array.new(2) { Ractor.new { 5_000.times { Rperf.work("between") { Rperf.running? } } } }
    20.times { Rperf.start(mode: :wall) { GC.start } }
    others.each(&:take)
    Rperf.start(mode: :wall)
    Array.new(2) { Ractor.new { 500.times { |n| Rperf.work("import") { |work| work.error! if n.even? } } } }.each(&:take)
    p Rperf.ledger.find { |row| row.name == "import" }.then { |row| [row.units, row.errors] }
  RUBY

  def test_work_of_all_ractors_is_in_the_ledger
    in_directory do |directory|
      program = write_file(directory, "program.rb", LEDGER)
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      assert_predicate result.code, :zero?, result.inspect
      assert_equal "[1000, 500]", result.out.chomp
    end
  end

  # While the VM's count and the watch's own are read, other Ractors allocate, most of all where the
  # reader waits for one that collects. A watch that seems to miss objects gives way to the event,
  # which sees nothing beside other Ractors.
  BUSY = <<~RUBY
    Warning[:experimental] = false
    kept = Array.new(300_000) { "kept" }
    Rperf.start(mode: :alloc, interval: 1000)
    4.times { Ractor.new { loop { Array.new(5000) { "new" }; GC.start } } }
    most = 0
    2500.times { most = [most, Rperf.snapshot(clear: true)[:dropped].fetch("not seen", {samples: 0})[:samples]].max }
    puts most, Rperf.snapshot[:engine]
    $stdout.flush
    exit!(true)
  RUBY

  def test_objects_that_ractors_make_while_they_are_counted_are_seen
    in_directory do |directory|
      program = write_file(directory, "program.rb", BUSY)
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      most, engine = result.out.split
      # One object of each Ractor may be allocated, and not counted yet.
      assert_operator most.to_i, :<=, 4, result.inspect
      assert_equal "direct", engine
    end
  end

  # Threads of other Ractors live on from session to session, and the records of threads are used
  # again.
  LONG_LIVED = <<~RUBY
    require #{SpentTime::BURNING.dump}
    Warning[:experimental] = false
    def in_main = Burning.burn(0.3)
    Array.new(2) { Ractor.new { loop { Burning.burn(0.01); sleep 0.02 } } }
    2.times { Thread.new { loop { sleep 0.02 } } }
    3.times do
      spent = -Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      burned = nil
      data = Rperf.start(mode: :cpu) { burned = in_main }
      spent += Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      own, others = data[:samples].partition { |frames,| frames.any? { |_path, name| name == "Object#in_main" } }
      of_main, in_all = [own, own + others].map { |samples| samples.sum { |_frames, weight| weight } }
      p [burned.to_a, of_main, own.map { |sample| sample[2] }.uniq.size, in_all / 1e9, spent]
    end
  RUBY

  # The burning thread's ticks, and what the process has used: 20 ms for other work.
  def test_ractors_that_outlive_a_session_do_not_disturb_the_next
    in_directory do |directory|
      program = write_file(directory, "program.rb", LONG_LIVED)
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      assert_equal [0, 3], [result.code, result.out.lines.size], result.inspect
      result.out.each_line do |line|
        burned, of_main, threads, in_all, spent = JSON.parse(line)
        assert_near Burning::Spent.new(*burned), of_main, result.out
        assert_equal 1, threads, result.out
        assert_operator in_all, :<=, spent + 0.02, result.out
      end
    end
  end

  # Safepoints are asked for while any thread has a GVL, whatever the others do.
  def test_ticks_at_safepoints_go_on_beside_ractors_that_sleep
    in_directory do |directory|
      program = write_file(directory, "program.rb", <<~RUBY)
        require #{SpentTime::BURNING.dump}
        Warning[:experimental] = false
        def first = Burning.burn(0.15)
        def second = Burning.burn(0.15)
        2.times { Ractor.new { loop { sleep 0.02 } } }
        spent = nil
        data = Rperf.start(mode: :cpu, signal: false) { spent = [first, second] }
        weights = %w[first second].map { |name| data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == "Object#" + name } ? weight : 0 } }
        p [data[:engine].to_s, spent.map(&:to_a), weights]
      RUBY
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      assert_equal 0, result.code, result.inspect
      engine, spent, weights = JSON.parse(result.out)
      assert_equal "safepoint", engine
      spent.zip(weights) { |burned, weight| assert_near Burning::Spent.new(*burned), weight, result.out }
    end
  end

  # Ruby lists no threads of other Ractors, and one that never pauses says nothing of itself.
  def test_ractors_of_before_the_session_are_counted
    in_directory do |directory|
      program = write_file(directory, "program.rb", <<~RUBY)
        Warning[:experimental] = false
        said = -> { Rperf.start(mode: :wall) { sleep 0.01 }[:comments].grep(/Ractor/) }
        p said.call
        busy = Array.new(2) { Ractor.new { Ractor.receive_if { |it| it == :end } } }
        p said.call
        busy.each { |ractor| ractor.send(:end) && ractor.take }
        Thread.pass until Ractor.count == 1 # They have returned, and end.
        p said.call
      RUBY
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      two = "other Ractors when the session began: 2; their threads are seen from their first pause on"
      assert_equal "[]\n[#{two.inspect}]\n[]\n", result.out, result.inspect
    end
  end

  # One that computes from start to end never gives up its GVL, where names are noted otherwise.
  def test_a_thread_of_another_ractor_that_never_pauses_has_its_name
    in_directory do |directory|
      program = write_file(directory, "program.rb", <<~RUBY)
        require #{SpentTime::BURNING.dump}
        Warning[:experimental] = false
        Rperf.start(mode: :wall)
        busy = Ractor.new { (Thread.current.name = "busy") && loop { Burning.burn(0.001) } }
        until (data = Rperf.snapshot)[:samples].any? { |frames,| frames.any? { |_path, name| name == "Burning.burn" } }
          abort "no tick in 30 s" if data[:duration_ns] > 30_000_000_000
        end
        p data[:threads].map { |thread| thread[:name] }, Rperf.stop[:threads].map { |thread| thread[:name] }
      RUBY
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      assert_equal %(["main", "busy"]\n) * 2, result.out, result.inspect
    end
  end

  # Ruby says that a thread gives up its GVL before it looks whether that is still needed, and says
  # nothing when it is not: so end some of many short sleeps. Ticks meet the thread all the same.
  # (Without that 5 to 36 % of the time was charged to what comes after the next sleep.)
  SHORT_SLEEPS = <<~RUBY
    require #{SpentTime::BURNING.dump}
    Warning[:experimental] = false
    def wakes = Burning.burn(0.01)
    def goes_on = Burning.burn(0.01)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    Rperf.start(mode: :wall)
    def moments = sleep(0.00001) && [now, wakes && now, goes_on && now]
    spent = Array.new(2) { Ractor.new { Array.new(100) { moments } } }.flat_map(&:take)
    samples = Rperf.stop[:samples].reject { |frames,| frames.any? { |path,| path == "<GVL>" } }
    %w[wakes goes_on].each_with_index do |name, place|
      found = samples.sum { |frames, weight| frames.any? { |_path, label| label == "Object#" + name } ? weight : 0 }
      puts [found, spent.sum { |moments| moments[place + 1] - moments[place] }].map { |ns| ns / 1e9 }.join(" ")
    end
  RUBY
  # A part of the time of both.
  SHORT_SLEEPS_TOLERANCE = 0.03

  def test_ticks_meet_a_thread_of_another_ractor_whose_sleep_was_over_before_it_began
    in_directory do |directory|
      program = write_file(directory, "program.rb", SHORT_SLEEPS)
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", program, directory:)
      times = result.out.lines.map { |line| line.split.map(&:to_f) }
      assert_equal [0, 2], [result.code, times.size], result.inspect
      tolerance = SHORT_SLEEPS_TOLERANCE * times.sum(&:last)
      times.each { |found, spent| assert_in_delta spent, found, tolerance, result.out }
    end
  end
end
