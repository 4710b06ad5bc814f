# frozen_string_literal: true

# Runs the Ruby tests of one group (a directory below test/), of a third of it (every third file),
# or of one file, in this process:
#
#   ruby -w -Ilib -Itest script/test/group.rb GROUP [minitest options]
#   ruby -w -Ilib -Itest script/test/group.rb GROUP-1|GROUP-2|GROUP-3 [minitest options]
#   ruby -w -Ilib -Itest script/test/group.rb test/GROUP/NAME_test.rb [minitest options]
#
# Stricter than minitest alone: a run without tests fails, a skipped test fails, and so does a run
# during which a file of lib/ made Ruby warn. With RPERF_TEST_TALLY=FILE the counts are written to
# the file. With RPERF_TEST_FAILURES=FILE a line for each failed test is added to the file.

require "minitest"
require_relative "lib_warnings"
require_relative "tally"

# Test files may require minitest/autorun, so that each also runs alone. Here this script starts the
# run, and runs what comes after it.
Minitest.singleton_class.class_eval do
  remove_method :autorun, :after_run
  def autorun = nil

  def after_run
    runner = Process.pid
    at_exit { yield if Process.pid == runner }
  end
end

group = ARGV.shift or abort("usage: group.rb GROUP|FILE [minitest options]")
root = File.expand_path("../..", __dir__)
directory, part = group.split(/-(?=[123]\z)/)
tests = group.end_with?("_test.rb") ? group : "test/#{directory}"
files = tests == group ? [File.join(root, tests)] : Dir[File.join(root, tests, "**", "*_test.rb")]
files = files.each_slice(3).filter_map { |three| three[part.to_i - 1] } if part
abort("no test files in #{tests}") if files.empty?

LibWarnings.collect(File.join(root, "lib"))
files.each { |file| require file }

tally = Tally.new
Minitest.extensions << "rperf_tally"
Minitest.define_singleton_method(:plugin_rperf_tally_init) { |_options| reporter << tally }
passed = Minitest.run(ARGV)

problems = tally.problems + LibWarnings.problems
puts(tally.slowest_files)
problems.each { |problem| warn "#{tests}: #{problem}" }
File.write(ENV["RPERF_TEST_TALLY"], tally.to_s) if ENV["RPERF_TEST_TALLY"]
if (path = ENV["RPERF_TEST_FAILURES"])
  File.open(path, "a") { |file| file.puts((tally.failures + problems).map { |line| "#{group}: #{line}" }) }
end
exit((passed && problems.empty?) == true) # With a name that no test has, Minitest.run says nil.
