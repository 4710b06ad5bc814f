# frozen_string_literal: true

require_relative "installed_gem"
require_relative "../../script/native/package"

# The gem of this machine's platform, with a compiled library, installed into a GEM_HOME of its own.
# It is not optimised: release:check tries the one that is.
class PlatformGem < InstalledGem
  NAME = "#{RbConfig::CONFIG["host_cpu"]}-linux-gnu".freeze

  # @return [Float] seconds of processor time that `gem install` took
  attr_reader :seconds

  # @return [String] the path of the built gem
  def file = @file ||= Native::Package.new(Native.platforms(NAME).first, profile: "dev").build(File.join(@directory, "pkg"))

  # @return [String] the path of the file with the library's debug information
  def debug_file = file.sub(/\.gem\z/, ".debug")

  # @return [String] the path of the installed library
  def library = File.join(gem_directory, "lib/rperf/rperf.so")

  def try_to_install(env: {})
    file
    before = Process.times
    # No cargo, no compiler: there is nothing to build.
    super(env: {"PATH" => File.dirname(Paths::RUBY)}.merge(env)).tap do
      after = Process.times
      @seconds = after.cutime + after.cstime - before.cutime - before.cstime
    end
  end
end
