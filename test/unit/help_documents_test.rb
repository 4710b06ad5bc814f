# frozen_string_literal: true

require "pty"
require_relative "../support/documents"
require_relative "../support/program"
require "rperf/cli"
require "rperf/cli/help"

# `rperf help TOPIC`: the documents of docs/ as plain text.
class HelpDocumentsTest < Minitest::Test
  include ProgramSupport

  TOPICS = Rperf::CLI::Help::Documents.new
  INDEX = File.read(File.join(ROOT, "docs", "README.md"))

  def test_the_index_has_a_sentence_for_each_topic
    listed = INDEX.scan(/^\* \[([\w-]+)\]\(\S+\): .+?\.$/m).flatten
    assert_equal (TOPICS.names - ["topics"]).sort, listed.sort
  end

  def test_no_topic_is_called_as_a_command
    assert_empty TOPICS.names & Rperf::CLI::COMMANDS.keys
  end

  def test_every_topic_is_plain
    in_directory do |directory|
      TOPICS.names.each do |name|
        result = rperf("help", name, directory:)
        assert_equal [0, ""], [result.code, result.err], name
        assert_equal TOPICS.markdown(name)[/\A# (.*)/, 1].upcase.delete("`"), result.out.lines.first.chomp.upcase, name
        assert_nil result.out[/\]\(\S+\.md|^```|\0/], name
      end
    end
  end

  def test_a_name_with_its_ending
    in_directory do |directory|
      assert_equal rperf("help", "faq", directory:).out, rperf("help", "faq.md", directory:).out
    end
  end

  def test_what_markdown_becomes
    assert_equal <<~TEXT, plain(<<~MARKDOWN)
      A TITLE

      Some words and a link
      over lines (see x), with code | bars.

          a `block`  | as it is

          indented **too**

      A heading

      name  what
      a     b | c
    TEXT
      # A title

      Some **words** and a [link
      over lines](x.md#y), with `code | bars`.

      ```sh
      a `block`  | as it is
      ```

          indented **too**

      ## A heading

      | name | what |
      |---|---|
      | *a* | `b \\| c` |
    MARKDOWN
  end

  def test_links_say_where_they_point
    {"[lines](interpreting-results.md#lines)" => "lines (see interpreting-results)", "it ([why](../memory.md))" => "it (why: see memory)",
     "[list](decisions/README.md)" => "list (see decisions)", "[why](../decisions/0024-little.md)" => "why (see decision 24)",
     "[table](../SECURITY.md#what)" => "table (see SECURITY.md)", "[measured](../bench/results/memory.md)" => "measured (see bench/results/memory.md)",
     "[site](https://a.example/b)" => "site (see https://a.example/b)", "[below](#a-heading-of-code)" => 'below (see "A heading of code")',
     "[a heading of `code`](#a-heading-of-code)" => "a heading of code", "[faq](faq.md), [cli.md](cli.md#x)" => "faq, cli.md",
     "[decision\n24](decisions/0024-little.md)" => "decision\n24", "![a picture](images/a.png)" => "a picture"}.each do |link, text|
      assert_equal "#{text}\n\nA heading of code\n", plain("#{link}\n\n## A heading of `code`\n")
    end
  end

  # Names are those of topics, or of files that are in the repository alone.
  def test_every_link_of_every_topic_points_to_something
    TOPICS.names.each do |name|
      plain(TOPICS.markdown(name)).scan(/\(see ([a-z-]+)\)/).flatten.each { |place| assert_includes TOPICS.names, place, name }
    end
  end

  def test_a_wide_table_has_a_paragraph_for_each_row
    wide = "x" * 90
    assert_equal "a\n    what: #{wide}\n    why: because\nb\n    why: since\n",
      plain("| name | what | why |\n|---|---|---|\n| a | #{wide} | because |\n| b | | since |\n")
  end

  def test_on_a_terminal_it_is_paged
    in_directory do |directory|
      environment = clean_environment.merge("RPERF_PAGER" => "tr a-z A-Z", "TERM" => "dumb")
      out = nil
      PTY.spawn(environment, RUBY, RPERF, "help", "faq", chdir: directory) { |output, _, _| out = read_all(output) }
      assert_includes out, "IS IT SAFE IN PRODUCTION?"
      refute_includes out, "Is it safe"
    end
  end

  private

  def plain(markdown) = Rperf::CLI::Help::PlainText.new(markdown).to_s

  # A terminal whose program has ended is an error on Linux.
  def read_all(output)
    text = +""
    loop { text << output.readpartial(4096) }
  rescue EOFError, Errno::EIO
    text
  end
end
