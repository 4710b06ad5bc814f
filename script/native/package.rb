# frozen_string_literal: true

require "rubygems/package"
require "tmpdir"
require_relative "library"

module Native
  # The gem of a platform: the source gem without its sources, with the compiled library.
  class Package
    # @param profile [String] cargo's profile
    def initialize(platform, root: File.expand_path("../..", __dir__), profile: "gem")
      @platform = platform
      @profile = profile
      @root = root
    end

    # Builds the gem, and beside it the file with the library's debug information.
    #
    # @param directory [String] where to; made if it does not exist
    # @return [String] the path of the gem
    def build(directory)
      gem = File.join(File.absolute_path(directory), specification.file_name)
      FileUtils.mkdir_p(File.dirname(gem))
      Dir.mktmpdir do |stage|
        copy_files(stage)
        Library.new(@platform, root: @root, profile: @profile).write(File.join(stage, library), gem.sub(/\.gem\z/, ".debug"))
        Dir.chdir(stage) { Gem::Package.build(specification, false, false, gem) }
      end
      gem
    end

    # @return [Gem::Specification] that of the gem, for the Rubies that share the library's ABI
    def specification
      @specification ||= source.dup.tap do |spec|
        spec.platform = Gem::Platform.new(@platform.name)
        spec.required_ruby_version = [">= #{Library::ABI}", "< #{Gem::Version.new("#{Library::ABI}.0").bump}.dev"]
        spec.extensions = []
        spec.files = ruby_files + [library]
      end
    end

    private

    def source = Gem::Specification.load(File.join(@root, "rperf.gemspec"))

    def library = "lib/rperf/#{@platform.library}"

    # Files that compile the library are of no use beside it.
    def ruby_files = source.files.grep_v(%r{\Aext/|\ACargo\.})

    def copy_files(stage)
      ruby_files.each do |path|
        target = File.join(stage, path)
        FileUtils.mkdir_p(File.dirname(target))
        FileUtils.cp(File.join(@root, path), target, preserve: true)
      end
    end
  end
end
