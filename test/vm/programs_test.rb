# frozen_string_literal: true

require_relative "support/manual_session"

# Programs with the real timer at its highest frequency that start other programs, and the other samplers.
class VmProgramsTest < Minitest::Test
  include ManualSession

  # Computes until so much CPU time has gone.
  BUSY = <<~RUBY
    def busy(seconds)
      finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
      nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
    end
  RUBY

  %i[cpu wall].each do |mode|
    define_method("test_other_programs_in_#{mode}_mode") do
      printed = ruby(<<~RUBY)
        #{BUSY}
        Rperf.start(mode: :#{mode}, frequency: 10_000)
        20.times do
          busy(0.002)
          raise unless system("true")
          raise unless `echo text` == "text\\n"
          raise unless Process.wait2(spawn("exit 3")).last.exitstatus == 3
          raise unless IO.popen(%w[cat], "r+") { |io| io << "x"; io.close_write; io.read } == "x"
          raise unless Process.wait2(fork { busy(0.001); exit!(4) }).last.exitstatus == 4
        end
        data = Rperf.stop
        raise data[:dropped].inspect unless data[:samples].any? { |frames,| frames.any? { |_path, label| label == "Object#busy" } }
        $stdout.sync = true
        Rperf.start(mode: :#{mode}, frequency: 10_000)
        busy(0.01)
        exec("echo", "executed")
      RUBY
      assert_equal "executed\n", printed
    end
  end

  # Which sampler and tick source, and the shares of two methods in percent.
  SHARES = <<~RUBY
    #{BUSY}
    def twice = busy(0.2)
    def once = busy(0.1)
    data = Rperf.start(mode: :cpu) { 2.times { twice; once } }
    share = lambda do |name|
      samples = data[:samples].select { |frames,| frames.any? { |_path, label| label == name } }
      samples.sum { |sample| sample[1] } * 100 / data[:samples].sum { |sample| sample[1] }
    end
    puts [data[:sampler], data[:comments].grep(/timer:/).first, share["Object#twice"], share["Object#once"]]
  RUBY
  # Percent points; the methods take 67 and 33.
  TOLERANCE = 5

  def assert_shares(sampler, timer, **environment)
    name, source, twice, once = ruby(SHARES, env: environment.transform_keys(&:to_s)).lines(chomp: true)
    assert_equal [sampler, "timer: #{timer}"], [name, source]
    assert_in_delta 67, twice.to_i, TOLERANCE
    assert_in_delta 33, once.to_i, TOLERANCE
  end

  def test_a_layout_that_is_not_proved = assert_shares("safepoint", "timer", RPERF_LAYOUT_PROOF: "fail")
  def test_the_posix_timer = assert_shares("tick", "timer", RPERF_TIMER: "timer")

  # The child's time is its own method's, not that of the call that made it.
  def test_a_forked_child_at_safepoints
    code = <<~RUBY
      #{BUSY}
      def make = fork { yield }
      Rperf.start(mode: :cpu)
      busy(0.01)
      pid = make do
        data = Rperf.start(mode: :cpu) { busy(0.1) }
        leaves = data[:samples].sum { |frames, weight| frames.first.last == "Object#busy" || frames[1].last == "Object#busy" ? weight : 0 }
        puts leaves * 100 / data[:samples].sum { |sample| sample[1] }
      end
      Process.wait(pid)
    RUBY
    shares = Array.new(4) { ruby(code, env: {"RPERF_LAYOUT_PROOF" => "fail"}).to_i }
    assert_operator shares.min, :>=, 90, shares.inspect
  end
end
