# frozen_string_literal: true

require "json"
require "open3"
require_relative "../support/program"

# How old what is in use is, from the program to the files and back.
class AgesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # 100 objects that are made at first, 100 that are made at last, and garbage.
  PROGRAM = <<~RUBY
    class First; end
    class Last; end
    FIRST = Array.new(100) { First.new }
    8.times { Array.new(1000) { First.new }; GC.start; sleep 0.05 }
    LAST = Array.new(100) { Last.new }
  RUBY

  def test_ages_go_through_all_formats_that_have_labels
    in_directory do |directory|
      record(directory)
      rperf("convert", "p.pb.gz", "p.json", directory:)
      rperf("convert", "p.json", "q.pb.gz", directory:)
      datas = %w[p.pb.gz p.json q.pb.gz].map { |name| Rperf.load(File.join(directory, name)) }
      sums = datas.map { |data| in_use(data, "First") + in_use(data, "Last") }
      assert_equal sums.first, sums[1]
      assert_equal sums.first, sums[2]
      assert_ages(datas.first)
    end
  end

  def test_reports_filter_by_age_as_pprof_does
    in_directory do |directory|
      record(directory)
      ["lived=300ms:", "lived=:1ms", "age=4:"].each do |filter|
        ours = rperf("report", "--top", "--sample-index", "inuse_objects", "--nodefraction", "0", "--tagfocus", filter, "p.pb.gz", directory:).out
        pprof, = Open3.capture2("go", "tool", "pprof", "-sample_index=inuse_objects", "-top", "-nodefraction=0", "-tagfocus", filter,
          "p.pb.gz", chdir: directory, err: File::NULL)
        assert_equal pprof[/^Showing .*$/], ours[/^Showing .*$/], filter
      end
    end
  end

  def test_ages_do_not_show_in_reports_that_do_not_ask_for_them
    in_directory do |directory|
      record(directory)
      rows = rperf("report", "--top", "--nodefraction", "0", "p.pb.gz", directory:).out.lines.grep(/  (First|Last)$/)
      assert_equal %w[First Last], rows.map { |row| row.split.last }.sort
    end
  end

  BORN = <<~'RUBY'
    require "json"
    require "rperf"
    KEPT, moments = [], []
    Rperf.start(mode: :heap, interval: 1)
    %w[A B C].each do |name|
      kind = Object.const_set(name, Class.new)
      moments << Time.now
      10.times { KEPT << kind.new }
    end
    moments << Time.now
    counts = lambda do |data|
      rows = data[:samples].map { |sample| [data[:label_sets].fetch(sample[3])[:class], sample.values[2]] }
      %w[A B C].map { |name| rows.sum { |known, objects| known == name ? objects : 0 } }
    end
    from, to = moments[1, 2]
    ranges = [from..to, from..to - 1, from.., ..to, ...moments[0], Time.new(-9999)..Time.new(9999), nil]
    snapshots = ranges.map { |born| Rperf.snapshot(gc: true, born:) }
    period = Rperf.snapshot(clear: true, gc: true)
    later = Rperf.snapshot(born: from..to)
    allocated = snapshots.map { |data| data[:samples].sum { |sample| sample.values[0] } > 0 }
    puts JSON.generate [snapshots.map(&counts), allocated, counts.(later), snapshots[2][:comments].grep(/born/), later[:comments].grep(/born/),
                        Rperf.snapshot(born: nil..nil)[:comments].grep(/born/)]
    errors = -> { [[5, false], [1..2, false], [from..to, true]].map { |born, clear| Rperf.snapshot(born:, clear:) rescue $!.message } }
    puts JSON.generate errors.call
    Rperf.stop
    puts JSON.generate errors.call
    Rperf.start(mode: :alloc)
    puts (Rperf.snapshot(born: from..to) rescue $!.message)
  RUBY

  def test_births_between_two_moments
    in_directory do |directory|
      lines = run_program(RUBY, "-I", Paths::LIB, "-e", BORN, directory:).out.lines
      counts, allocated, later, comments, past, unlimited = JSON.parse(lines[0])
      assert_equal [[0, 10, 0], [0, 0, 0], [0, 10, 10], [10, 10, 0], [0, 0, 0], [10, 10, 10], [10, 10, 10]], counts
      assert_equal [false] * 6 + [true], allocated
      assert_equal [0, 10, 0], later, "in the next period"
      assert_match(/\Aborn: from \d+\.\d{6} s after the start of the period\z/, comments.first)
      assert_match(/\Aborn: from \d+\.\d{6} s before to \d+\.\d{6} s before the start of the period\z/, past.first)
      assert_empty unlimited
      errors = ["born: must be a range of Times, such as (Time.now - 60)..Time.now, not 5",
                "born: must be a range of Times, such as (Time.now - 60)..Time.now, not 1..2",
                "born: and clear: do not go together: what was allocated would be lost; take two snapshots"]
      assert_equal [errors, errors], lines[1, 2].map { |line| JSON.parse(line) }, "in a session, and without one"
      assert_equal "born: belongs to the mode heap, not to alloc: leave it out, or choose another mode\n", lines[3]
    end
  end

  private

  def record(directory)
    result = rperf("record", "-m", "heap", "-i", "1", "-o", "p.pb.gz", "ruby", "-e", PROGRAM, directory:)
    assert_predicate result.status, :success?, result.err
  end

  # Of each age of a class's objects in use: how many, collections, nanoseconds.
  def in_use(data, name)
    rows = data[:samples].map { |sample| [sample.values[2], data[:label_sets].fetch(sample[3])] }
    rows = rows.select { |objects, labels| objects.positive? && labels[:class] == name }
    rows.map { |objects, labels| [objects, *labels.fetch_values(:age, :lived)] }.sort
  end

  def assert_ages(data)
    first, last = %w[First Last].map { |name| in_use(data, name).max }
    assert_equal [100, 8], first.first(2)
    assert_equal [100, 1], last.first(2)
    assert_operator first[2], :>, last[2]
    assert_includes 0...data[:duration_ns], first[2]
  end
end
