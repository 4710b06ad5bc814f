# frozen_string_literal: true

require_relative "../support/test_helper"
require "stringio"
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

  def test_compression_gives_the_same_bytes_each_time
    bytes = "profile " * 1000
    file = StringIO.new("".b)
    Rperf::Formats.packing(file, "a.txt.gz", :text) { |out| out << bytes[0, 99] << bytes[99..] }
    packed = file.string
    assert_equal bytes, Zlib.gunzip(packed)
    assert_equal "\0\0\0\0".b, packed[4, 4], "no time stamp"
  end
end
