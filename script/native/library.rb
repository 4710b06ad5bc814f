# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require_relative "platform"

module Native
  # The extension for a platform: compiled, linked by zig, stripped. Its debug information, for
  # debuggers and profilers, is in a file of its own.
  class Library
    # ABI of Ruby for which the library is made.
    ABI = RbConfig::CONFIG.values_at("MAJOR", "MINOR").join(".")

    # Option for musl: an extension is loaded into a process that has its C library.
    DYNAMIC_MUSL = "-C target-feature=-crt-static"

    # @param profile [String] cargo's; `dev` is quick to compile and slow to run, and for another
    #   platform has no debug information, which takes a third of the time to compile
    def initialize(platform, root: File.expand_path("../..", __dir__), profile: "gem")
      @platform = platform
      @profile = profile
      @root = root
    end

    # Compiles the library. What cargo has in its cache stays as it is.
    #
    # @return [String] the path of the library as the linker made it, with debug information
    # @raise [Error] where zig is missing, or a Ruby of the platform
    def build
      raise Error, "a gem for macOS is built on a Mac: run rake 'gem:native[#{@platform.name}]' there" unless @platform.buildable?
      run(environment, "cargo", "rustc", "--locked", "--profile", @profile, "--package", "rperf", *target, *linker)
      File.join(target_directory, @profile == "dev" ? "debug" : @profile, @platform.macos? ? "librperf.dylib" : "librperf.so")
    end

    # Checks the types of the extension's sources, for macOS on arm64.
    #
    # @raise [Error] with cargo's message
    def check
      variables = { "RUBY" => File.join(__dir__, "darwin_ruby"), "RPERF_RUBY" => RbConfig.ruby, clang_arguments => headers }
      run(variables, "cargo", "check", "--locked", "--package", "rperf", "--target", @platform.rust)
    end

    # Compiles the library and writes the stripped library and the file with its debug information.
    # (For macOS there is no such file.)
    #
    # @param library [String] the path of the stripped library
    # @param debug [String] the path of the other file; its name is noted in the library
    def write(library, debug)
      built = build
      [library, debug].each { |path| FileUtils.mkdir_p(File.dirname(path)) }
      return objcopy("--strip-debug", built, library) if @platform.macos?
      objcopy("--only-keep-debug", "--compress-debug-sections=zlib", built, debug)
      objcopy("--strip-all", "--add-gnu-debuglink=#{debug}", built, library)
    end

    private

    def environment
      return { "RUBY" => RbConfig.ruby, "RUSTFLAGS" => nil } if @platform.macos?
      { "RPERF_ZIG" => zig, "RPERF_ZIG_TARGET" => @platform.zig, "RUSTFLAGS" => nil,
        "CARGO_PROFILE_DEV_DEBUG" => ("none" unless @platform.here?),
        "CARGO_TARGET_#{@platform.rust.upcase.tr("-", "_")}_RUSTFLAGS" => (DYNAMIC_MUSL unless @platform.glibc),
        "RUBY" => ruby, clang_arguments => (headers unless @platform.here?) }
    end

    def zig = ENV["RPERF_ZIG"] || missing("no zig")

    def ruby = @platform.ruby || missing("no Ruby")

    def missing(what) = raise(Error, "there is #{what} for #{@platform.name}: run bin/setup, then eval \"$(bin/setup --env)\"")

    # The variable of bindgen for this target alone. With another value of the variable for all
    # targets, cargo would compile bindgen itself anew.
    def clang_arguments = "BINDGEN_EXTRA_CLANG_ARGS_#{@platform.rust.tr("-", "_")}"

    # Options that make bindgen read zig's headers of the C library instead of this machine's.
    def headers
      _, text, status = Open3.capture3(zig, "cc", "-target", @platform.zig, "-E", "-v", "-x", "c", File::NULL)
      # (For Linux only the C library's: bindgen has clang's own.)
      directories = text.scan(@platform.macos? ? %r{^ (/.*/include.*)$} : %r{^ (/.*/libc/include/.*)$}).flatten
      raise Error, "zig names no headers for #{@platform.zig}" unless status.success? && directories.any?
      ["-nostdlibinc", *directories.map { |directory| "-isystem #{directory}" }].join(" ")
    end

    # Directory for the results.
    def target_directory = File.join(ENV.fetch("CARGO_TARGET_DIR") { File.join(@root, "target") }, *target.last)

    # Options for another platform. For this one there is none, so that what cargo has compiled of
    # the core and of other projects for the checkout serves here, too.
    def target = @platform.here? ? [] : ["--target", @platform.rust]

    # Options for the compiler of the library alone. A linker in cargo's settings would also link
    # the programs that run while cargo compiles (build scripts), and would have all compiled anew.
    def linker = @platform.macos? ? [] : ["--", "-C", "linker=#{__dir__}/zigcc"]

    # Runs Rust's own objcopy, which knows the files of all platforms.
    def objcopy(*arguments)
      sysroot = run({}, "rustc", "--print", "sysroot").chomp
      program = Dir[File.join(sysroot, "lib/rustlib/*/bin/rust-objcopy")].first || raise("there is no rust-objcopy below #{sysroot}")
      run({ "LD_LIBRARY_PATH" => File.join(sysroot, "lib") }, program, *arguments)
    end

    def run(env, *command)
      output, status = Open3.capture2(env, *command, chdir: @root)
      status.success? ? output : raise(Error, "#{command.join(" ")} failed: see above")
    end
  end
end
