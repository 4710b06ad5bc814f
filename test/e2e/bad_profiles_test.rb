# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# Whatever a file holds, the views say in one sentence what is wrong with it, and stay small.
class BadProfilesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  PROFILE = File.binread(File.join(ROOT, "test", "golden", "mixed.pb"))
  # Bytes of address space, half of which Ruby reserves at its start without use.
  SPACE = 1 << 30
  # Bytes of memory in use: what may be unzipped whatever the ratio is 64 MiB, and Ruby has some 30.
  PEAK = 256 << 20

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
      "report.txt" => [File.read(File.join(ROOT, "test", "golden", "mixed.txt")), /it is a text report/],
      "foreign.json" => ["{\"nodes\": []}", /it is JSON, but not a profile of rperf/],
      "cut.json" => ["{\"rperf\": {\"format\": 1", /JSON data is damaged/],
      "cut.pb.gz" => [packed[0, packed.bytesize / 2], /its gzip data ends in the middle/],
      "bits.pb.gz" => [packed.dup.tap { |bytes| bytes.setbyte(-7, bytes.getbyte(-7) ^ 1) }, /its gzip data is damaged/],
      "cut.pb" => [PROFILE[0, PROFILE.bytesize - 5], /pprof data is damaged/],
      "promise.pb" => [promise(1 << 40), /pprof data is damaged|not a profile/],
      "bomb.gz" => [Zlib.gzip(" " * (200 << 20)), /it is empty|unzips to more than/],
      # 1 GiB each, in 1 MB.
      "zeros.gz" => [Zlib.gzip("\0" * (1 << 20)) * 1024, /it is not a profile|unzips to more than/],
      "bomb.pb.gz" => [Zlib.gzip(PROFILE) + Zlib.gzip("\x32\x00" * (1 << 19)) * 1024, /pprof data is damaged|unzips to more than/]
    }
  end

  # Both views fail on the file with this one sentence.
  def assert_refused(path, sentence, directory)
    good = File.join(ROOT, "test", "golden", "mixed.pb")
    [["report", path], ["diff", path, good], ["diff", good, path]].each do |command, *files|
      result = run_program(*limited, RUBY, "-r./.peak", RPERF, command, "--top", *files, directory:)
      assert_equal [1, ""], [result.code, result.out], result.inspect
      assert_match(/\Arperf: cannot read '#{Regexp.escape(path)}': [^\n]+\n\z/, result.err)
      assert_match sentence, result.err
      assert_operator File.read(File.join(directory, ".peak")).to_i, :<, PEAK >> 10, path
    end
  end

  # A directory with a file that notes, in KiB, the most memory that a program had at any time.
  def in_watched_directory
    in_directory do |directory|
      write_file(directory, ".peak.rb", "at_exit { File.write(#{File.join(directory, ".peak").dump}, File.read('/proc/self/status')[/VmHWM:\\s+(\\d+)/, 1]) }")
      yield directory
    end
  end

  # A shell that leaves the program this much address space.
  def limited = ["/bin/sh", "-c", "ulimit -v #{SPACE >> 10} && exec \"$0\" \"$@\""]

  def test_damaged_files
    in_watched_directory do |directory|
      damaged.each do |name, (content, sentence)|
        File.binwrite(File.join(directory, name), content)
        assert_refused(name, sentence, directory)
      end
    end
  end

  def test_what_is_no_file
    in_watched_directory do |directory|
      assert_refused("missing", /there is no such file/, directory)
      assert_refused(directory, /it is a directory/, directory)
      assert_refused("/dev/zero", /it is not a profile/, directory)
      assert_refused("/dev/null", /it is empty/, directory)
      File.mkfifo(File.join(directory, "pipe"))
      assert_refused("pipe", /it is a pipe that no process writes into/, directory)
    end
  end

  def test_a_pipe_that_somebody_writes_into
    in_directory do |directory|
      command = "cat #{File.join(ROOT, "test", "golden", "mixed.pb")} | \"$0\" \"$1\" report --top /dev/stdin"
      result = run_program("/bin/sh", "-c", command, RUBY, RPERF, directory:)
      assert_equal [0, ""], [result.code, result.err]
      assert_match(/flat%/, result.out)
    end
  end

  def test_huge_files
    in_watched_directory do |directory|
      {"zeros" => [1 << 30, /it is not a profile/], "beyond" => [(1 << 30) + 1, /it has more than 1024 MB/]}.each do |name, (size, sentence)|
        File.open(File.join(directory, name), "wb") { |file| file.truncate(size) } # Takes no space on the disk.
        assert_refused(name, sentence, directory)
      end
    end
  end

  def test_the_default_file_is_missing
    in_directory do |directory|
      result = rperf("report", "--text", directory:)
      assert_equal [1, "", "rperf: cannot read 'rperf.data': there is no such file; name one, or record a program first (rperf record COMMAND)\n"],
                   [result.code, result.out, result.err]
    end
  end

  # Its option takes the file for the value.
  def test_a_forgotten_value
    in_directory do |directory|
      write_file(directory, "a.collapsed", "main;work 5000000\n")
      {"--by" => "KEY", "--peek" => "REGEX", "--method" => "NAME", "--source" => "FILE", "--focus" => "REGEX"}.each do |option, value|
        sentence = "rperf: option '#{option}' needs a value before the file 'a.collapsed': #{option} #{value}\n"
        commands = [["report"], ["diff", "a.collapsed"]]
        commands.pop if %w[--method --source].include?(option)
        commands.each do |words|
          result = rperf(*words, option, "a.collapsed", directory:)
          assert_equal [2, "", sentence], [result.code, result.out, result.err]
        end
      end
      assert_match(/\Arperf: cannot read 'rperf\.data': /, rperf("report", "--by", "request", directory:).err)
      write_file(directory, "a.rb", "1")
      assert_match(/\Arperf: cannot read 'rperf\.data': /, rperf("report", "--source", "a.rb", directory:).err)
    end
  end
end
