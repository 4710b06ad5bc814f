# frozen_string_literal: true

require "minitest/mock"
require_relative "../support/test_helper"

class OutputFileTest < Minitest::Test
  def file(path) = Rperf::OutputFile.new(path)

  def complaint
    message = assert_raises(Rperf::Error) { yield }.message
    assert_equal 1, message.lines.length
    message
  end

  def test_writes_and_leaves_nothing_beside
    in_directory do |directory|
      path = File.join(directory, "a b.txt")
      assert_equal path, file(path).write("bytes\xFF".b)
      assert_equal "bytes\xFF".b, File.binread(path)
      assert_equal ["a b.txt"], Dir.children(directory)
    end
  end

  # Of a user to whom permissions apply.
  def test_a_write_protected_file_is_kept
    in_directory do |directory|
      File.chmod(0o777, directory)
      path = File.join(directory, "a.txt")
      File.write(path, "old")
      File.chmod(0o444, path)
      wrong = "cannot write '#{path}': it is write-protected; make it writable (chmod u+w), or name another file"
      [-> { _1.write("new") }, -> { _1.fill { |out| out.write("new") } }, -> { _1.check! }].each do |writing|
        assert_equal(wrong, as_a_user { complaint { writing.call(file(path)) } })
      end
      assert_equal "old", File.read(path)
    end
  end

  # Returns the block's text; the block runs in a child without the rights of root.
  def as_a_user
    from, to = IO.pipe
    pid = fork do
      Process::Sys.setuid(65_534) if Process.uid.zero?
      to.write(yield)
    ensure
      to.close
      exit!
    end
    to.close
    from.read
  ensure
    Process.wait(pid)
    from.close
  end

  def test_a_tilde_is_a_letter
    in_directory do |directory|
      Dir.chdir(directory) do
        ["~", "~nobody of that name"].each do |name|
          assert_equal File.join(directory, name), file(name).write("x")
          assert_equal "x", File.read(File.join(directory, name))
        end
      end
    end
  end

  # Rails sets a default_internal: then Ruby translates what it writes into a file that is not
  # binary.
  def test_a_file_that_is_written_in_parts
    in_directory do |directory|
      path = File.join(directory, "a")
      Rperf::OutputFile.new(path).fill { |out| 3.times { |number| out.write("part #{number}\n") } }
      assert_equal "part 0\npart 1\npart 2\n", File.read(path)
      assert_raises(ArgumentError) { Rperf::OutputFile.new(path).fill { |out| out.write("half") && raise(ArgumentError) } }
      assert_equal ["a"], Dir.children(directory)
      assert_equal "part 0\npart 1\npart 2\n", File.read(path)
    end
  end

  def test_bytes_are_bytes_whatever_the_program_does_with_texts
    in_directory do |directory|
      path = File.join(directory, "x")
      with_default_internal { file(path).write("\x8B\xFF".b) }
      assert_equal "\x8B\xFF".b, File.binread(path)
    end
  end

  # As with `ruby -E ISO-8859-1:UTF-8`.
  def test_names_are_bytes_whatever_the_encoding_of_the_file_system
    in_directory do |directory|
      Dir.mkdir(File.join(directory, "\u00FC"))
      Dir.chdir(File.join(directory, "\u00FC")) do
        message = with_default_internal(external: Encoding::ISO_8859_1) do
          2.times { ["a", "\u00E9"].each { |name| file(name).tap(&:check!).write(name) } }
          file("a").fill { |out| out.write("whole") }
          Rperf.save("\u00E9.json", {samples: []})
          assert_empty Rperf.load("\u00E9.json")[:samples]
          assert_raises(Rperf::Error) { file("\u00F6/a").write("") }.message
        end
        assert_equal "cannot write '#{directory}/\u00FC/\u00F6/a': the directory '#{directory}/\u00FC/\u00F6' does not exist; create it, or name a file elsewhere", message
        assert_equal ["a", "\u00E9", "\u00E9.json"], Dir.children(".").sort
        assert_equal ["whole", "\u00E9"], ["a", "\u00E9"].map { |name| File.read(name) }
      end
    end
  end

  def with_default_internal(external: Encoding.default_external)
    before, verbose, $VERBOSE = [Encoding.default_external, Encoding.default_internal], $VERBOSE, nil
    Encoding.default_external, Encoding.default_internal = external, Encoding::UTF_8
    yield
  ensure
    Encoding.default_external, Encoding.default_internal = before
    $VERBOSE = verbose
  end

  def test_the_file_has_the_usual_permissions
    in_directory do |directory|
      path = File.join(directory, "x")
      file(path).write("x")
      assert_equal 0o666 & ~File.umask, File.stat(path).mode & 0o777
    end
  end

  def test_a_file_that_is_replaced_hands_on_its_permissions
    in_directory do |directory|
      path = File.join(directory, "x")
      [0o600, 0o664].each do |mode|
        ways = [->(file) { file.write("x") }, ->(file) { file.fill { |out| out.write("x") } }, ->(file) { file.write_at_once("x") }]
        ways.each do |way|
          File.write(path, "old")
          File.chmod(mode, path)
          way.call(file(path))
          assert_equal ["x", mode], [File.read(path), File.stat(path).mode & 0o777]
        end
      end
    end
  end

  def test_an_old_file_is_replaced_not_overwritten
    in_directory do |directory|
      path = File.join(directory, "x")
      File.write(path, "old")
      reader = File.open(path)
      file(path).write("new")
      assert_equal "old", reader.read
      assert_equal "new", File.read(path)
      reader.close
    end
  end

  def test_a_link_stays_a_link
    in_directory do |directory|
      target = File.join(directory, "target")
      link = File.join(directory, "link")
      File.symlink("target", link)
      file(link).write("through")
      assert_equal "through", File.read(target)
      assert File.symlink?(link)
      file(link).write("again")
      assert_equal "again", File.read(target)
    end
  end

  def test_links_to_links_stay_links
    in_directory do |directory|
      %w[target second first].each_cons(2) { |to, link| File.symlink(to, File.join(directory, link)) }
      2.times { |round| file(File.join(directory, "first")).write("round #{round}") }
      assert_equal "round 1", File.read(File.join(directory, "target"))
      assert(%w[first second].all? { |link| File.symlink?(File.join(directory, link)) })
    end
  end

  def test_the_path_is_that_of_the_directory_it_was_made_in
    in_directory do |directory|
      output = Dir.chdir(directory) { file("x") }
      output.write("x")
      assert_path_exists File.join(directory, "x")
    end
  end

  def test_devices_are_written_to
    assert_equal "/dev/null", file("/dev/null").write("x")
    assert_predicate File.stat("/dev/null"), :chardev?
  end

  # The pipe of another user, or a system without /dev.
  def test_an_open_stream_needs_no_rights_to_its_path
    File.stub(:writable?, false) { %w[/dev/stdout /dev/fd/1 /dev/stderr].each { |path| file(path).check! } }
  end

  def test_an_open_descriptor_is_written_to_where_it_stands
    in_directory do |directory|
      File.open(File.join(directory, "x"), "wb") do |open|
        %w[dev proc/self].each do |place|
          output = file("/#{place}/fd/#{open.fileno}")
          open.syswrite("before,")
          output.check!
          output.write("written,")
          output.fill { |out| out.write("filled,") }
          open.syswrite("after;")
        end
        assert_equal "before,written,filled,after;" * 2, File.read(open.path)
      end
      assert_equal ["x"], Dir.children(directory)
    end
  end

  def test_a_descriptor_that_is_not_open_for_writing
    File.open(__FILE__) do |open|
      [open.fileno, 99_999].each do |number|
        output = file("/dev/fd/#{number}")
        expected = "cannot write '/dev/fd/#{number}': no file is open there for writing; open it (3> FILE), or name a file"
        assert_equal expected, complaint { output.check! }
        assert_equal expected, complaint { output.write("x") }
      end
    end
  end

  def test_a_missing_directory
    in_directory do |directory|
      output = file(File.join(directory, "no", "x"))
      expected = "cannot write '#{directory}/no/x': the directory '#{directory}/no' does not exist; " \
                 "create it, or name a file elsewhere"
      assert_equal expected, complaint { output.check! }
      assert_equal expected, complaint { output.write("x") }
    end
  end

  def test_a_link_into_a_missing_directory
    in_directory do |directory|
      File.write(File.join(directory, "file"), "")
      {"no/x" => "the directory '#{directory}/no' does not exist; create it, or name a file elsewhere",
       "file/x" => "'#{directory}/file' is no directory; name a file elsewhere"}.each do |to, reason|
        link = File.join(directory, "to #{File.dirname(to)}")
        File.symlink(to, link)
        assert_equal "cannot write '#{link}': #{reason}", complaint { file(link).check! }
      end
    end
  end

  def test_a_name_that_is_too_long
    in_directory do |directory|
      path = File.join(directory, "x" * 300)
      assert_equal "cannot write '#{path}': the name is too long", complaint { file(path).check! }
      assert_empty Dir.children(directory)
    end
  end

  def test_the_longest_name_of_another_alphabet
    in_directory do |directory|
      path = File.join(directory, "\u20ac" * 85)
      file(path).check!
      file(path).write("x")
      assert_equal ["\u20ac" * 85], Dir.children(directory)
    end
  end

  # As with LANG=C, or where the current directory has a name of another encoding.
  def test_names_of_several_encodings
    in_directory do |directory|
      [["\u00fc", "\u00f6".b], ["\xfc".b, "\u00f6"], ["\u00fd", "\xff".b]].each do |own, name|
        Dir.mkdir(File.join(directory, own))
        path = Dir.chdir(File.join(directory, own)) { file(name).tap(&:check!).write("x") }
        assert_equal "#{directory.b}/#{own.b}/#{name.b}", path.b
        assert_equal "x", File.read(path)
        File.symlink("#{own}.txt", "#{directory.b}/#{own.b}/link")
        file("#{directory.b}/#{own.b}/link".dup.force_encoding(name.encoding)).write("y")
        assert_equal "y", File.read("#{directory.b}/#{own.b}/#{own.b}.txt")
      end
    end
  end

  def test_a_directory_in_place_of_the_file
    in_directory do |directory|
      assert_equal "cannot write '#{directory}': it is a directory; name a file", complaint { file(directory).check! }
    end
  end

  # Without the slash it would be a file where a directory was meant.
  def test_the_name_of_a_directory_that_is_not_there
    assert_equal "cannot write 'profiles/': it is the name of a directory; name a file", complaint { file("profiles/") }
  end

  def test_a_full_disk
    assert_equal "cannot write '/dev/full': the disk is full; free some space, or name a file on another disk",
      complaint { file("/dev/full").write("x") }
  end

  def test_a_full_disk_leaves_the_old_file_alone
    in_directory do |directory|
      path = File.join(directory, "x")
      File.write(path, "old")
      output = file(path)
      limited { complaint { output.write("x" * 100_000) } }
      assert_equal "old", File.read(path)
      assert_equal ["x"], Dir.children(directory)
    end
  end

  def test_a_private_directory_takes_no_file_that_is_too_large
    require "rperf/private_directory"
    in_directory do |directory|
      place = Rperf::PrivateDirectory.new(File.join(directory, "own"), "the test's directory")
      limited { assert_raises(Errno::EFBIG) { place.write("x", "x" * 100_000) } }
      place.write("y", "y")
      assert_equal ["y"], Dir.children(place.path(""))
    end
  end

  def test_checking_leaves_nothing
    in_directory do |directory|
      file(File.join(directory, "x")).check!
      assert_empty Dir.children(directory)
    end
  end

  def test_a_closed_pipe
    in_directory do |directory|
      path = File.join(directory, "pipe")
      File.mkfifo(path)
      reader = Thread.new { File.open(path, &:close) }
      message = complaint { file(path).write("x" * 1_000_000) }
      reader.join
      assert_equal "cannot write '#{path}': the reader closed the pipe", message
    end
  end

  def test_at_once_it_is_whole_or_not_there
    in_directory do |directory|
      path = File.join(directory, "päth")
      assert_equal path, Rperf::OutputFile.new(path).write_at_once("\0bytes\xff".b)
      assert_equal "\0bytes\xff".b, File.binread(path)
      Dir.mkdir(File.join(directory, "taken"))
      { "taken" => /it is a directory/, "no/file" => /the directory '.*no' does not exist/ }.each do |name, sentence|
        file = Rperf::OutputFile.new(File.join(directory, name))
        assert_match sentence, assert_raises(Rperf::Error) { file.write_at_once("x") }.message
      end
      assert_equal %w[päth taken], Dir.children(directory).sort
    end
  end

  private

  # Files larger than 10 kB cannot be written inside of the block.
  def limited
    before = Process.getrlimit(:FSIZE)
    Process.setrlimit(:FSIZE, 10_000, before.last)
    yield
  ensure
    Process.setrlimit(:FSIZE, *before)
  end
end
