# frozen_string_literal: true

require "json"
require "open3"
require_relative "../support/program"

# Objects that a program allocates, and samples that it takes itself, from the command line to the
# file.
class ObjectSamplesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # 20,000 orders with an Array and three Strings each, and the numbers in these as Strings; in two
  # threads under labels.
  SHOP = <<~'RUBY'
    require "rperf"
    class Order
      def initialize(number) = @lines = Array.new(3) { |index| "line #{index} of #{number}" }
    end
    def take(name) = Rperf.label(endpoint: name) { 10_000.times { |number| Order.new(number) } }
    other = Thread.new { take("b") }
    take("a")
    other.join
  RUBY
  OBJECTS = 20_000 * 8
  INTERVAL = 100
  # Four standard deviations of the estimate.
  SLACK = 4 * Math.sqrt(OBJECTS * INTERVAL)

  # Ruby leaves a native stack that has run out by longjmp(3), from wherever it is. A collection at
  # that place ends it, also without rperf ("system stack overflow during GC"), so that there is one
  # before each overflow only, and it leaves nothing to sweep.
  def test_a_native_stack_that_runs_out
    in_directory do |directory|
      write_file(directory, "app.rb", <<~'RUBY')
        nested = "\x04\b#{"[\x06" * 200_000}0"
        overflows = 0
        GC.disable
        4.times do
          GC.start
          Marshal.load(nested)
        rescue SystemStackError
          overflows += 1
        end
        print(overflows)
      RUBY
      result = run_program("/usr/bin/env", "timeout", "-s", "KILL", "60", RUBY, RPERF, "record", "-m", "alloc", "-i", "1", "-o", "p.json", "ruby", "app.rb", directory:)
      assert_equal ["4", 0], [result.out, result.code], result.err
    end
  end

  # Ruby itself makes some 20 objects to run an empty program.
  def test_an_empty_program_has_no_objects_of_rperf
    in_directory do |directory|
      write_file(directory, "empty.rb", "")
      %w[alloc heap].each do |mode|
        rperf("record", "-m", mode, "-i", "1", "-o", "p.json", "ruby", "empty.rb", directory:)
        samples = Rperf.load(File.join(directory, "p.json"))[:samples]
        assert_operator samples.sum { |sample| sample.values.first }, :<, 30, mode
      end
    end
  end

  # Ruby itself makes 8 objects for these forks.
  def test_a_fork_has_no_objects_of_rperf
    in_directory do |directory|
      write_file(directory, "forks.rb", "3.times { Process.wait(fork { }) }")
      rperf("record", "--no-inherit", "-m", "alloc", "-i", "1", "-o", "p.json", "ruby", "forks.rb", directory:)
      forks = Rperf.load(File.join(directory, "p.json"))[:samples].select { |frames,| frames.any? { |frame| frame.label == "Kernel#fork" } }
      assert_operator forks.sum { |sample| sample.values.first }, :<, 20, forks.map { |sample| [sample.values, sample[0].first.label] }
    end
  end

  # As a program does that writes a profile a minute.
  def test_a_snapshot_that_is_saved_leaves_no_objects_in_the_next_one
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", <<~RUBY, directory:)
        require "rperf"
        Rperf.start(mode: :heap, interval: 1)
        kept = Rperf.snapshot(gc: true, clear: true)
        Rperf.save("first.pb.gz", kept)
        made = Rperf.snapshot(gc: true)[:samples].map { |sample| [sample.values[0], sample[0].map(&:label).uniq] }
        p made.sum(&:first), made
      RUBY
      assert_operator result.out.to_i, :<, 50, result.out
    end
  end

  def test_record_and_report
    in_directory do |directory|
      result = rperf("record", "-m", "alloc", "-i", INTERVAL.to_s, "-v", "-o", "p.pb.gz", "ruby", "-e", SHOP, directory:)
      assert_match(/wrote p\.pb\.gz: [\d,]+ samples, \d\.\d\d MB of alloc_space(?:, \d+ objects dropped)?; look at it with/, result.err)
      assert_includes result.err, "[rperf] mode=alloc interval=#{INTERVAL} engine="
      allocated = result.err[/objects: ([\d,]+) allocated/, 1].delete(",").to_i
      assert_operator allocated, :>=, OBJECTS

      data = Rperf.load(File.join(directory, "p.pb.gz"))
      assert_equal [%w[alloc_objects count], %w[alloc_space bytes]], data[:value_types]
      assert_in_delta allocated, data[:samples].sum { |sample| sample.values.first }, SLACK
      assert_in_delta 20_000 * 6, of_class(data, "String"), SLACK
      assert_in_delta 20_000, of_class(data, "Order"), SLACK
      assert_in_delta 20_000, of_class(data, "Array"), SLACK
      assert_by_endpoint(directory)
      assert_pprof_agrees(directory, data)
    end
  end

  def test_how_objects_are_watched
    in_directory do |directory|
      record = lambda do |*options, **env|
        result = rperf("record", "-m", "alloc", "-v", "-o", "p.pb.gz", *options, "ruby", "-e", SHOP, directory:, env: env.transform_keys(&:to_s))
        [result.code, result.err[/ engine=(\w+)/, 1] || result.err]
      end
      assert_equal [0, "direct"], record.call
      assert_equal :direct, Rperf.load(File.join(directory, "p.pb.gz"))[:engine]
      assert_equal [0, "event"], record.call("--watch", "event")
      assert_equal [0, "event"], record.call(RPERF_ALLOCATION_PROOF: "fail")
      code, message = record.call("--watch", "direct", RPERF_ALLOCATION_PROOF: "fail")
      assert_match(/watch: :direct \(--watch direct\) is not possible here: .*; leave it out/, message)
      assert_equal 0, code
      code, message = record.call("--watch", "both")
      assert_equal 2, code
      assert_match(/--watch must be direct or event, not 'both'/, message)
    end
  end

  def test_the_other_formats_and_a_difference
    in_directory do |directory|
      2.times { |index| rperf("record", "-m", "object", "-i", "1", "-o", "#{index}.json", "ruby", "-e", SHOP, directory:) }
      %w[p.data p.collapsed p.txt p.md p.speedscope.json p.firefox.json p.callgrind p.dot p.html].each do |file|
        assert_equal 0, rperf("convert", "0.json", file, directory:).code, file
      end
      assert_match(/\ATotal: [\d.]+ ?MB \(alloc_space\)\nSamples: [\d,]+, Interval: 1 \(objects\)\n/, File.read(File.join(directory, "p.txt")))
      assert_equal 0, rperf("diff", "--top", "--fail-above", "5", "0.json", "1.json", directory:).code
      top = rperf("report", "--top", "--sample-index", "alloc_objects", "0.json", directory:).out
      assert_match(/^Type: alloc_objects$/, top)
    end
  end

  def test_stat
    in_directory do |directory|
      text = rperf("stat", "-m", "alloc", "ruby", "-e", SHOP, directory:).err
      allocated = text[/^ +([\d,]+) +objects allocated \([\d,]+ a second, [\d,]+ a collection\)$/, 1]
      assert_equal text[/^ +([\d,]+) +\[Ruby\] allocated objects$/, 1], allocated
      refute_nil allocated
      assert_match(/ +\d+\.\d\d [kM]B +that they take \(estimated: [\d.]+ [kMG]?B a second, [\d.]+ [kMG]?B a collection\)$/, text)
      assert_equal text[/^ +([\d,]+) +\[Ruby\] freed objects$/, 1], text[/^ +([\d,]+) +objects freed meanwhile, older ones too$/, 1]
      assert_match(%r{ samples / [\d,]+ objects, }, text)
    end
  end

  def test_forked_children_have_their_own
    in_directory do |directory|
      program = 'class Screw; end; 2.times { fork { 5000.times { Screw.new } } }; 5000.times { Screw.new }; Process.waitall'
      rperf("record", "-m", "alloc", "-i", "1", "-o", "p.json", "ruby", "-e", program, directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      assert_equal 15_000, of_class(data, "Screw")
      assert_equal 3, data[:processes].length
    end
  end

  def test_samples_that_the_program_takes
    in_directory do |directory|
      program = 'require "rperf"; def query(rows) = Rperf.sample(weight: 2, bytes: rows * 100); 3.times { |rows| query(rows) }'
      result = rperf("record", "-m", "custom", "-o", "p.pb.gz", "ruby", "-e", program, directory:)
      assert_match(/wrote p\.pb\.gz: 3 samples, a weight of 6; /, result.err)
      data = Rperf.load(File.join(directory, "p.pb.gz"))
      assert_equal [[6, 300]], data[:samples].map(&:values)
      assert_equal "Object#query", data[:samples].first[0].first.label
      assert_equal 3, data[:samples].first.count
      assert_match(/^Type: samples$.*^ +3 +100% .* Object#query$/m, rperf("report", "--top", "--sample-index", "samples", "p.pb.gz", directory:).out)
      rperf("convert", "p.pb.gz", "p.json", directory:)
      assert_match(/^n = 3 and 3 samples: /, rperf("diff", "--top", "p.json", "p.pb.gz", directory:).out)
    end
  end

  # Each process, and each file, has the values that it has named.
  def test_programs_that_name_different_values
    in_directory do |directory|
      program = 'require "rperf"; Rperf.sample(rows: 5); fork { Rperf.sample(weight: 2, hits: 7, rows: 1) }; Process.wait; system("ruby", "-e", "1")'
      result = rperf("record", "-m", "custom", "-o", "p.pb.gz", "ruby", "-e", program, directory:)
      assert_match(/wrote p\.pb\.gz: 2 samples, a weight of 3, 3 processes/, result.err)
      assert_equal [3, 6, 7], values_by_name(directory, "p.pb.gz")
      rperf("record", "-m", "custom", "-o", "q.otlp", "ruby", "-rrperf", "-e", "Rperf.sample(hits: 1)", directory:)
      assert_equal 0, rperf("merge", "-o", "both.json", "q.otlp", "p.pb.gz", directory:).code
      assert_equal [4, 6, 8], values_by_name(directory, "both.json")
    end
  end

  def test_settings_that_make_no_sense
    [%w[-m alloc -f 100], %w[-i 5], %w[-m alloc -i 0], %w[-m alloc --native], %w[-m custom --timeline]].each do |flags|
      in_directory do |directory|
        result = rperf("record", *flags, "ruby", "-e", "1", directory:)
        assert_equal [2, 1], [result.code, result.err.lines.length], result.err
      end
    end
  end

  private

  def values_by_name(directory, file)
    data = Rperf.load(File.join(directory, file))
    sums = data[:samples].map(&:values).transpose.map(&:sum)
    data[:value_types].map(&:first).zip(sums).to_h.values_at("weight", "rows", "hits")
  end

  def of_class(data, name)
    sets = data[:label_sets]
    data[:samples].sum { |sample| sets.fetch(sample[3])[:class] == name ? sample.values.first : 0 }
  end

  def assert_by_endpoint(directory)
    rows = JSON.parse(rperf("report", "--by", "endpoint", "--format", "json", "--sample-index", "alloc_objects", "p.pb.gz", directory:).out)
    text = rows.to_s
    %w[a b].each { |name| assert_includes text, %("#{name}") }
  end

  # The same sums in Go's pprof.
  def assert_pprof_agrees(directory, data)
    %w[alloc_objects alloc_space].each_with_index do |type, index|
      raw, = Open3.capture2("go", "tool", "pprof", "-sample_index=#{type}", "-unit=#{index.zero? ? "count" : "B"}", "-top", "-nodefraction=0",
        "p.pb.gz", chdir: directory, err: File::NULL)
      total = raw[/ of (\d+)(?:B|count)? total/, 1].to_i
      assert_equal data[:samples].sum { |sample| sample.values[index] }, total, raw
    end
  end
end
