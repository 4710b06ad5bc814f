# frozen_string_literal: true

require "minitest/autorun"
require "tmpdir"
require "fileutils"
require_relative "paths"
require_relative "waiting"

ROOT = Paths::ROOT
$LOAD_PATH.unshift(Paths::LIB) unless $LOAD_PATH.include?(Paths::LIB)

require "rperf"

# What every test may want.
module TestSupport
  include Waiting

  # A directory of the test's own, gone afterwards.
  def in_directory(name = "rperf-test-")
    Dir.mktmpdir(name) { |directory| yield File.realpath(directory) }
  end

  # A directory that all tests of a class share. The first one that asks for it fills it by the
  # block; what else a test writes there, no other one may read.
  def shared_directory(name = :only)
    SHARED[[self.class, name]] ||= File.realpath(Dir.mktmpdir("rperf-shared-")).tap do |directory|
      Minitest.after_run { FileUtils.remove_entry(directory) }
      yield directory
    end
  end

  SHARED = {}

  # What a data Hash says of the process of a sample: {pid:, ppid:, command:}.
  def process_of(data, sample)
    thread = data.fetch(:threads).find { |known| known[:thread_seq] == sample[2] }
    data.fetch(:processes).fetch(thread.fetch(:process))
  end
end

Minitest::Test.include(TestSupport)
