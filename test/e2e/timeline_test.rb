# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Samples with their moments: a program says when it did what, and what the profile says lies
# within.
class TimelineTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # The program's clock and the profile's differ by what lies between two readings at the start.
  TOLERANCE_NS = 2_000_000

  # Computes, waits, computes elsewhere; says when each began and ended.
  PROGRAM = <<~RUBY
    require "json"
    now = -> { Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) }
    def first(until_cpu) = (1_000.times { |n| n ^ 1 } while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < until_cpu)
    def second(until_cpu) = (1_000.times { |n| n ^ 1 } while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < until_cpu)
    def nap = sleep(0.05)
    cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    spans = {}
    {first: [cpu + 0.05], nap: [], second: [cpu + 0.1]}.each do |name, arguments|
      begun = now.call
      Rperf.label(part: name) { send(name, *arguments) }
      spans[name] = [begun, now.call]
    end
    puts JSON.generate(spans)
  RUBY

  def record(*options, output:)
    in_directory do |directory|
      File.write(File.join(directory, "x.rb"), PROGRAM)
      result = rperf("record", "-m", "wall", "--timeline", *options, "-o", output, "ruby", "x.rb", directory:)
      assert_equal 0, result.code, result.inspect
      yield JSON.parse(result.out), File.join(directory, output)
    end
  end

  def test_each_part_has_its_samples_when_it_ran
    record(output: "p.json") do |spans, path|
      data = Rperf.load(path)
      assert_equal true, data[:timeline]
      spans.each do |name, (begun, ended)|
        samples = data[:raw_samples].select { |frames,| frames.any? { |frame| frame.label == "Object##{name}" } }
        refute_empty samples, name
        within = (begun - TOLERANCE_NS)..(ended + TOLERANCE_NS)
        assert_empty(samples.map { |sample| data[:start_time_ns] + sample.moment_ns }.reject { |moment| within.cover?(moment) }, name)
      end
    end
  end

  def test_a_wait_is_one_interval
    record(output: "p.json") do |spans, path|
      data = Rperf.load(path)
      waits = data[:samples].select { |frames,| frames.first.label == "[GVL blocked]" && frames.any? { |frame| frame.label == "Object#nap" } }
      assert_equal 1, waits.length
      ended = data[:start_time_ns] + waits.first.moment_ns
      assert_operator ended - waits.first[1], :>=, spans["nap"].first - TOLERANCE_NS
      assert_operator waits.first[1], :>=, 50_000_000
    end
  end

  def test_the_firefox_profiler_gets_the_same_times
    record(output: "p.firefox.json") do |spans, path|
      document = JSON.parse(File.read(path))
      start = document["meta"]["startTime"]
      labels = document["threads"][0]["markers"]
      napped = labels["data"].index { |data| data["labels"].to_s.include?("part=nap") }
      begun, ended = %w[startTime endTime].map { |key| labels[key][napped] + start }
      tolerance = TOLERANCE_NS / 1e6
      assert_operator begun, :>=, spans["nap"].first / 1e6 - tolerance
      assert_operator ended, :<=, spans["nap"].last / 1e6 + tolerance
    end
  end

  def test_without_a_name_it_is_json_that_report_reads
    in_directory do |directory|
      File.write(File.join(directory, "x.rb"), PROGRAM)
      result = rperf("record", "--timeline", "ruby", "x.rb", directory:)
      assert_equal 0, result.code, result.inspect
      assert File.read(File.join(directory, "rperf.data")).start_with?("{")
      report = rperf("report", "--top", directory:)
      assert_includes report.out, "Object#first"
      # As what is made of it.
      rperf("convert", "rperf.data", "converted.data", directory:)
      rperf("merge", "-o", "merged.data", "rperf.data", "rperf.data", directory:)
      %w[converted.data merged.data].each { |name| assert Rperf.load(File.join(directory, name))[:timeline], name }
    end
  end

  def test_a_format_without_moments_is_refused_before_the_program_runs
    in_directory do |directory|
      result = rperf("record", "--timeline", "-o", "p.pb.gz", "ruby", "-e", "puts 1", directory:)
      sentence = "a file in pprof has no room for a timeline: write one that ends in .json, .html, " \
        ".firefox.json or .speedscope.json, name such a format (--format, format: or RPERF_FORMAT), or leave out timeline: true (--timeline)"
      assert_includes result.err, sentence
      assert_equal ["", 2], [result.out, result.code]
      # Which has no name that can end so.
      assert_includes rperf("record", "--timeline", "-o", "-", "ruby", "-e", "1", directory:).err, sentence
      assert_equal sentence, assert_raises(ArgumentError) { Rperf.start(timeline: true, output: "p.pb.gz") }.message
    end
  end

  def test_data_go_to_a_file_and_back
    data = Rperf.start(mode: :wall, timeline: true) { sleep 0.001 }
    in_directory do |directory|
      again = Rperf.load(Rperf.save(File.join(directory, "p.json"), data))
      assert_equal data[:samples].map(&:moment_ns), again[:samples].map(&:moment_ns)
    end
  end

  def test_snapshots_have_moments_since_their_own_start
    Rperf.start(mode: :wall, timeline: true)
    sleep 0.02
    first = Rperf.snapshot(clear: true)
    sleep 0.001
    second = Rperf.snapshot(clear: true)
    [first, second].each do |data|
      assert_operator data[:samples].map(&:moment_ns).max, :<=, data[:duration_ns]
    end
    assert_operator second[:duration_ns], :>=, 1_000_000
  ensure
    Rperf.stop
  end

  def test_without_a_timeline_samples_have_no_moments
    data = Rperf.start(mode: :wall) { sleep 0.001 }
    refute data.key?(:timeline)
    assert_equal [nil], data[:samples].map(&:moment_ns).uniq
  end
end
