# frozen_string_literal: true

require "fileutils"
require "minitest"
require "rubygems/package"
require "tmpdir"
require_relative "../support/paths"
require_relative "../support/subprocess"

# The gem as a user gets it: built from a copy of the checkout's files outside of git, then
# installed by RubyGems, which compiles it, into a GEM_HOME of its own. Done once for all tests.
class InstalledGem
  # Seconds to compile the extension and its dependencies on a slow, busy machine.
  BUILD_DEADLINE = 1200

  # @return [InstalledGem] the one of this process
  def self.instance = @instance ||= new.tap(&:install)

  # @return [String] an absolute path
  attr_reader :home

  def initialize
    # The cargo builder compares real paths.
    @directory = File.realpath(Dir.mktmpdir("rperf-package-"))
    @home = File.join(@directory, "home")
    Minitest.after_run { FileUtils.remove_entry(@directory) }
  end

  # @return [String] the path of the built gem
  def file
    @file ||= File.join(@directory, "rperf.gem").tap do |path|
      copy_checkout
      succeed("-S", "gem", "build", "rperf.gemspec", "--output", path, chdir: source)
    end
  end

  # @return [String] the path of the gem that `rake build` makes
  def rake_build
    file
    succeed("-S", "rake", "build", chdir: source)
    File.join(source, "pkg", spec.file_name)
  end

  # @return [Gem::Specification] what the built gem says about itself
  def spec = Gem::Package.new(file).spec

  # @return [String] where the gem's files are after the installation
  def gem_directory = File.join(home, "gems", spec.full_name)

  # Without optimisation, which takes a minute, and without debug information, a sixth of the rest.
  QUICKER = {"CARGO_PROFILE_RELEASE_LTO" => "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS" => "256", "CARGO_PROFILE_RELEASE_OPT_LEVEL" => "0",
             "CARGO_PROFILE_RELEASE_DEBUG" => "none"}.freeze

  # Crates of other projects, as cargo has compiled them, are kept for the next run: compiling them
  # takes a minute. Our own have another path each time, and so are compiled.
  COMPILED = Paths.of("target/package")

  # Compiles offline: the crates are in cargo's cache since the checkout was built.
  def install
    result = try_to_install
    raise result.report unless result.success?
  end

  # @param env [Hash{String => String, nil}] what is different for RubyGems and cargo
  # @param compiled [String] the directory of the crates that are kept
  # @return [Subprocess::Result] of `gem install`
  def try_to_install(env: {}, compiled: COMPILED)
    environment = clean_environment.merge("CARGO_NET_OFFLINE" => "true", "CARGO_BUILD_BUILD_DIR" => compiled, **QUICKER, **env)
    Subprocess.run(Paths::RUBY, "-S", "gem", "install", "--local", "--no-document", "--install-dir", home, file, chdir: @directory,
                   env: environment, deadline: BUILD_DEADLINE)
  ensure
    forget_own_crates(compiled)
  end

  # Runs something with the installed gem, and nothing of the checkout in the environment.
  #
  # @return [Subprocess::Result]
  def run(*command, chdir:, env: {})
    Subprocess.run(*command, chdir: chdir, env: clean_environment.merge(env))
  end

  private

  def source = File.join(@directory, "source")

  def copy_checkout
    Paths.tracked.each do |path|
      target = File.join(source, path)
      FileUtils.mkdir_p(File.dirname(target))
      FileUtils.cp(Paths.of(path), target)
    end
  end

  def forget_own_crates(directory)
    Subprocess.run("cargo", "clean", "--release", "--package", "rperf", "--package", "rperf-core", chdir: Paths::ROOT,
                   env: {"CARGO_BUILD_BUILD_DIR" => directory, "CARGO_TARGET_DIR" => directory})
  end

  def succeed(*arguments, chdir: @directory)
    result = Subprocess.run(Paths::RUBY, *arguments, chdir: chdir, env: clean_environment)
    raise result.report unless result.success?
  end

  def clean_environment
    foreign = [Paths.of("exe"), File.dirname(Paths::RUBY)]
    path = [File.join(home, "bin"), File.dirname(Paths::RUBY), *(ENV["PATH"].split(":") - foreign)].join(":")
    { "GEM_HOME" => home, "GEM_PATH" => nil, "PATH" => path, "RUBYLIB" => nil, "RUBYOPT" => nil,
      "RPERF_RUBY" => nil, "CARGO_TARGET_DIR" => nil }
  end
end
