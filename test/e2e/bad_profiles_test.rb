# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# Whatever a file holds, the views say in one sentence what is wrong with it, and stay small.
class BadProfilesTest < Minitest::Test
  include ProgramSupport

  PROFILE = File.binread(File.join(ROOT, "tests", "golden", "mixed.pb"))
  # Bytes of address space: Ruby and the extension reserve most of it without use; a gigabyte of content in memory is
  # too much.
  SPACE = 2 << 30

  # The bytes of a pprof message that promises this many bytes of a table and has none.
  def promise(length) = [0x32, length].pack("Cw").b + "x"

  # { name of the file => [its content, what is wrong] }
  def damaged
    packed = Zlib.gzip(PROFILE)
    {
      "empty" => ["", /it is empty/],
      "blank" => [" \n", /it is empty/],
      "zeros" => ["\0" * 100_000, /it is not a profile/],
      "elf" => ["\x7fELF\x02\x01\x01#{"\0" * 50}", /it is not a profile/],
      "text" => ["Once upon a time.\n", /it is not a profile/],
      "report.txt" => [File.read(File.join(ROOT, "tests", "golden", "mixed.txt")), /it is a text report/],
      "foreign.json" => ["{\"nodes\": []}", /it is JSON, but not a profile of rperf/],
      "cut.json" => ["{\"rperf\": {\"format\": 1", /JSON data is damaged/],
      "cut.pb.gz" => [packed[0, packed.bytesize / 2], /its gzip data ends in the middle/],
      "bits.pb.gz" => [packed.dup.tap { |bytes| bytes.setbyte(-7, bytes.getbyte(-7) ^ 1) }, /its gzip data is damaged/],
      "cut.pb" => [PROFILE[0, PROFILE.bytesize - 5], /pprof data is damaged/],
      "promise.pb" => [promise(1 << 40), /pprof data is damaged|not a profile/],
      "bomb.gz" => [Zlib.gzip(" " * (200 << 20)), /it is empty|unzips to more than/]
    }
  end

  # Both views fail on the file with this one sentence.
  def assert_refused(path, sentence, directory)
    good = File.join(ROOT, "tests", "golden", "mixed.pb")
    [["report", path], ["diff", path, good], ["diff", good, path]].each do |command, *files|
      result = run_program(*limited, RUBY, RPERF, command, "--top", *files, directory:)
      assert_equal [1, ""], [result.code, result.out], result.inspect
      assert_match(/\Arperf: cannot read '#{Regexp.escape(path)}': [^\n]+\n\z/, result.err)
      assert_match sentence, result.err
    end
  end

  # A shell that leaves the program this much address space.
  def limited = ["/bin/sh", "-c", "ulimit -v #{SPACE >> 10} && exec \"$0\" \"$@\""]

  def test_damaged_files
    in_directory do |directory|
      damaged.each do |name, (content, sentence)|
        File.binwrite(File.join(directory, name), content)
        assert_refused(name, sentence, directory)
      end
    end
  end

  def test_what_is_no_file
    in_directory do |directory|
      assert_refused("missing", /there is no such file/, directory)
      assert_refused(directory, /it is a directory/, directory)
      assert_refused("/dev/zero", /it is not a profile/, directory)
    end
  end

  def test_huge_files
    in_directory do |directory|
      {"zeros" => [1 << 30, /it is not a profile/], "beyond" => [(1 << 30) + 1, /it has more than 1024 MiB/]}.each do |name, (size, sentence)|
        File.open(File.join(directory, name), "wb") { |file| file.truncate(size) } # Takes no space on the disk.
        assert_refused(name, sentence, directory)
      end
    end
  end

  def test_the_default_file_is_missing
    in_directory do |directory|
      result = rperf("report", "--text", directory:)
      assert_equal [1, "", "rperf: cannot read 'rperf.data': there is no such file\n"], [result.code, result.out, result.err]
    end
  end
end
