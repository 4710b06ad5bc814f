# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/source_file"

class SourceFileTest < Minitest::Test
  def read(path, recorded_at: 0) = Rperf::SourceFile.new(path, recorded_at:).read

  def test_text_and_change
    in_directory do |directory|
      path = File.join(directory, "a.rb")
      File.write(path, "puts 1\n")
      File.utime(100, 100, path)
      assert_equal ["puts 1\n", false], read(path)
      assert_equal ["puts 1\n", false], read(path, recorded_at: 100_000_000_001)
      assert_equal ["puts 1\n", true], read(path, recorded_at: 99_000_000_000)
    end
  end

  def test_what_cannot_be_shown
    in_directory do |directory|
      assert_equal "there is no such file here", read(File.join(directory, "missing.rb"))
      assert_equal "it is no regular file", read(directory)
      assert_equal "it is no regular file", read("/dev/zero")
      path = File.join(directory, "large.rb")
      File.open(path, "w") { |file| file.truncate((10 << 20) + 1) }
      assert_equal "it has more than 10 MB", read(path)
      assert_match(/null byte/, read("a\0b"))
    end
  end
end
