# frozen_string_literal: true

require "rbconfig"

module Native
  # An error that says in one sentence what cannot be done.
  class Error < StandardError
  end

  # A platform that has a gem of its own, with its names: RubyGems', Rust's and zig's.
  #
  # glibc is the oldest version of glibc that the library runs with; nil: another C library.
  Platform = Data.define(:name, :rust, :zig, :glibc) do
    # @return [Boolean] whether it is macOS, whose libraries only a Mac can link
    def macos? = rust.include?("apple")

    # @return [Boolean] whether its library can be built here
    def buildable? = here? || !macos?

    # @return [String] the library's name in lib/rperf
    def library = macos? ? "rperf.bundle" : "rperf.so"

    # @return [Boolean] whether this Ruby is one of the platform
    def here? = Gem::Platform.new(name) === Gem::Platform.local

    # @return [String, nil] the path of a Ruby of the platform that runs here; nil: there is none
    def ruby
      return RbConfig.ruby if here?
      path = ENV["RPERF_RUBY_OF_#{name.upcase.tr("-", "_")}"]
      path if path && File.executable?(path)
    end
  end

  PLATFORMS = [
    Platform.new("x86_64-linux-gnu", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.28", "2.28"),
    Platform.new("aarch64-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.28", "2.28"),
    Platform.new("x86_64-linux-musl", "x86_64-unknown-linux-musl", "x86_64-linux-musl", nil),
    Platform.new("aarch64-linux-musl", "aarch64-unknown-linux-musl", "aarch64-linux-musl", nil),
    Platform.new("arm64-darwin", "aarch64-apple-darwin", "aarch64-macos", nil),
    Platform.new("x86_64-darwin", "x86_64-apple-darwin", "x86_64-macos", nil)
  ].freeze

  # @param name [String, nil] nil: all that can be built here
  # @return [Array<Platform>]
  def self.platforms(name = nil)
    return PLATFORMS.select(&:buildable?) unless name

    found = PLATFORMS.select { |platform| platform.name == name }
    found.empty? ? raise(ArgumentError, "there is no gem for '#{name}': use #{PLATFORMS.map(&:name).join(", ")}") : found
  end
end
