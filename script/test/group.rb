# frozen_string_literal: true

# Runs the Ruby tests of one group (a directory below test/) in this process:
#
#   ruby -w -Ilib -Itest script/test/group.rb GROUP [minitest options]
#
# Stricter than minitest alone: a group without tests fails, a skipped test fails, and so does a
# group during which a file of lib/ made Ruby warn. With RPERF_TEST_TALLY=FILE, the counts are
# written there, and with RPERF_TEST_FAILURES=FILE a line for each test that failed is added there.

require "minitest"
require_relative "lib_warnings"
require_relative "tally"

# Test files may ask for minitest/autorun, so that each also runs alone; here the run is ours.
Minitest.singleton_class.class_eval do
  remove_method :autorun
  def autorun = nil
end

group = ARGV.shift or abort("usage: group.rb GROUP [minitest options]")
root = File.expand_path("../..", __dir__)
files = Dir[File.join(root, "test", group, "**", "*_test.rb")]
abort("no test files in test/#{group}") if files.empty?

LibWarnings.collect(File.join(root, "lib"))
files.each { |file| require file }

tally = Tally.new
Minitest.extensions << "rperf_tally"
Minitest.define_singleton_method(:plugin_rperf_tally_init) { |_options| reporter << tally }
passed = Minitest.run(ARGV)

problems = tally.problems + LibWarnings.problems
problems.each { |problem| warn "test/#{group}: #{problem}" }
File.write(ENV["RPERF_TEST_TALLY"], tally.to_s) if ENV["RPERF_TEST_TALLY"]
if (path = ENV["RPERF_TEST_FAILURES"])
  File.open(path, "a") { |file| file.puts((tally.failures + problems).map { |line| "#{group}: #{line}" }) }
end
exit(passed && problems.empty?)
