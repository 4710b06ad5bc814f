# frozen_string_literal: true

require "json"
require_relative "support/manual_session"

# A program that takes a profile of each period: what a session keeps does not grow with their
# number.
class PeriodsTest < Minitest::Test
  include ManualSession

  # Labels, threads, classes and code of its own for each period, of which an object or two stay for
  # a while, and one for good.
  PERIODS = 120
  PROGRAM = <<~RUBY
    require "json"
    require "rperf/work"
    KEPT = []
    STAYS = []
    # New code, and an object of a class of its own.
    def made(number) = Class.new { define_method(:call) { eval("[+'own', \#{number}]") } }.new

    def period(number)
      3.times do |part|
        Rperf.label(request: "\#{number}.\#{part}") do
          KEPT.push(Thread.new { made(number).call }.value)
          Rperf::Native.tick
        end
      end
      KEPT.shift while KEPT.length > 6
      STAYS.push(+"one")
    end

    def sizes = Rperf::Native.table_sizes

    Rperf::LayoutProof.ensure
    require "rperf/allocation_proof"
    Rperf::Native.start(**OPTIONS, direct: Rperf::AllocationProof.ensure)
    early = late = nil
    1.upto(#{PERIODS}) do |number|
      period(number)
      GC.start # What has been sampled is looked at.
      [Rperf::Native.snapshot(true)].flatten.each { |profile| profile.bytes(:pprof, false, false) }
      early = sizes if number == 20
      late = sizes if number == #{PERIODS}
    end
    puts JSON.generate([early, late])
  RUBY

  # Entries that are there at one moment and not at another: a collection leaves an object that the
  # stack still refers to.
  SLACK = 20

  def test_tables_do_not_grow_with_the_number_of_periods
    [:alloc, :heap, %i[cpu alloc], %i[wall heap], %i[heap cpu]].each do |mode|
      options = {**OPTIONS, mode:, interval: 1, min_age: 0}
      early, late = JSON.parse(ruby("OPTIONS = #{options}\n#{PROGRAM}"))
      assert_equal early.keys, late.keys, mode.inspect
      assert_operator late["stacks"], :>, 0, mode.inspect if Array(mode).include?(:heap)
      assert_operator late.delete("live objects"), :<=, early["live objects"] + PERIODS + SLACK
      grown = late.select { |name, entries| entries > early.fetch(name) + SLACK }
      assert_empty grown, "#{mode.inspect}: #{early} became #{late}"
    end
  end

  # A record of an object that keeps its code would keep all that belongs to the code, too, and
  # perhaps the object. What has seen the class is done in threads: a thread that has ended has no
  # stack on which words may hold it.
  GONE = <<~RUBY
    require "rperf/allocation_proof"
    Text = Class.new(String)
    Thread.new do
      class Gone
        def make = Text.new("kept")
      end
    end.join
    # A constant in code keeps what it stands for.
    def gone = Object.const_get(:Gone)
    def start = gone.new.make

    Rperf::LayoutProof.ensure
    Rperf::Native.start(**OPTIONS, direct: Rperf::AllocationProof.ensure)
    Thread.new { gone.instance_variable_set(:@own, start) }.join
    KEPT = Thread.new { start }.value
    Thread.new { Object.__send__(:remove_const, :Gone).then { nil } }.join
    profiles = Array.new(6) do
      GC.start
      Rperf::Native.snapshot(true, true)
    end
    rows = profiles.map do |profile|
      data = profile.to_h
      texts = data[:samples].select { |sample| sample.values[2] > 0 && data[:label_sets].fetch(sample[3])[:class] == "Text" }
      texts.map { |sample| [sample.values[2], sample[0].map(&:label).first(3), sample.lines.map { |lines,| lines.first(3) }] }
    end
    puts JSON.generate([rows.first, rows.last, ObjectSpace.each_object(Class).count { |of| of.name == "Gone" }])
  RUBY

  def test_names_outlive_the_code_of_what_lives
    options = {**OPTIONS, mode: :heap, interval: 1, min_age: 0}
    first, last, classes = JSON.parse(ruby("require 'json'; OPTIONS = #{options}\n#{GONE}"))
    assert_equal [[1, ["String.new", "Gone#make", "Object#start"], [[0, 6, 11]]]], last
    assert_equal 2, first.sum(&:first)
    assert_equal 0, classes
  end

  def test_there_are_no_tables_without_a_session
    assert_empty Native.table_sizes
  end
end
