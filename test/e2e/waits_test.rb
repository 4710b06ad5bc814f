# frozen_string_literal: true

require "json"
require_relative "../support/program"

# What threads wait for, of a program whose waits are known.
class WaitsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Each thread waits for so many seconds.
  SECONDS = 0.3
  PROGRAM = <<~RUBY
    require "socket"
    require "monitor"
    def hold(lock, method) = Thread.new { lock.public_send(method) { sleep #{SECONDS} } }.tap { Thread.pass until lock.respond_to?(:locked?) ? lock.locked? : lock.mon_locked? }
    def later = Thread.new { sleep #{SECONDS}; yield }
    mutex, monitor, queue, pipe = Mutex.new, Monitor.new, Queue.new, IO.pipe
    server = TCPServer.new("127.0.0.1", 0)
    client = TCPSocket.new("127.0.0.1", server.addr[1])
    connection = server.accept
    waiting, met = Mutex.new, ConditionVariable.new
    hold(mutex, :synchronize)
    hold(monitor, :synchronize)
    later { queue << 1 }
    later { pipe.last << "x" }
    later { connection << "x" }
    later { waiting.synchronize { met.signal } }
    [-> { mutex.lock }, -> { monitor.enter }, -> { queue.pop }, -> { pipe.first.read(1) }, -> { client.recv(1) },
     -> { waiting.synchronize { met.wait(waiting) } }, -> { system("sleep #{SECONDS}") }, -> { sleep #{SECONDS} }].map do |wait|
      Thread.new { wait.call }
    end.each(&:join)
  RUBY
  EXPECTED = {"lock" => 2, "queue" => 1, "io" => 1, "network" => 1, "condition" => 1, "process" => 1}.freeze

  # A client of its own, whose waits the program names; another program reads the profile.
  NAMED = <<~RUBY
    require "rperf"
    class Store
      def get(io) = io.read(1)
    end
    Rperf.classify_wait("Store#" => :database, "Own.nap" => "rest")
    module Own
      def self.nap = sleep(#{SECONDS})
    end
    reader, writer = IO.pipe
    threads = [Thread.new { Store.new.get(reader) }, Thread.new { Own.nap }, Thread.new { Queue.new.pop(timeout: #{SECONDS}) }]
    sleep #{SECONDS}
    writer << "x"
    threads.each(&:join)
  RUBY

  def rows(*options, directory:)
    result = rperf("report", "--by", "wait", "--idle", "--format", "json", *options, directory:)
    JSON.parse(result.out).fetch("values").to_h { |row| [row.fetch("name"), row.fetch("total") / 1e9] }
  end

  # With its profile as app.json and in formats that keep the labels of waits.
  def named
    shared_directory do |directory|
      write_file(directory, "app.rb", NAMED)
      assert_equal 0, rperf("record", "-m", "wall", "-o", "app.json", RUBY, "app.rb", directory:).code
      %w[app.pb.gz app.otlp].each { |name| assert_equal 0, rperf("convert", "app.json", name, directory:).code }
    end
  end

  def test_what_the_program_calls_waits_goes_with_the_profile
    directory = named
    %w[app.json app.pb.gz app.otlp].each do |name|
      seconds = rows(name, directory:)
      %w[database rest queue].each { |kind| assert_in_delta SECONDS, seconds.fetch(kind), 0.2, "#{kind} in #{name}" }
    end
  end

  def test_the_report_may_call_them_otherwise
    directory = named
    kinds = rows("--wait", "Store#get=store", "--wait", "Thread::Queue#=inbox", "app.pb.gz", directory:).keys
    assert_equal [%w[inbox rest store], []], [%w[inbox rest store] & kinds, %w[database queue] & kinds]
    result = rperf("report", "--by", "wait", "--wait", "pop", "app.pb.gz", directory:)
    assert_equal [2, ""], [result.code, result.out]
    assert_match(/\Arperf: --wait takes METHOD=KIND: a method whose waits are classified must be a String as reports name it, .*, not "pop"$/, result.err)
  end

  def test_waits_in_filters_and_as_frames
    directory = named
    assert_equal ["queue"], rows("--tagfocus", "wait=queue", "app.json", directory:).keys
    stacks = rperf("report", "--idle", "--tagroot", "wait", "--collapsed", "app.json", directory:).out
    assert_match(/^database;.*;Store#get;IO#read;\[GVL blocked\] \d+$/, stacks)
  end

  def test_what_threads_wait_for
    in_directory do |directory|
      write_file(directory, "app.rb", PROGRAM)
      assert_equal 0, rperf("record", "-m", "wall", "-o", "app.json", RUBY, "app.rb", directory:).code
      result = rperf("report", "--by", "wait", "--idle", "--format", "json", "app.json", directory:)
      rows = JSON.parse(result.out).fetch("values").to_h { |row| [row.fetch("name"), row] }
      EXPECTED.each { |kind, threads| assert_in_delta threads * SECONDS, rows.fetch(kind).fetch("total") / 1e9, 0.25 * threads, kind }
      assert_includes rows.keys, "sleep"
      assert_includes rows.keys, "join"
      # Short waits of the start, of files that are required for example.
      assert_operator rows.fetch("other", {"total" => 0}).fetch("total"), :<, 0.2e9
      text = rperf("report", "--by", "wait", "app.json", directory:).out
      assert_match(/ network +BasicSocket#recv \(/, text)
      assert_match(/ \(not set\) /, text)
    end
  end
end
