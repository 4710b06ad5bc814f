# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Names and numbers of threads and processes, from the program to every output.
class ThreadNamesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Each thread sleeps, so that all have samples, whatever the machine does beside it.
  PROGRAM = <<~RUBY
    def waits = sleep(0.02)
    ids = {}
    note = ->(name) { ids[name] = Thread.current.native_thread_id }
    note["main"]
    Thread.new { note["ended"]; Thread.current.name = "ended"; waits }.join
    Thread.new { note["renamed"]; Thread.current.name = "first"; waits; Thread.current.name = "renamed" }.join
    Thread.new { note["unnamed"]; waits }.join
    Thread.new { note["wörk"]; waits }.tap { |thread| thread.name = "w\u00f6rk" }.join
    GC.start
    GC.compact if GC.respond_to?(:compact)
    ready = Queue.new
    living = Thread.new { note["living"]; ready << true; sleep }
    ready.pop
    living.name = "living"
    waits
    child = fork do
      $0 = "worker: 1 of 1"
      Thread.new { waits }.tap { |thread| thread.name = "in child" }.join
    end
    Process.wait(child)
    puts ids.merge("pid" => Process.pid, "child" => child).map { |pair| pair.join("=") }
  RUBY

  # Yields the directory in which `p.json` is the program's profile, and what it printed.
  def recorded
    directory = shared_directory do |directory|
      write_file(directory, "program.rb", PROGRAM)
      result = rperf("record", "-m", "wall", "-o", "p.json", "ruby", "program.rb", "a b", directory:)
      assert_equal 0, result.code, result.inspect
      write_file(directory, "printed", result.out)
    end
    yield directory, File.readlines(File.join(directory, "printed"), chomp: true).to_h { |line| line.split("=").then { |name, number| [name, number.to_i] } }
  end

  def test_every_thread_has_its_name_and_numbers
    recorded do |directory, ids|
      data = Rperf.load(File.join(directory, "p.json"))
      pid, child = ids.values_at("pid", "child")
      assert_equal({pid => "ruby program.rb a b", child => "worker: 1 of 1"}, data[:processes].to_h { |process| process.values_at(:pid, :command) })
      assert_equal pid, data[:processes].find { |process| process[:pid] == child }[:ppid]
      own, childs = data[:threads].partition { |thread| data[:processes][thread[:process]][:pid] == pid }
      assert_equal ["in child", "main"], childs.map { |thread| thread[:name] }.sort
      expected = ids.except("pid", "child", "unnamed").merge(nil => ids.fetch("unnamed"))
      assert_equal expected, own.to_h { |thread| thread.values_at(:name, :native_thread_id) }
    end
  end

  def test_every_output_has_them
    recorded do |directory, ids|
      # 2, or more where the system's numbers of processes begin anew: the child's come first then.
      number = Rperf.load(File.join(directory, "p.json"))[:threads].find { |thread| thread[:name] == "ended" }.fetch(:thread_seq)
      outputs = {"p.speedscope.json" => "ended (thread #{number}, pid #{ids["pid"]})", "p.firefox.json" => '"name":"ended"', "p.md" => "`ended (thread #{number}, pid #{ids["pid"]})`"}
      outputs.each do |name, text|
        assert_equal 0, rperf("convert", "p.json", name, directory:).code
        assert_includes File.read(File.join(directory, name)), text
      end
      assert_equal 0, rperf("convert", "p.json", "p.pb.gz", directory:).code
      %w[p.json p.pb.gz].each do |file|
        labels = rperf("report", "--labels", file, directory:).out
        ["ended", "w\u00f6rk", "living", "worker: 1 of 1", "ruby program.rb a b", *ids.values].each { |value| assert_match(/: #{value}$/, labels) }
        assert_match(/^ +process: +worker: 1 of 1$/, rperf("report", "--traces", "--tagfocus", "thread=in child", file, directory:).out)
      end
      keys = %i[threads processes]
      assert_equal(*%w[p.json p.pb.gz].map { |file| Rperf.load(File.join(directory, file)).values_at(*keys) })
    end
  end

  def test_firefox_has_one_number_for_each_track
    recorded do |directory, ids|
      rperf("convert", "p.json", "p.firefox.json", directory:)
      tracks = JSON.parse(File.read(File.join(directory, "p.firefox.json"))).fetch("threads")
      assert_equal tracks.length, tracks.map { |track| track["tid"] }.uniq.length
      main = tracks.select { |track| track["isMainThread"] }
      # In any order: where the system's numbers begin anew, the child has the smaller one.
      names = ids.values_at("pid", "child").map(&:to_s).zip(["ruby program.rb a b", "worker: 1 of 1"])
      assert_equal names.sort, main.map { |track| track.values_at("pid", "processName") }.sort
    end
  end

  # A program gives labels of these names, too.
  def test_labels_of_the_program_come_first
    data = Rperf.start(mode: :wall) { Rperf.label(process: "import", pid: "none") { sleep 0.01 } }
    in_directory do |directory|
      Rperf.save(File.join(directory, "p.pb.gz"), data)
      labels = rperf("report", "--labels", "p.pb.gz", directory:).out
      assert_match(/: import$/, labels)
      assert_match(/: none$/, labels)
    end
  end

  def test_data_with_threads_that_cannot_be
    data = Rperf.start(mode: :wall) { sleep 0.01 }
    {
      {threads: 5} => "the data's threads must be an Array of Hashes, not 5",
      {threads: [{name: "x"}]} => 'thread 0 of the data must be a Hash with a thread_seq from 1 to 2^32 - 1, not {name: "x"}',
      {threads: [{thread_seq: 1, name: 5}]} => "name of thread 0 of the data must be a String, not 5",
      {threads: [{thread_seq: 1, process: 9}]} => "the data cannot be used: thread 0 refers to a process that does not exist",
      {processes: [{pid: -1}]} => "pid of process 0 of the data must be a whole number from 0 to 2^32 - 1, not -1"
    }.each do |wrong, message|
      assert_equal message, assert_raises(ArgumentError) { Rperf::PProf.encode(data.merge(wrong)) }.message
    end
  end
end
