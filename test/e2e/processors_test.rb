# frozen_string_literal: true

require_relative "../support/test_helper"
require_relative "../support/subprocess"

# Which processors a program may use stays its own business.
class ProcessorsTest < Minitest::Test
  # Runs and waits in turn, which is where the system puts both on one processor. Prints the lists
  # of all threads but the sampling thread's, of a thread that begins in the session, and of a
  # child.
  PROGRAM = <<~'RUBY'
    def allowed(status) = status[/^Cpus_allowed_list:\s*(\S+)/, 1]
    def run(rounds) = rounds.times { sleep 0.000_4; 4_000.times { |i| i.to_s } }
    before = allowed(File.read("/proc/self/status"))
    Rperf.start(mode: ENV.fetch("MODE").to_sym) do
      run(1_000)
      Thread.new { run(100) }.join
      # A native thread may end meanwhile.
      read = ->(file) { File.read(file) rescue nil }
      tasks = Dir["/proc/self/task/*"].reject { |task| read.("#{task}/comm")&.chomp == "rperf" }
      now = tasks.filter_map { |task| read.("#{task}/status")&.then { |status| allowed(status) } }
      child = allowed(IO.popen(["cat", "/proc/self/status"], &:read))
      print [before, *now, child].uniq.join(" ")
    end
    print ";", before
  RUBY

  %w[cpu wall].each do |mode|
    define_method("test_the_program_keeps_its_processors_in_#{mode}_mode") do
      result = Subprocess.run(Paths::RUBY, "-W0", "-I", Paths::LIB, "-r", "rperf", "-e", PROGRAM, env: {"MODE" => mode})
      assert_predicate result, :success?, result.report
      now, before = result.stdout.split(";")

      refute_empty before
      assert_equal before, now
    end
  end
end
