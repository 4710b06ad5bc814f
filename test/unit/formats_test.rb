# frozen_string_literal: true

require_relative "../support/test_helper"
require "zlib"

class FormatsTest < Minitest::Test
  def test_the_name_of_the_file_decides
    {
      "a.collapsed" => :collapsed, "a.txt" => :text, "a.json" => :json, "a.json.gz" => :json, "a.pb.gz" => :pprof,
      "a.pb" => :pprof, "a.pprof" => :pprof, "a.pprof.gz" => :pprof, "a.gz" => :pprof, "a.b.firefox.json.gz" => :firefox,
      "a.txt.gz" => :text, "a.callgrind.out" => :callgrind, "a.html" => :html, "/dev/stdout" => :pprof,
      "rperf.data" => :pprof, "a" => :pprof, ".txt" => :text, ".hidden" => :pprof, "a.txt/b" => :pprof
    }.each { |path, format| assert_equal format, Rperf::Formats.for(path), path }
  end

  def test_a_timeline_is_json_where_the_name_leaves_it_open
    {"rperf.data" => :json, "a.data.gz" => :json, "a.pb.gz" => :pprof, "a.txt" => :text, "a.firefox.json" => :firefox}.each do |path, format|
      assert_equal format, Rperf::Formats.for(path, timeline: true), path
    end
    assert_equal :pprof, Rperf::Formats.for("rperf.data", :pprof, timeline: true)
  end

  def test_an_ending_of_no_format
    allowed = "use .data, .pb, .pprof, .speedscope.json, .firefox.json, .json, .collapsed, .txt, .dot, .callgrind, " \
              ".callgrind.out, .md, .otlp or .html (all but .html also with .gz), or name the format (--format, format: or RPERF_FORMAT)"
    {"a.xyz" => ".xyz", "d.txt/a.b.xyz.gz" => ".xyz.gz", "a.html.gz" => ".html.gz", "a." => ".", "a.2026" => ".2026"}.each do |path, ending|
      error = assert_raises(ArgumentError) { Rperf::Formats.for(path) }
      assert_equal "'#{path}' ends in '#{ending}', which no format has: #{allowed}", error.message
    end
    assert_includes assert_raises(ArgumentError) { Rperf::Formats.for("a.jsn") }.message, "(--format, format: or RPERF_FORMAT); did you mean '.json'?"
  end

  def test_an_explicit_format_wins
    assert_equal :text, Rperf::Formats.for("a.pb.gz", :text)
    assert_equal :text, Rperf::Formats.for("a.xyz", :text)
    assert_equal :html, Rperf::Formats.for("a.xyz", :html)
    error = assert_raises(ArgumentError) { Rperf::Formats.for("y.gz", :html) }
    assert_equal "'y.gz' ends in '.gz', but browsers show no page that is gzipped: use a name that ends in .html", error.message
  end

  def test_every_format_by_name_is_one_that_the_native_part_has
    assert_equal [Rperf::Formats::PAGE], Rperf::Formats::ENDINGS.values.uniq - Rperf::Native::FORMATS
    assert_empty Rperf::Formats.names - Rperf::Formats::ENDINGS.values
  end

  def test_a_name_in_gz_is_gzipped_and_pprof_is_always
    profile = Rperf::Native::Profile.from_h({samples: [[[["a.rb", "Object#a"]], 7, 1, 0]]})
    {"a.txt.gz" => :text, "a.json.gz" => :json, "a.pb.gz" => :pprof, "a" => :pprof}.each do |path, format|
      packed = Rperf::Formats.content(profile, path)
      plain = Rperf::Formats.bytes(profile, format)
      assert_equal format == :pprof ? Zlib.gunzip(plain) : plain, Zlib.gunzip(packed).force_encoding(plain.encoding), path
      assert_equal "\0\0\0\0".b, packed[4, 4], "no time stamp"
      assert_equal packed, Rperf::Formats.content(profile, path)
    end
  end
end
