# frozen_string_literal: true

require "rbconfig"

# Where things are in the checkout that the tests belong to.
module Paths
  ROOT = File.expand_path("../..", __dir__)
  LIB = File.join(ROOT, "lib")
  EXE = File.join(ROOT, "exe", "rperf")
  RUBY = RbConfig.ruby

  # @return [String] the absolute path of a file of the checkout
  def self.of(*parts) = File.join(ROOT, *parts)

  # Files of the checkout that git knows, or would after `git add`.
  #
  # @param patterns [Array<String>] git pathspecs; none means everything
  # @return [Array<String>] paths relative to the root, sorted
  def self.tracked(*patterns)
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listing = IO.popen(command, &:read)
    raise "git ls-files failed in #{ROOT}" unless $?.success?

    listing.split("\0").uniq.select { |path| File.file?(of(path)) }.sort
  end
end
