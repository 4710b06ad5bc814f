# frozen_string_literal: true

require_relative "support/manual_session"

# Programs with the real timer at its highest frequency that start other programs, and the other samplers.
class VmProgramsTest < Minitest::Test
  include ManualSession

  # Computes until so much CPU time has gone.
  BUSY = <<~RUBY
    TEXT = "x" * 20_000
    def busy(seconds)
      finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
      TEXT.count("a-z") while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
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

  def test_the_reader = assert_shares("tick", "reader", RPERF_TIMER: "reader")
  def test_task_clocks = assert_shares("tick", "perf", RPERF_TIMER: "perf")
  def test_a_layout_that_is_not_proved = assert_shares("safepoint", "thread", RPERF_LAYOUT_PROOF: "fail")

  # Nanoseconds of the 200 ms that two children compute: a child whose session never ticks loses its half.
  CHILDREN_AT_LEAST = 150_000_000

  # A child's time is its own method's, not that of the call that made it, and the hook that began its session is
  # not in the profile.
  def test_forked_children_of_a_profiled_program
    %w[fail prove].each do |proof|
      data = recorded("#{BUSY}2.times { fork { busy(0.1) } }; Process.waitall", proof)
      busy = data[:samples].select { |frames,| frames.any? { |frame| frame.label == "Object#busy" } }
      assert_operator busy.sum { |sample| sample[1] }, :>=, CHILDREN_AT_LEAST
      assert(data[:samples].none? { |frames,| frames.any? { |frame| frame.label.start_with?("Rperf::") } })
    end
  end

  def recorded(code, proof)
    in_directory do |directory|
      path = File.join(directory, "profile.json")
      result = Subprocess.run(Paths::RUBY, Paths::EXE, "record", "-o", path, Paths::RUBY, "-e", code,
        env: {"RPERF_LAYOUT_PROOF" => proof, "RUBYOPT" => nil, "RUBYLIB" => nil})
      assert_predicate result, :success?, result.report
      Rperf.load(path)
    end
  end
end
