# frozen_string_literal: true

require_relative "../support/test_helper"
require "zlib"

class FormatsTest < Minitest::Test
  def test_the_name_of_the_file_decides
    {
      "a.collapsed" => :collapsed, "a.txt" => :text, "a.json" => :json, "a.json.gz" => :json, "a.pb.gz" => :pprof,
      "rperf.data" => :pprof, "a" => :pprof, ".txt" => :text, "a.txt/b" => :pprof
    }.each { |path, format| assert_equal format, Rperf::Formats.for(path), path }
  end

  def test_an_explicit_format_wins
    assert_equal :text, Rperf::Formats.for("a.pb.gz", :text)
  end

  def test_every_format_by_name_is_one_that_the_native_part_has
    assert_empty Rperf::Formats::EXTENSIONS.values - Rperf::Native::FORMATS.map(&:to_sym)
  end

  def test_a_name_in_gz_is_gzipped_and_pprof_is_always
    profile = Rperf::Native::Profile.from_h({samples: [[[["a.rb", "Object#a"]], 7, 1, 0]]})
    {"a.txt.gz" => :text, "a.json.gz" => :json, "a.pb.gz" => :pprof, "a" => :pprof}.each do |path, format|
      packed = Rperf::Formats.encode(profile, path, format)
      plain = Rperf::Formats.bytes(profile, format)
      assert_equal format == :pprof ? Zlib.gunzip(plain) : plain, Zlib.gunzip(packed).force_encoding(plain.encoding), path
      assert_equal "\0\0\0\0".b, packed[4, 4], "no time stamp"
      assert_equal packed, Rperf::Formats.encode(profile, path, format)
    end
  end
end
