# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require_relative "platform"

module Native
  # The extension for a platform: compiled, linked by zig, stripped. What debuggers and profilers
  # want beside it is a file of its own.
  class Library
    # The ABI of Ruby that the library is for.
    ABI = RbConfig::CONFIG.values_at("MAJOR", "MINOR").join(".")

    def initialize(platform, root: File.expand_path("../..", __dir__))
      @platform = platform
      @root = root
    end

    # Compiles it; what cargo has in its cache stays as it is.
    #
    # @return [String] the path of the library as the linker made it, with debug information
    def build
      zig = ENV.fetch("RPERF_ZIG") { raise "RPERF_ZIG is not set, the path of zig: run eval \"$(bin/setup --env)\"" }
      run(environment(zig), "cargo", "build", "--locked", "--profile", "gem", "--package", "rperf", "--target", @platform.rust)
      File.join(target_directory, @platform.rust, "gem", "librperf.so")
    end

    # Compiles it and writes the stripped library and the file with its debug information.
    #
    # @param library [String] the path of the stripped library
    # @param debug [String] the path of the other; its name is noted in the library
    def write(library, debug)
      built = build
      [library, debug].each { |path| FileUtils.mkdir_p(File.dirname(path)) }
      objcopy("--only-keep-debug", "--compress-debug-sections=zlib", built, debug)
      objcopy("--strip-all", "--add-gnu-debuglink=#{debug}", built, library)
    end

    private

    def environment(zig)
      variable = @platform.rust.upcase.tr("-", "_")
      { "CARGO_TARGET_#{variable}_LINKER" => File.join(__dir__, "zigcc"), "RPERF_ZIG" => zig, "RPERF_ZIG_TARGET" => @platform.zig,
        "RUBY" => RbConfig.ruby, "RUSTFLAGS" => nil }
    end

    def target_directory = ENV.fetch("CARGO_TARGET_DIR") { File.join(@root, "target") }

    # Rust's own knows the files of all platforms.
    def objcopy(*arguments)
      sysroot = run({}, "rustc", "--print", "sysroot").chomp
      program = Dir[File.join(sysroot, "lib/rustlib/*/bin/rust-objcopy")].first || raise("there is no rust-objcopy below #{sysroot}")
      run({ "LD_LIBRARY_PATH" => File.join(sysroot, "lib") }, program, *arguments)
    end

    def run(env, *command)
      output, status = Open3.capture2(env, *command, chdir: @root)
      status.success? ? output : raise("#{command.join(" ")} failed: see above")
    end
  end
end
