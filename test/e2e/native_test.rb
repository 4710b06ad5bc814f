# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# Native leaves by the command line, in every format, and in programs that make it hard.
class NativeTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Digests come with Ruby as an extension of their own.
  CODE = <<~'RUBY'
    require "digest"
    DATA = "x" * 1_000_000
    def digest = 25.times { Digest::SHA256.digest(DATA) }
    digest
  RUBY
  FUNCTION = "rb_Digest_SHA256_Transform"

  def record(*options, directory:, code: CODE, env: {})
    write_file(directory, "program.rb", code)
    result = rperf("record", *options, "ruby", "program.rb", directory:, env:)
    assert_equal 0, result.code, result.inspect
    result
  end

  def test_every_format_shows_them
    in_directory do |directory|
      {
        "p.collapsed" => /;Digest::Base#update;#{FUNCTION} \d+$/,
        "p.txt" => %r{#{FUNCTION} \(ruby/\S*/sha2\.so\)$},
        "p.json" => %r{"label":\s*"#{FUNCTION}",\s*"path":\s*"/[^"]*/sha2\.so"}
      }.each do |name, pattern|
        record("--native", "-o", name, directory:)
        assert_match pattern, File.read(File.join(directory, name))
      end
    end
  end

  def weight(samples) = samples.sum { |sample| sample[1] }

  def test_pprof_sees_them_and_rperf_reads_them_back
    in_directory do |directory|
      record("--native", directory:)
      flat, = pprof_top("rperf.data", directory:).find { |_flat, _cumulative, name| name == FUNCTION }
      data = Rperf.load(File.join(directory, "rperf.data"))
      below = data[:samples].select { |frames,| frames.any? { |frame| frame.label == "Object#digest" } }
      found = weight(below.select { |frames,| frames.first.label == FUNCTION })
      leaves = data[:samples].select { |frames,| frames.first&.label == FUNCTION }
      assert_in_delta 100 * weight(leaves).fdiv(weight(data[:samples])), flat.to_f, 0.1
      assert_operator found, :>, weight(below) / 2
      frames, = below.max_by { |_frames, weight| weight }
      assert_equal [FUNCTION, "Digest::Base#update"], frames.first(2).map(&:label)
      assert_equal "sha2.so", File.basename(frames.first.path)
      assert_includes data[:comments], "native: yes"
    end
  end

  # Dozens of functions run for one leaf, whose stacks were met once: their time is not cut to dust.
  def test_stacks_have_no_more_leaves_than_ticks
    in_directory do |directory|
      record("--native", "-f", "5000", "-o", "p.json", directory:, code: <<~'RUBY')
        LIST = (1..200).to_a
        def dive(depth)
          LIST.map(&:to_s).join.hash
          dive(depth - 1) if depth > 0
        end
        4.times { dive(700) }
      RUBY
      data = Rperf.load(File.join(directory, "p.json"))
      natives = data[:samples].select { |frames,| File.basename(frames.first.path).include?(".so") }
      assert_operator natives.map { |frames,| frames.first }.uniq.length, :>, 10
      assert_operator natives.length, :<=, natives.sum(&:count)
    end
  end

  def test_all_commands_and_the_environment
    in_directory do |directory|
      write_file(directory, "program.rb", CODE)
      assert_includes rperf("exec", "--native", "-m", "cpu", "ruby", "program.rb", directory:).err, FUNCTION
      assert_includes rperf("stat", "--native", "-m", "cpu", "--report", "ruby", "program.rb", directory:).err, FUNCTION
      refute_includes rperf("exec", "-m", "cpu", "ruby", "program.rb", directory:).err, FUNCTION
      env = {"RPERF_ENABLED" => "1", "RPERF_NATIVE" => "1", "RPERF_OUTPUT" => "p.txt"}
      run_program("ruby", "-I", Paths::LIB, "-rrperf", "program.rb", directory:, env:)
      assert_includes File.read(File.join(directory, "p.txt")), FUNCTION
    end
  end

  def test_without_signals_it_is_a_wrong_command_line
    in_directory do |directory|
      result = rperf("record", "--native", "--signal", "none", "ruby", "-e", "puts 1", directory:)
      assert_equal 2, result.code
      assert_match(/\Arperf: native: true \(--native\) needs a signal, [^\n]*\n\z/, result.err)
      assert_empty result.out
    end
  end

  # Samples at safepoints have no native leaf, and the profile says so.
  def test_where_the_layout_is_not_proved
    in_directory do |directory|
      record("--native", "-o", "p.json", directory:, env: {"RPERF_LAYOUT_PROOF" => "fail"})
      data = Rperf.load(File.join(directory, "p.json"))
      assert_includes data[:comments], "native: not with this engine"
      assert_empty data[:samples].flat_map(&:first).map(&:path).grep(/sha2\.so/)
    end
  end

  # Threads that compute without the GVL, and a session that ends, or a process that forks, in the
  # middle of it.
  def test_sessions_that_end_while_threads_are_away
    in_directory do |directory|
      record("--native", "--no-inherit", "-f", "5000", "-o", "p.json", directory:, code: <<~'RUBY')
        require "zlib"
        DATA = Random.new(1).bytes(300_000)
        busy = 3.times.map { Thread.new { loop { Zlib::Deflate.deflate(DATA, 9) } } }
        Rperf.stop
        20.times do
          data = Rperf.start(frequency: 5000, native: true) { sleep 0.01 }
          raise "nothing" unless data[:samples]
        end
        Rperf.start(frequency: 5000, native: true)
        Process.wait(fork { Rperf.start(native: true) { Zlib::Deflate.deflate(DATA) } })
        raise "the child failed" unless $?.success?
        puts busy.count(&:alive?)
        begin
          Rperf.snapshot(clear: true)[:samples] or raise "nothing"
        ensure
          busy.each(&:kill)
        end
      RUBY
    end
  end

  # The child closes its copies of the clocks, which are the parent's.
  def test_a_program_that_forks
    in_directory do |directory|
      code = CODE.sub(/digest\n\z/, "Process.wait(fork { exit!(true) })\n\\0")
      record("--native", "--no-inherit", "-m", "cpu", "-o", "p.json", directory:, code:)
      samples = Rperf.load(File.join(directory, "p.json"))[:samples]
      found = samples.select { |frames,| frames.first.label == FUNCTION }
      assert_operator weight(found), :>, weight(samples) / 2
    end
  end

  # A library that is made for the test, and called without a gem.
  module Library
    SOURCE = <<~C
      static volatile unsigned long sink;
      static __attribute__((noinline)) unsigned long hidden(unsigned long n) {
        unsigned long i;
        for (i = 0; i < n; i++) sink += i;
        return sink;
      }
      unsigned long spin(unsigned long n) { return hidden(n) + 1; }
      unsigned long spin_openly(unsigned long n) {
        unsigned long i;
        for (i = 0; i < n; i++) sink += i;
        return sink;
      }
    C
    PROGRAM = <<~'RUBY'
      require "fiddle"
      LIBRARY = Fiddle.dlopen(File.expand_path("libspin.so"))
      def call(name) = Fiddle::Function.new(LIBRARY[name], [Fiddle::TYPE_LONG], Fiddle::TYPE_LONG, need_gvl: true).call(120_000_000)
    RUBY
  end

  # What is in the profile for a program that spins in the library, built with these flags: [label,
  # file] => weight.
  def spin(code, *flags)
    in_directory do |directory|
      write_file(directory, "spin.c", Library::SOURCE)
      built = run_program("cc", "-O1", "-shared", "-fPIC", *flags, "-o", "libspin.so", "spin.c", directory:)
      assert_equal 0, built.code, built.inspect
      record("--native", "-o", "p.json", directory:, code: Library::PROGRAM + code)
      @data = Rperf.load(File.join(directory, "p.json"))
      leaves = @data[:samples].group_by { |frames,| [frames.first.label, File.basename(frames.first.path)] }
      leaves.transform_values { |samples| samples.sum { |sample| sample[1] } }
    end
  end

  def assert_most(leaf, leaves)
    assert_operator leaves.fetch(leaf, 0), :>, leaves.values.sum / 2, leaves.inspect
  end

  def test_functions_that_are_not_exported_have_names
    assert_most ["hidden", "libspin.so"], spin('call("spin")')
  end

  # The table of all symbols is gone; no neighbour's name is shown for what has none.
  def test_a_stripped_library
    assert_most ["[libspin.so]", "libspin.so"], spin('call("spin")', "-s")
    assert_most ["spin_openly", "libspin.so"], spin('call("spin_openly")', "-s")
  end

  # The file is gone when its functions are named: through the mapping it can still be read, where
  # the system allows that.
  def test_a_deleted_library
    leaves = spin('call("spin"); File.unlink("libspin.so"); File.write("libspin.so", "no library")')
    known = leaves.keys & [["hidden", "libspin.so"], ["[libspin.so]", "libspin.so"]]
    assert_equal 1, known.length, leaves.inspect
    assert_most known.first, leaves
  end

  # Nothing is mapped there any more; its functions were looked up while they ran.
  def test_a_library_that_was_closed
    leaves = spin('call("spin"); LIBRARY.close')
    assert_most ["hidden", "libspin.so"], leaves
  end
end
