# frozen_string_literal: true

require "json"
require_relative "../support/program"

# What rperf loads and proves when it is first used, if that is interrupted, done by several threads
# at once, or impossible: the next use does it, and no session is the worse for it.
class FirstUseTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Seconds. They take one or two, or wait for ever.
  AT_MOST = 60
  # Calls the block once, in the middle of the loading of a file: where its code has been compiled.
  BEGINNING = <<~RUBY
    require "rperf"
    require "json"
    def in_the_middle_of(file)
      TracePoint.new(:script_compiled) do |point|
        next if @met || !point.instruction_sequence.path.end_with?(file)
        @met = true
        yield
      end.enable
    end
    def profile(**options) = Rperf.start(mode: :cpu, **options) { Thread.new { Thread.current.name = "named"; 20_000.times { |number| number.to_s } }.join }
    def facts(data) = [data[:engine], data[:threads].last[:name]]
  RUBY
  PROVED = %w[poll named].freeze

  def results(code)
    in_directory do |directory|
      write_file(directory, "app.rb", BEGINNING + code)
      result = run_program("/usr/bin/env", "timeout", "-s", "KILL", AT_MOST.to_s, RUBY, "-W0", "-I", File.join(ROOT, "lib"), "app.rb", directory:)
      assert_equal ["", 0], [result.err, result.code], result.out
      return result.out.lines.map { |line| JSON.parse(line) }
    end
  end

  FILES = %w[layout_proof/stacks.rb thread_names/unstarted.rb].freeze

  # By another thread, which waits until the proof has been run; and by the thread itself, at once.
  def test_a_first_start_that_is_interrupted
    FILES.product(["Thread.new { first.kill }.join", "first.kill"]) do |file, kill|
      assert_equal [[true, nil, PROVED]], results(<<~RUBY), [file, kill].inspect
        first = Thread.new { Thread.stop; Rperf.start(mode: :cpu); true }
        in_the_middle_of("#{file}") { #{kill} }
        Thread.pass until first.stop?
        first.run
        value = first.value
        Rperf.stop
        puts JSON.generate([@met, value, facts(profile)])
      RUBY
    end
  end

  def test_two_first_starts_at_once
    FILES.each do |file|
      assert_equal [PROVED, nil], results(<<~RUBY), file
        start = -> { facts(profile) rescue (raise unless $!.is_a?(Rperf::Error)) }
        second = nil
        in_the_middle_of("#{file}") { second = Thread.new(&start); Thread.pass until second.stop? }
        first = start.call
        [first, second.value].sort_by { |facts| facts ? 0 : 1 }.each { |facts| puts JSON.generate(facts) }
      RUBY
    end
  end

  def test_a_fork_while_another_thread_is_in_its_first_start
    FILES.each do |file|
      assert_equal [PROVED, PROVED], results(<<~RUBY), file
        $stdout.sync = true
        inside, go_on = Thread::Queue.new, Thread::Queue.new
        in_the_middle_of("#{file}") { inside << true; go_on.pop }
        first = Thread.new { facts(profile) }
        inside.pop
        Process.wait(fork { puts JSON.generate(facts(profile)); exit!(0) })
        go_on << true
        puts JSON.generate(first.value)
      RUBY
    end
  end

  def test_a_signal_handler_in_the_middle_of_the_first_start
    FILES.each do |file|
      assert_equal [PROVED, PROVED], results(<<~RUBY), file
        handled = nil
        trap(:USR1) { handled = facts(profile) }
        in_the_middle_of("#{file}") { Process.kill(:USR1, $$); Thread.pass until handled }
        own = facts(profile)
        [handled, own].each { |facts| puts JSON.generate(facts) }
      RUBY
    end
  end

  def test_a_proof_of_allocations_that_two_threads_need_at_once
    assert_equal [[2, 2]], results(<<~RUBY)
      made = -> { 2.times { Object.new } }
      made.call # The VM makes caches for its calls.
      count = -> { Rperf.allocations(&made) }
      second = nil
      in_the_middle_of("allocation_proof/objects.rb") { second = Thread.new(&count); Thread.pass until second.stop? }
      first = count.call
      puts JSON.generate([first, second.value])
    RUBY
  end

  # Each call that loads a part of rperf.
  CALLS = ["Rperf.ledger", "Rperf.allocations { 1 }", 'Rperf.classify_wait("A#b" => :x)', "Rperf.load(__FILE__)", "Rperf.start(mode: :cpu) { 1 }",
           "Rperf.start(mode: :heap) { 1 }", "Rperf.start(inherit: true) { 1 }", "Rperf::OTLP.encode({samples: []})"].freeze

  def test_a_signal_handler_that_needs_a_part_of_rperf
    sentence = "Ruby loads no file in a signal handler, and this is the first use of a part of rperf: start a thread there that does it"
    (CALLS - ["Rperf.start(mode: :cpu) { 1 }"]).each do |call|
      assert_equal [["Rperf::Error", sentence], false], results(<<~RUBY), call
        attempt = -> { begin; #{call}; nil; rescue Exception => error; [error.class, error.message]; end }
        handled = false
        trap(:USR1) { handled = attempt.call }
        Process.kill(:USR1, $$)
        Thread.pass until handled
        puts JSON.generate(handled), JSON.generate(Thread.new(&attempt).value == handled)
      RUBY
    end
  end

  def test_no_file_descriptor_is_free
    *errors, after, ledger = results(<<~RUBY)
      Process.setrlimit(:NOFILE, 64, Process.getrlimit(:NOFILE).last)
      full = []
      begin
        loop { full << File.open(File::NULL) }
      rescue Errno::EMFILE
      end
      errors = #{CALLS.inspect}.map { |call| [call, begin; eval(call); nil; rescue Exception => error; [error.class, error.message]; end] }
      full.each(&:close)
      errors.each { |error| puts JSON.generate(error) }
      puts JSON.generate(facts(profile(mode: :wall))), JSON.generate(Rperf.ledger)
    RUBY
    assert_equal CALLS, errors.map(&:first)
    errors.each do |call, (kind, message)|
      assert_equal "Rperf::Error", kind, call
      assert_match(%r{\Acannot load '/.+': no file descriptor is free; close files or sockets, or raise the limit \(ulimit -n\)\z}, message, call)
    end
    assert_equal [PROVED, []], [after, ledger]
  end
end
