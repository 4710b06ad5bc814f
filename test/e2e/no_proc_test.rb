# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"
require_relative "../../bench/accuracy/lib/circumstance"

# Programs on one processor, which the sampling thread takes from them at each tick: /proc says that
# they wait for it. It may be out of reach.
class NoProcTest < Minitest::Test
  include ProgramSupport

  # Each method is charged with so much of what it took, at least. (Ticks come late beside other
  # programs.)
  AT_LEAST = 0.5

  BEGINNING = <<~RUBY
    require "rperf"
    require "json"
    require #{SpentTime::BURNING.dump}

    def one = Burning.burn(0.1).ns
    def two = Burning.burn(0.1).ns

    def methods(data, spent)
      charged = [:one, :two].map do |name|
        data[:samples].sum { |frames, weight| frames.any? { |frame| frame.label == "Object#\#{name}" } ? weight : 0 }
      end
      {spent:, charged:, engine: data[:engine], no_proc: data[:comments].to_a.grep(/no \\/proc/)}
    end

    def session(mode = :cpu)
      Rperf.start(mode:)
      yield
      spent = [one, two]
      methods(Rperf.stop, spent)
    end

    # In a child.
    def forked(&block)
      IO.popen("-") { |pipe| pipe ? JSON.parse(pipe.read, symbolize_names: true) : print(JSON.generate(block.call)) }
    end
  RUBY
  CPU = "no /proc: a tick is also charged to a thread that has just fallen asleep with the GVL"
  WALL = "no /proc: waiting for a processor is charged to methods, not to [CPU wait]"

  # What the program, pinned to one processor, says of its sessions.
  def sessions(code)
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "empty"))
      words = [*Accuracy::Circumstance::PIN, RUBY, "-e", BEGINNING + code]
      result = run_program(*words, directory:, env: {"RUBYLIB" => File.join(ROOT, "lib")})
      assert_equal 0, result.code, result.inspect
      JSON.parse(result.out, symbolize_names: true)
    end
  end

  def assert_charged(found, *comments)
    assert_equal ["poll", comments], found.values_at(:engine, :no_proc), found
    found[:spent].zip(found[:charged]) { |spent, charged| assert_operator charged, :>=, spent * AT_LEAST, found }
  end

  def test_no_free_descriptor
    found = sessions(<<~RUBY)
      soft, hard = Process.getrlimit(:NOFILE)
      found = session { Process.setrlimit(:NOFILE, 1, hard) }
      Process.setrlimit(:NOFILE, soft, hard)
      print JSON.generate(found)
    RUBY
    assert_charged found
  end

  # The child asks about its own threads.
  def test_a_child
    parent, child = sessions(<<~RUBY)
      child = nil
      parent = session { child = forked { session { } } }
      print JSON.generate([parent, child])
    RUBY
    assert_charged parent
    assert_charged child
  end

  # The session that runs keeps what it has opened; later ones, and those of children, have nothing.
  def test_another_root_directory
    first, second, waits, child = sessions(<<~RUBY)
      first = session { Dir.chroot("empty") }
      print JSON.generate([first, session { }, session(:wall) { }, forked { session { } }])
    RUBY
    assert_charged first
    assert_charged second, CPU
    assert_charged waits, WALL
    assert_charged child, CPU
  end if Process.uid.zero?
end
