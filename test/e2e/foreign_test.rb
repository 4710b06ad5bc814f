# frozen_string_literal: true

require_relative "../support/program"

# Profiles of other tools, through the command line and the API. Ruby's own Marshal writes what the
# core must read.
class ForeignTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  FOREIGN = File.join(ROOT, "test", "golden", "foreign")

  # A dump as stackprof lays it out, of as many functions as are wanted; every text and number is
  # Ruby's own.
  def dump(functions: 3, mode: :wall)
    frames = (1..functions).to_h do |number|
      name = "Klass#{number}#méthode_#{number}"
      [140_000_000_000_000 + (number * 40), {name:, file: "/app/#{number}.rb", line: number, total_samples: 2, samples: 1, lines: {number => [2, 1]}}]
    end
    raw = frames.keys.each_cons(2).flat_map { |caller, callee| [2, caller, callee, 5] }
    {version: 1.2, mode:, interval: 500, samples: functions, gc_samples: 0, missed_samples: 0, metadata: {}, frames:, raw:}
  end

  def rows(directory, *words)
    result = rperf(*words, directory:)
    assert_equal [0, ""], [result.code, result.err], result.inspect
    result.out
  end

  def test_a_dump_of_stackprof
    in_directory do |directory|
      out = rows(directory, "report", "--top", File.join(FOREIGN, "stackprof_raw.dump"))
      assert_includes out, "Type: wall\n"
      assert_match(/^ +5ms 55\.56% 55\.56% +5ms 55\.56%  Object#fib$/, out)
      assert_match(/^ +0 +0% +100% +7ms 77\.78%  <main>$/, out)
      comments = rperf("report", "--comments", File.join(FOREIGN, "stackprof_raw.dump"), directory:).out
      assert_equal "dropped: 3 samples: missed samples", comments.lines(chomp: true).first
    end
  end

  def test_many_functions_and_every_size_of_number
    in_directory do |directory|
      [1, 2, 300, 70_000].each do |functions|
        File.binwrite(File.join(directory, "a.dump"), Marshal.dump(dump(functions:)))
        lines = rows(directory, "convert", "--format", "collapsed", "a.dump", "-").lines
        expected = functions == 1 ? 1 : functions - 1
        assert_equal expected, lines.length
        assert_includes lines, "Klass#{functions - 1}#méthode_#{functions - 1};Klass#{functions}#méthode_#{functions} 2500000\n" if functions > 1
      end
    end
  end

  def test_texts_in_every_encoding_of_marshal
    in_directory do |directory|
      data = dump(mode: "cpu")
      names = ["ascii".dup.force_encoding("US-ASCII"), "latin-é".encode("ISO-8859-1"), "bytes \xff".b]
      data[:frames].each_value.zip(names) { |frame, name| frame[:name] = name }
      data[:metadata] = Hash.new(0).merge(nothing: nil, truth: [true, false], float: 1.5, nested: {1 => :two})
      File.binwrite(File.join(directory, "a.dump"), Marshal.dump(data))
      lines = rows(directory, "convert", "--format", "collapsed", "a.dump", "-").lines
      assert_equal ["ascii;latin-\u{fffd} 2500000\n", "latin-\u{fffd};bytes \u{fffd} 2500000\n"], lines
    end
  end

  class Trap
    def marshal_dump = []
    def marshal_load(_) = raise("loaded")
  end
  Pair = Struct.new(:left)

  def test_objects_in_a_dump_are_refused
    in_directory do |directory|
      {Trap.new => "an object", Pair.new(1) => "a Struct", Object.new => "an object", String => "a class or module",
       /a/ => "a regular expression"}.each do |value, what|
        File.binwrite(File.join(directory, "a.dump"), Marshal.dump(dump.merge(metadata: value)))
        result = rperf("report", "--top", "a.dump", directory:)
        sentence = "cannot read 'a.dump': its stackprof data is damaged: it holds #{what}, which no dump of stackprof does"
        assert_equal [1, "", "rperf: #{sentence}\n"], [result.code, result.out, result.err]
      end
    end
  end

  def test_the_api_loads_them
    {"stackprof_raw.dump" => :wall, "stackprof_aggregate.dump" => :cpu}.each do |name, mode|
      data = Rperf.load(File.join(FOREIGN, name))
      assert_equal [mode, 9_000_000], [data[:mode], data[:samples].sum { |sample| sample[1] }], name
    end
    data = Rperf.load(File.join(FOREIGN, "speedscope_evented.json"))
    assert_equal ["time", "nanoseconds"], data[:value_type]
    assert_equal [["", "work"], ["a.js", "main"]], data[:samples][1][0]
    data = Rperf.load(File.join(FOREIGN, "firefox_new.json"))
    assert_equal [["app.js", "work"], ["", "(root)"]], data[:samples][0][0]
  end

  def test_dumps_and_pprof_of_the_same_work_can_be_compared
    in_directory do |directory|
      dump = File.join(FOREIGN, "stackprof_raw.dump")
      assert_equal "", rows(directory, "convert", dump, "a.pb.gz")
      assert_includes rows(directory, "diff", "--top", "a.pb.gz", dump), "Type: wall, 9ms before, 9ms after: 0 (0%)\n"
    end
  end
end
