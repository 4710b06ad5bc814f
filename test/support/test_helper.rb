# frozen_string_literal: true

require "minitest/autorun"
require "tmpdir"
require "fileutils"

ROOT = File.expand_path("../..", __dir__)
$LOAD_PATH.unshift(File.join(ROOT, "lib")) unless $LOAD_PATH.include?(File.join(ROOT, "lib"))

require "rperf"

# What every test may want.
module TestSupport
  # A directory of the test's own, gone afterwards.
  def in_directory(name = "rperf-test-")
    Dir.mktmpdir(name) { |directory| yield File.realpath(directory) }
  end

  # What a data Hash says of the process of a sample: {pid:, ppid:, command:}.
  def process_of(data, sample)
    thread = data.fetch(:threads).find { |known| known[:thread_seq] == sample[2] }
    data.fetch(:processes).fetch(thread.fetch(:process))
  end
end

Minitest::Test.include(TestSupport)
