# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/profile_file"
require "rperf/cli"
require "rperf/cli/subject"
require "rperf/cli/text_view"

class ProfileFileTest < Minitest::Test
  # 2026-02-25 06:13:20 UTC, in seconds.
  STARTED = 1_772_000_000

  # Files of JSON with these starts (nanoseconds), each with one sample.
  def profiles(*starts)
    in_directory do |directory|
      paths = starts.each_with_index.map do |start, index|
        data = {mode: :cpu, frequency: 100, start_time_ns: start, aggregated_samples: [[[["a.rb", "work"]], 5_000_000, 1, 0]]}
        File.join(directory, "#{index}.json").tap { |path| File.binwrite(path, Rperf::Native::Profile.from_h(data).bytes(:json, false, false)) }
      end
      yield(*paths)
    end
  end

  # The line of the start in what the tree says, in this time zone.
  def time_shown(path, base: nil, zone: "UTC")
    before, ENV["TZ"] = ENV["TZ"], zone
    text, = capture_io { assert_equal 0, Rperf::CLI::TextView.new([:tree], {}).show(Rperf::CLI::Subject.new([path], bases: [*base])) }
    text[/^Time: (.*)$/, 1]
  ensure
    ENV["TZ"] = before
  end

  def test_a_profile_for_reports
    profiles(STARTED * 1_000_000_000) do |path|
      profile = Rperf::ProfileFile.new(path).profile
      assert_equal STARTED * 1_000_000_000, profile.start_time_ns
      report = Rperf::ProfileReport.new(view: :top)
      text, unmatched = report.enum_for(:write, profile).first
      assert_match(/^ +5ms   100%   100% +5ms   100%  work\n\z/, text)
      assert_empty unmatched
      assert_match(/^Type: cpu, 5ms before, 5ms after: 0 \(0%\)$/, report.enum_for(:write, profile, base: profile).first.first)
    end
  end

  def test_a_profile_comes_from_bytes_or_data_only
    assert_raises(TypeError) { Rperf::Native::Profile.allocate }
    assert_raises(TypeError) { Rperf::Native::Profile.read(nil, nil) }
    error = assert_raises(Rperf::Error) { Rperf::Native::Profile.read("", nil) }
    assert_match(/\Ait is empty/, error.message)
  end

  def test_the_start_is_told_in_the_local_time
    profiles(STARTED * 1_000_000_000) do |path|
      assert_equal "Feb 25, 2026 at 6:13am (UTC)", time_shown(path)
      assert_equal "Feb 25, 2026 at 3:13pm (JST)", time_shown(path, zone: "JST-9")
      assert_equal "Feb 25, 2026 at 12:13am (ABC)", time_shown(path, zone: "ABC6")
    end
  end

  def test_an_unknown_start_is_not_told
    profiles(0) { |path| assert_nil time_shown(path) }
  end

  def test_a_difference_starts_with_the_earlier_profile
    later = (STARTED + 3600) * 1_000_000_000
    profiles(STARTED * 1_000_000_000, later, 0) do |first, second, unknown|
      early = "Feb 25, 2026 at 6:13am (UTC)"
      assert_equal [early, early], [time_shown(second, base: first), time_shown(first, base: second)]
      assert_equal early, time_shown(unknown, base: first)
      assert_nil time_shown(first, base: unknown)
    end
  end

  def test_bytes_for_pprof
    profiles(STARTED * 1_000_000_000) do |path|
      converted = Rperf::ProfileFile.new(path).pprof
      File.binwrite("#{path}.pb.gz", converted)
      assert_equal converted, Rperf::ProfileFile.new("#{path}.pb.gz").pprof, "what is pprof stays as it is"
      assert_equal Rperf::ProfileFile.new(path).data[:aggregated_samples].map(&:to_a),
        Rperf::ProfileFile.new("#{path}.pb.gz").data[:aggregated_samples].map(&:to_a)
    end
  end
end
