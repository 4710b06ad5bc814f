# frozen_string_literal: true

# Tests whether a program runs under rperf as it does alone. Runs each file of Ruby's own tests
# twice, alone and under `rperf record`, and prints the files whose counts differ.
# docs/internals/safety.md lists these files, with the reasons.
#   ruby script/ruby_tests.rb DIRECTORY [OPTION...]
# DIRECTORY: the unpacked sources of this Ruby; OPTION: of `rperf record` (default: -f 5000)

require "open3"
require "rbconfig"
require "tmpdir"

# Runs of Ruby's test files.
module RubyTests
  FILES = %w[test/ruby/test_*.rb test/test_*.rb test/{fiber,io,objspace,monitor}/**/test_*.rb].freeze
  # Maximum seconds of a run. No file takes this long alone.
  LIMIT = 300

  def self.report(source, *options)
    options = %w[-f 5000] if options.empty?
    Dir.chdir(source)
    Dir.glob(FILES).each do |file|
      alone, profiled = [[], ["rperf", "record", *options, "-o"]].map { |command| result(command, file) }
      puts "#{file}: #{alone}; under rperf: #{profiled}" unless alone == profiled
    end
  end

  # Returns the numbers of failures and errors, and the exit status. (For the failures themselves,
  # run the file by hand.)
  def self.result(command, file)
    Dir.mktmpdir do |directory|
      command += [File.join(directory, "profile.json")] if command.any?
      words = ["timeout", "--kill-after=5", LIMIT.to_s, *command, RbConfig.ruby, "-I.", "test/runner.rb", file]
      output, status = Open3.capture2e({ "TMPDIR" => directory }, *words, stdin_data: "")
      "#{output.scrub[/\d+ failures, \d+ errors/] || "no end"}, status #{status.exitstatus}"
    end
  end
end

abort "Usage: ruby script/ruby_tests.rb DIRECTORY [OPTION...]" unless ARGV.any? && File.exist?(File.join(ARGV.first, "test/runner.rb"))
$stdout.sync = true
RubyTests.report(*ARGV)
