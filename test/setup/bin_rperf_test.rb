# frozen_string_literal: true

require "minitest/autorun"
require "tmpdir"
require_relative "../support/paths"
require_relative "../support/subprocess"

# bin/rperf: the checkout's rperf for people who have set up nothing.
class BinRperfTest < Minitest::Test
  def setup = @directory = File.realpath(Dir.mktmpdir)
  def teardown = FileUtils.remove_entry(@directory)

  def test_it_runs_from_anywhere_through_a_link
    link = File.join(@directory, "profile")
    File.symlink(Paths.of("bin/rperf"), link)
    result = Subprocess.run(link, "--version", chdir: @directory)

    assert_predicate result, :success?, result.report
    assert_match(/\Arperf \d+\.\d+\.\d+/, result.stdout)
    assert_empty result.stderr, result.report
  end

  def test_the_command_finds_its_ruby_and_keeps_its_directory
    result = rperf("record", "-o", "profile.json", "ruby", "-e", "puts RbConfig.ruby, Dir.pwd")

    assert_predicate result, :success?, result.report
    assert_equal [Paths::RUBY, @directory], result.stdout.split("\n")
    assert_path_exists File.join(@directory, "profile.json")
  end

  def test_the_exit_status_is_that_of_the_command
    assert_equal 2, rperf("no-such-command").status.exitstatus
    assert_equal 7, rperf("record", "ruby", "-e", "exit 7").status.exitstatus
  end

  private

  # As on a machine whose PATH knows no Ruby, or only the system's.
  def rperf(*arguments)
    path = ENV["PATH"].split(":").reject { |directory| own_ruby?(directory) }.join(":")
    Subprocess.run(Paths.of("bin/rperf"), *arguments, chdir: @directory,
                   env: { "PATH" => path, "RUBYLIB" => nil, "GEM_PATH" => nil })
  end

  def own_ruby?(directory) = File.exist?(File.join(directory, "ruby")) && !File.exist?(File.join(directory, "bash"))
end
