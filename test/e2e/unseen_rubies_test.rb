# frozen_string_literal: true

require "json"
require_relative "../support/program"

# What rperf does where Ruby has what this one has not: a compiler whose frames are laid out in
# another way, a collector for each Ractor. This Ruby is given the constants and keywords by which
# such a one is known.
class UnseenRubiesTest < Minitest::Test
  include ProgramSupport

  ZJIT = <<~RUBY
    module RubyVM::ZJIT
      class << self
        def enabled? = @enabled ? true : false
        def enable(**) = @enabled = true
      end
    end
  RUBY
  # Uses CPU time of its own until there are as many ticks.
  WORK = "work = ->(ticks) { 100.times { (1..1000).to_a.reverse.sort } until Rperf.snapshot[:tick_count] >= ticks }"

  # What a program prints as JSON, without rperf in it before it begins.
  def printed(program)
    in_directory do |directory|
      result = run_program(RUBY, "-W0", "-I", File.expand_path("../../lib", __dir__), "-e", "require 'json'\n#{program}", directory:)
      assert_equal ["", 0], [result.err, result.code]
      JSON.parse(result.out)
    end
  end

  def test_a_session_under_zjit_takes_stacks_at_safepoints
    engine, sorted, layout = printed(<<~RUBY)
      #{ZJIT}
      RubyVM::ZJIT.enable
      require "rperf"
      #{WORK}
      Rperf.start(mode: :cpu)
      work.(20)
      data = Rperf.stop
      print JSON[[data[:engine], data[:samples].count { |sample| sample[0].any? { it[1] == "Array#sort" } }, Array(data[:comments]).grep(/layout/)]]
    RUBY
    assert_equal "safepoint", engine
    assert_operator sorted, :>, 0
    assert_empty layout
  end

  def test_zjit_that_begins_in_a_session
    before, proved, after, engine, later, enabled, ticks, weight, cpu = printed(<<~RUBY)
      #{ZJIT}
      require "rperf"
      #{WORK}
      Rperf.start(mode: :cpu)
      work.(20)
      before = Rperf.snapshot(clear: true)
      RubyVM::ZJIT.enable(mem_size: 1)
      began = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
      work.(20)
      cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - began
      data = Rperf.stop
      later = Rperf.start(mode: :cpu) { 1 }
      print JSON[[before[:engine], before[:comments].grep(/layout/), data[:samples].sum(&:count), data[:engine], later[:engine], RubyVM::ZJIT.enabled?,
                  data[:tick_count], data[:samples].sum { it[1] }, cpu]]
    RUBY
    assert_equal ["poll", "mixed", "safepoint", true], [before, engine, later, enabled]
    assert_match(/\Alayout: context at byte \d+ of a thread, frames of \d+ bytes\z/, proved.first)
    assert_operator after, :>, 0
    assert_operator ticks, :>=, 20
    # What the sampling thread used is part of the process's time, not of the profile's.
    assert_in_delta 1, weight.fdiv(cpu), 0.5
  end

  def test_zjit_is_named_where_yjit_is
    in_directory do |directory|
      write_file(directory, "zjit.rb", "#{ZJIT}RubyVM::ZJIT.enable\n")
      env = {"RUBYOPT" => "-r#{directory}/zjit.rb"}
      doctor = rperf("doctor", directory:, env:)
      assert_equal 1, doctor.code
      assert_match(/^ok +zjit +on: stacks are taken at safepoints/, doctor.out)
      assert_match(/^bad +engine +safepoint: ZJIT's frames .*\n +Profile without --zjit/, doctor.out)
      assert_match(/^note +layout +not proved/, doctor.out)
      assert_match(/^note +alloc +event/, doctor.out)
      assert_match(/^ +on +\[Ruby\] ZJIT$/, rperf("stat", "ruby", "-e", "1", directory:, env:).err)
    end
  end

  def test_mode_heap_beside_a_collector_for_each_ractor
    message, alloc = printed(<<~RUBY)
      require "rperf"
      GC.singleton_class.prepend(Module.new { def start(full_mark: true, immediate_mark: true, immediate_sweep: true, global: true) = super(full_mark:) })
      message = begin; Rperf.start(mode: :heap); rescue Rperf::Error => error; error.message; end
      print JSON[[message, Rperf.start(mode: :alloc, interval: 1) { Array.new(100) { [] } }[:samples].sum { it[1] }]]
    RUBY
    assert_match(/\Amode: :heap \(-m heap\) is not possible here: /, message)
    assert_operator alloc, :>=, 101
  end
end
