# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "text_rules"

# Rules for every file: sizes, host names, paths of one machine, unfinished work.
class TextRulesTest < Minitest::Test
  def test_files_of_the_checkout
    files = Paths.tracked
    refute_empty files

    assert_kept files.flat_map { |file| TextRules.violations(file, File.binread(Paths.of(file))) }
  end

  def test_a_long_file_is_found
    long = "x\n" * (TextRules::LONGEST_FILE + 1)

    assert_equal ["a.rb: 401 lines, more than 400: split it"], TextRules.violations("a.rb", long)
    assert_empty TextRules.violations("README.md", long)
    assert_empty TextRules.violations("a.rs", "x\n" * TextRules::LONGEST_FILE)
  end

  def test_a_registry_host_is_found
    TextRules::HOSTS.each do |host|
      assert_equal ["a.md:2: names a package registry's host: #{host}"], TextRules.violations("a.md", "\nhttps://#{host}/x")
    end
    assert_empty TextRules.violations("fuzz/Cargo.lock", TextRules::HOSTS.first)
    assert_empty TextRules.violations("a.md", "rubygems.organic and debian.organisation")
  end

  def test_a_path_of_one_machine_is_found
    %w[root work tmp home/me Users/me].each do |top|
      assert_equal 1, TextRules.violations("a.sh", "cd /#{top}/x").size, top
      assert_equal 1, TextRules.violations("a.rb", "\"/#{top}/x.rb\"").size, top
    end
    assert_empty TextRules.violations("a.sh", '"$HOME/x" "$work/root/x" ${cache}/tmp/x ~/work/x lib/work/x /srv/app.rb')
  end

  def test_unfinished_work_is_found
    assert_equal 1, TextRules.violations("a.rs", "// TO#{}DO: later").size
    assert_empty TextRules.violations("a.rs", "// FIXMENOT")
  end

  def test_a_retired_word_is_found
    assert_equal ["ext/rperf/src/a.rs:1: names a thing by a word that is not used any more: ticker"],
                 TextRules.violations("ext/rperf/src/a.rs", "// the ticker's period\n")
    assert_empty TextRules.violations("test/a.rb", "# the ticker's period\n")
    assert_equal 1, TextRules.violations("ext/rperf/src/threads/a.rs", "// The clock is told.\n").size
    assert_empty TextRules.violations("ext/rperf/src/vm/a.rs", "// The clock is told.\n")
  end

  def test_a_person_in_the_place_of_a_thread_is_found
    assert_equal 1, TextRules.violations("ext/rperf/src/a.rs", "// Nobody waits.").size
    assert_equal 1, TextRules.violations("docs/a.md", "Whoever holds the lock").size
    assert_empty TextRules.violations("test/a.rb", "nobody")
  end

  def test_a_placeholder_for_a_value_is_found
    assert_equal 1, TextRules.violations("ext/rperf/src/a.rs", "/// At most so many frames are kept.").size
    assert_equal 1, TextRules.violations("docs/a.md", "one object of so many is sampled").size
    assert_empty TextRules.violations("docs/a.md", "it takes so long that no tick is charged")
  end

  def test_prose_that_is_too_wide_is_found
    wide = "word " * 21
    comment = "    // #{wide}\n"

    assert_equal ["ext/rperf/src/a.rs:1: #{comment.length - 1} columns of prose, more than 100"],
                 TextRules.violations("ext/rperf/src/a.rs", comment)
    %w[docs/a.md bench/results/a.md].each { |file| assert_equal 1, TextRules.violations(file, "#{wide}\n").size, file }
    %w[lib/a.rb test/b/a.rb].each { |file| assert_equal 1, TextRules.violations(file, "  # #{wide}\n").size, file }
    assert_empty TextRules.violations("lib/a.rb", "name = value # #{wide}\n")
    assert_empty TextRules.violations("docs/a.md", "| #{wide} |\n```\n#{wide}\n```\n")
    assert_empty TextRules.violations("ext/rperf/src/a.rs", "let text = \"#{wide}\";")
  end

  def test_binary_files_have_no_lines
    assert_empty TextRules.violations("a.bin", "\0 /#{"root"}/x")
  end

  private

  # One sentence a line.
  def assert_kept(violations) = assert_empty(violations, violations.join("\n"))
end
