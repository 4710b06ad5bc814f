# frozen_string_literal: true

require "json"
require_relative "support/manual_session"
require_relative "../support/spent_time"

# Programs with the real timer at its highest frequency that start other programs, and both engines.
class VmProgramsTest < Minitest::Test
  include ManualSession
  include SpentTime

  # Computes until so much CPU time has gone.
  BUSY = <<~RUBY.freeze
    require #{SpentTime::BURNING.dump}
    def busy(seconds) = Burning.burn(seconds)
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

  # The engine, and of two methods what they used and what they were charged with.
  SHARES = <<~RUBY
    #{BUSY}
    def twice = busy(0.3)
    def once = busy(0.15)
    spent = nil
    data = Rperf.start(mode: :cpu) { spent = Array.new(2) { [twice, once] }.transpose.map { |times| times.sum(Burning::NOTHING) } }
    weights = %w[Object#twice Object#once].map do |name|
      data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == name } ? weight : 0 }
    end
    puts data[:engine], spent.map(&:to_a).zip(weights).inspect
  RUBY

  def assert_shares(engine, **environment)
    name, found = ruby(SHARES, env: environment.transform_keys(&:to_s)).lines(chomp: true)
    assert_equal engine, name
    JSON.parse(found).each { |spent, weight| assert_spent Burning::Spent.new(*spent), weight, found }
  end

  def test_a_layout_that_is_proved = assert_shares("poll")
  def test_a_layout_that_is_not_proved = assert_shares("safepoint", RPERF_LAYOUT_PROOF: "fail")

  # Of what two children used, as a part of it: a child whose session never ticks loses its half.
  CHILDREN_AT_LEAST = 0.75

  # A child's time is its own method's, not that of the call that made it, and the hook that began
  # its session is not in the profile.
  def test_forked_children_of_a_profiled_program
    %w[fail prove].each do |proof|
      out, data = recorded("#{BUSY}2.times { fork { puts busy(0.2).ns } }; Process.waitall", proof)
      busy = data[:samples].select { |frames,| frames.any? { |frame| frame.label == "Object#busy" } }
      assert_operator busy.sum { |sample| sample[1] }, :>=, out.lines.sum(&:to_i) * CHILDREN_AT_LEAST
      assert(data[:samples].none? { |frames,| frames.any? { |frame| frame.label.start_with?("Rperf::") } })
    end
  end

  def recorded(code, proof)
    in_directory do |directory|
      path = File.join(directory, "profile.json")
      result = Subprocess.run(Paths::RUBY, Paths::EXE, "record", "-o", path, Paths::RUBY, "-e", code,
        env: {"RPERF_LAYOUT_PROOF" => proof, "RUBYOPT" => nil, "RUBYLIB" => nil})
      assert_predicate result, :success?, result.report
      [result.stdout, Rperf.load(path)]
    end
  end
end
