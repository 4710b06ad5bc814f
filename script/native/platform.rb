# frozen_string_literal: true

module Native
  # A platform that has a gem of its own, with its names: RubyGems', Rust's and zig's.
  #
  # glibc is the oldest version of glibc that the library runs with; nil: another C library.
  Platform = Data.define(:name, :rust, :zig, :glibc) do
    # @return [String] the library's name in lib/rperf
    def library = rust.include?("apple") ? "rperf.bundle" : "rperf.so"
  end

  PLATFORMS = [
    Platform.new("x86_64-linux-gnu", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.28", "2.28")
  ].freeze

  # @param name [String, nil] nil: all
  # @return [Array<Platform>]
  def self.platforms(name = nil)
    return PLATFORMS unless name

    found = PLATFORMS.select { |platform| platform.name == name }
    found.empty? ? raise(ArgumentError, "there is no gem for '#{name}': use #{PLATFORMS.map(&:name).join(", ")}") : found
  end
end
