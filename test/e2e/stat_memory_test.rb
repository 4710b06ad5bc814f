# frozen_string_literal: true

require_relative "../support/program"

# What `rperf stat` says of a program's objects and its memory.
class StatMemoryTest < Minitest::Test
  include ProgramSupport

  # Objects that die at once, objects that stay, and 64 MB of malloc's.
  PROGRAM = <<~'RUBY'
    class Kept; end
    KEPT = Array.new(1000) { Kept.new }
    TEXT = "x" * (64 << 20)
    20.times { 5000.times { |number| [number] }; GC.start }
  RUBY

  # {name => [number, share]}
  def rows(*flags)
    in_directory do |directory|
      write_file(directory, "app.rb", PROGRAM)
      text = rperf("stat", *flags, "ruby", "app.rb", directory:).err
      text.scan(/^ *([\d,]+)(?: MB)? +(?:([\d.]+)%)?  (\S.*?)(?: \(.*)?$/).to_h { |number, share, name| [name, [number.delete(",").to_i, share.to_f]] }
    end
  end

  OWN = 400

  def test_what_lives_and_what_dies
    rows = rows("-m", "heap", "-i", "1")
    allocated, = rows.fetch("objects allocated")
    assert_operator allocated, :>, 100_000
    slots = rows.select { |name, _| name.start_with?("objects in slots of") }
    assert_operator slots.length, :>=, 5
    # Both begin and end a little apart, with some objects of rperf's own between.
    assert_in_delta allocated, slots.sum { |_, (number, _)| number }, OWN
    assert_operator slots.fetch("objects in slots of 40 bytes").last, :>, 50
    young, share = rows.fetch("died in the first collection after their birth")
    assert_in_delta 100.0 * young / allocated, share, 0.1
    assert_operator share, :>, 90
  end

  # 1000 objects that five collections find alive, and another one dead.
  def test_lifetimes
    in_directory do |directory|
      program = 'class Old; end; kept = Thread.new { Array.new(1000) { Old.new } }.value; 5.times { GC.start }; kept.clear; GC.start'
      text = rperf("stat", "-m", "heap", "-i", "1", "ruby", "-e", program, directory:).err
      died = text.scan(/^ *([\d,]+) +[\d.]+%  died (.*)$/).to_h { |number, name| [name, number.delete(",").to_i] }
      assert_includes 1000..1050, died["in the 4th to 7th"], text
      assert_empty died.keys.grep(/8th|later/), text
    end
  end

  # Ruby counts an object that moves as another one.
  def test_objects_that_move
    in_directory do |directory|
      program = 'kept = Array.new(50_000) { Object.new }; kept = kept.each_slice(2).map(&:first); GC.compact; $stdout.print GC.stat(:total_moved_objects)'
      result = rperf("stat", "-m", "alloc", "ruby", "-e", program, directory:)
      moved, allocated, freed = result.out.to_i, *["objects allocated", "objects freed meanwhile"].map { |name| result.err[/([\d,]+) +#{name}/, 1].delete(",").to_i }
      assert_operator moved, :>, 10_000
      # Objects, slices, and some of the collector's.
      assert_includes 75_000...75_000 + moved / 2, allocated
      assert_operator freed, :<, allocated
      assert_match(/their slots alone \(with the new ones of [\d,]+ moved objects\)$/, result.err)
    end
  end

  # What is an estimate elsewhere is not said to be 0.
  def test_a_program_of_which_no_object_is_sampled
    in_directory do |directory|
      %w[alloc heap].each do |mode|
        text = rperf("stat", "-m", mode, "-i", "1000000000", "ruby", "-e", "100.times { Object.new }", directory:).err
        assert_match(/^ +([\d.]+ kB) +their slots alone \(no object was sampled: with a smaller --interval more are\)$/, text)
        assert_operator text[/([\d.]+) kB +their slots alone/, 1].to_f, :>=, 100 * 40 / 1024.0
        refute_match(/they take|died|in use at the end/, text)
      end
    end
  end

  # rperf loads itself before or after the program, and collects after it where it samples objects.
  def test_what_rperf_does_is_not_the_programs
    %w[cpu alloc heap wall,heap].each do |mode|
      in_directory do |directory|
        text = rperf("stat", "-m", mode, "ruby", "-e", "GC.disable", directory:).err
        assert_match(/GC time \(0 count: 0 minor, 0 major\)$/, text, mode)
        assert_operator text[/([\d,]+) +\[Ruby\] allocated objects$/, 1].delete(",").to_i, :<, 1000, mode
      end
    end
  end

  def test_what_the_memory_is
    %w[heap alloc wall,heap].each do |mode|
      rows = rows("-m", mode)
      all, = rows.fetch("[OS] resident memory at the end")
      parts = ["files: Ruby's code, libraries, shared memory", "Ruby's heap pages", "malloc: in use", "malloc: kept free",
        "stacks, compiled code and other memory"].map { |name| rows.fetch(name) }
      assert_in_delta all, parts.sum(&:first), parts.length, "rounded, each"
      assert_in_delta 100, parts.sum(&:last), 0.5
      assert_operator parts[2].first, :>=, 64
    end
  end

  def test_other_modes_say_nothing_of_it
    assert_empty(rows("-m", "cpu").keys.grep(/resident|slots/))
  end

  # glibc's figures would be those of a few blocks.
  def test_another_allocator
    assert Rperf::Native.memory_usage.key?(:malloc_used_bytes), "glibc's own says it"
    in_directory do |directory|
      write_file(directory, "other.c", "#include <stddef.h>\nvoid *__libc_malloc(size_t);\nvoid *malloc(size_t n) { return __libc_malloc(n); }\n")
      assert system("cc", "-shared", "-fPIC", "-o", "other.so", "other.c", chdir: directory)
      code = 'require "rperf"; print Rperf::Native.memory_usage.keys.join(" ")'
      result = run_program(RUBY, "-I", Paths::LIB, "-e", code, directory:, env: {"LD_PRELOAD" => File.join(directory, "other.so")})
      assert_equal "rss_bytes rss_file_bytes", result.out
    end
  end
end
