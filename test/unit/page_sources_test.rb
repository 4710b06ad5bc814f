# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/page"

# Which lines of which files go into the page.
class PageSourcesTest < Minitest::Test
  HUNDRED = (1..100).map { |number| "line #{number}\n" }.join.freeze

  def test_lines_around_those_with_samples_are_read
    with_file("a.rb", HUNDRED) do |path|
      assert_equal [[path, "read", (38..62).map { |number| [number, "line #{number}"] }]], sources([path, [50]])
      assert_equal [*1..13, *88..100], numbers(path, [100, 1])
    end
  end

  def test_lines_beyond_the_end_of_a_file_do_not_matter
    with_file("a.rb", "only\n") { |path| assert_equal [[path, "read", []]], sources([path, [400]]) }
  end

  def test_a_file_that_changed_after_the_recording_is_marked
    with_file("a.rb", "x\n") do |path|
      recorded = (File.mtime(path).to_i - 60) * 1_000_000_000

      assert_equal "newer", Rperf::Page::Sources.new([[path, []]], recorded:).to_a[0][1]
      assert_equal "read", Rperf::Page::Sources.new([[path, []]], recorded: recorded + 120_000_000_000).to_a[0][1]
    end
  end

  def test_what_is_no_source_code_is_not_read
    { "id_rsa" => "-----BEGIN\n", "data.csv" => "1\n", "a.rb" => "x\0\n" }.each do |name, text|
      with_file(name, text) { |path| assert_equal [[path, "unread", []]], sources([path, [1]]) }
    end
    in_directory { |directory| assert_equal "unread", sources([directory, [1]])[0][1] }
    assert_equal "unread", sources(["/dev/zero", [1]])[0][1]
    assert_equal "unread", sources(["a\0.rb", [1]])[0][1]
  end

  def test_ruby_programs_without_an_ending_are_read
    with_file("program", "#!/usr/bin/env ruby\n1\n") { |path| assert_equal "read", sources([path, [1]])[0][1] }
  end

  def test_a_file_that_is_gone_is_said_to_be_missing
    assert_equal [["nowhere/a.rb", "missing", []]], sources(["nowhere/a.rb", [1]])
  end

  def test_bytes_that_are_no_text_and_long_lines_do_no_harm
    with_file("a.rb", "\xFF\n#{"x" * 10_000}\n".b) do |path|
      lines = sources([path, [1]])[0][2]

      assert_equal [1, "\u{FFFD}"], lines[0]
      assert_equal Rperf::Page::Sources::LONGEST_LINE, lines[1][1].length
    end
  end

  def test_the_number_of_lines_is_limited
    with_file("a.rb", "x\n" * 10_000) do |path|
      assert_equal Rperf::Page::Sources::MOST_LINES_OF_A_FILE, numbers(path, (1..10_000).step(10).to_a).length
      many = Array.new(20) { [path, (1..10_000).step(10).to_a] }
      states = sources(*many)

      assert_equal Rperf::Page::Sources::MOST_LINES, states.sum { |_path, _state, lines| lines.length }
      assert_equal "too much", states.last[1]
    end
    with_file("a.rb", "#" * (Rperf::Page::Sources::MOST_BYTES + 1)) { |path| assert_equal "too much", sources([path, [1]])[0][1] }
  end

  private

  # files: [path, [line, ...]], lines of the file's own code
  def sources(*files) = Rperf::Page::Sources.new(files.map { |path, lines| [path, [["<main>", 0, lines]]] }).to_a

  def numbers(path, lines) = sources([path, lines])[0][2].map(&:first)

  def with_file(name, content)
    in_directory do |directory|
      path = File.join(directory, name)
      File.binwrite(path, content)
      yield path
    end
  end
end
