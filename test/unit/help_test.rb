# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli"
require "rperf/cli/help"
require "rperf/cli/completion"

class HelpTest < Minitest::Test
  COMMANDS = Rperf::CLI::COMMANDS
  FLAGS = Rperf::CLI::FLAGS
  CUT = "...\n"

  def test_usage_names_every_command
    usage = Rperf::CLI::Help.usage
    COMMANDS.each_value { |command| assert_includes usage, command.usage }
  end

  def test_each_command_lists_exactly_its_options
    COMMANDS.each_value do |command|
      text = Rperf::CLI::Help.for(command)
      listed = text.scan(/^ +(?:-\w, )?(--[\w-]+)/).flatten
      assert_equal command.flags.map(&:long), listed, command.name
    end
  end

  def test_every_command_has_help
    COMMANDS.each_value do |command|
      ["--help", "-h"].each { |word| assert_equal true, Rperf::CLI::Parser.new(command).parse([word]).first[:help], command.name }
    end
  end

  def test_every_option_belongs_to_a_command
    used = COMMANDS.values.flat_map(&:flags).uniq
    assert_empty FLAGS - used
  end

  def test_names_of_options_are_unique
    ids = FLAGS.map(&:id)
    assert_equal ids.uniq, ids
    COMMANDS.each_value do |command|
      names = command.flags.flat_map { |flag| [flag.short, flag.long] }.compact
      assert_equal names.uniq, names, command.name
    end
  end

  def test_defaults_are_shown
    assert_match(/--output PATH .*\(default: rperf\.data\)$/, Rperf::CLI::Help.for(COMMANDS["record"]))
    assert_match(/--mode MODE .*\(default: cpu\)$/, Rperf::CLI::Help.for(COMMANDS["record"]))
    assert_match(/--mode MODE .*\(default: wall\)$/, Rperf::CLI::Help.for(COMMANDS["exec"]))
  end

  def test_the_help_names_the_formats_and_modes_that_there_are
    format_help = FLAGS.find { |flag| flag.key == :format }.help
    Rperf::Native::FORMATS.each { |name| assert_includes format_help, name.to_s }
    mode_help = FLAGS.find { |flag| flag.key == :mode }.help
    Rperf::Native::MODES.each { |name| assert_includes mode_help, name.to_s }
  end

  def test_the_full_reference_has_every_command_frame_and_variable
    full = Rperf::CLI::Help.full
    COMMANDS.each_value { |command| assert_includes full, "Usage: #{command.usage}" }
    Rperf::Native::STATE_FRAMES.each { |_path, label| assert_includes full, label }
    Rperf::Options::TABLE.each_value do |setting|
      assert_includes full, setting.env
    end
    # Modes, formats, synthetic frames, and what to do about them.
    ["MODES", "FORMATS", "FRAMES THAT STAND FOR NO METHOD", "WHAT TO LOOK FOR", "FOR GOOD PROFILES"].each { |heading| assert_match(/^#{heading}$/, full) }
    (Rperf::Native::MODES + Rperf::Native::FORMATS + [:both]).each { |name| assert_match(/^  #{name} /, full) }
  end

  def test_lines_fit_a_terminal
    long = Rperf::CLI::Help.full.lines.map(&:chomp).select { |line| line.length > 120 }
    assert_empty long
  end

  def test_completion_scripts_know_every_command_and_option
    completion = Rperf::CLI::Completion.new({}, [])
    [completion.bash, completion.zsh].each do |script|
      COMMANDS.each_key { |name| assert_match(/\b#{name}\b/, script) }
      FLAGS.each { |flag| assert_includes script, flag.long }
    end
  end

  # A block shows the whole help, but for options that an earlier block has: "..." stands for these.
  def test_the_document_says_what_the_help_says
    blocks = File.read(File.join(ROOT, "docs", "cli.md")).scan(/^```text\n\$ rperf help (\w+)\n(.*?)^```$/m)
    assert_equal COMMANDS.keys.sort, blocks.map(&:first).sort
    earlier = []
    blocks.each do |name, shown|
      lines = Rperf::CLI::Help.for(COMMANDS.fetch(name)).lines
      left_out = lines - shown.lines
      assert_equal lines - left_out, shown.lines - [CUT], name
      assert_equal left_out.empty?, !shown.lines.include?(CUT), name
      assert_empty left_out.map(&:split) - earlier, name
      earlier |= lines.map(&:split)
    end
  end
end
