# frozen_string_literal: true

# Run by `gem install` if there is no compiled gem for the platform. It builds the extension with
# cargo, and writes a Makefile that puts it where RubyGems asks. If something is missing, one
# sentence says what.

require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# The build of the extension, at its installation.
module Build
  ROOT = File.expand_path("../..", __dir__)
  CARGO = ENV.fetch("CARGO", "cargo")
  WANTED = File.read(File.join(ROOT, "Cargo.toml"))[/^rust-version = "(.*)"/, 1]
  LIBRARY = "rperf.#{RbConfig::CONFIG["DLEXT"]}"

  # Patterns of cargo's messages about missing tools that rperf does not bring, with the tools.
  MISSING = {
    /libclang/ => "libclang, which reads Ruby's headers: install it (Debian: libclang-dev), or set LIBCLANG_PATH to its directory",
    /linker `\S+` not found/ => "a C compiler, which links the extension: install one (Debian: gcc)",
    /ruby\.h' file not found/ => "Ruby's headers: install them (Debian: ruby-dev)"
  }.freeze

  class << self
    def run
      check_cargo
      fetch
      # Not in the directory for temporary files, where programs may not be allowed to run.
      Dir.mktmpdir("target-", __dir__) { |target| compile(target) }
      File.write("Makefile", makefile)
    end

    private

    def needs(what) = abort("rperf has no compiled gem for this Ruby, and to be built it needs #{what}; then install rperf again.")

    def check_cargo
      found = version[/^cargo (\d+\.\d+\.\d+)/, 1]
      needs("Rust >= #{WANTED}, and '#{CARGO}' does not run: install it (rustup or a system package)") unless found
      return if Gem::Version.new(found) >= Gem::Version.new(WANTED)

      needs("Rust >= #{WANTED}, and this is #{found}: update it ('rustup update' with rustup)")
    end

    # Returns cargo's description of itself; empty if there is no cargo.
    def version = @version ||= cargo("--version", "--verbose").first

    # Fetches the crates, unless cargo has them in its cache.
    def fetch
      output, status = cargo("fetch", "--locked", "--target", version[/^host: (.*)/, 1])
      return if status.success?

      warn output
      needs("the crates of Cargo.lock, which cargo could not fetch (see above): connect to the network, or set up a mirror for cargo")
    end

    def compile(target)
      output, status = cargo("build", "--locked", "--release", "--package", "rperf", "--target-dir", target)
      unless status.success?
        MISSING.each { |pattern, what| needs(what) if output.match?(pattern) }
        abort("#{output}\nrperf could not be compiled, which is a mistake of rperf's: report what stands above.")
      end
      FileUtils.cp(Dir[File.join(target, "release", "librperf.{so,dylib}")].fetch(0), LIBRARY)
    end

    # Returns stdout and stderr as one text, and the status: nil if there is no cargo.
    def cargo(*arguments)
      environment = { "RUBY" => RbConfig.ruby, "CARGO_BUILD_TARGET" => nil, "CARGO_TERM_COLOR" => "never",
                      # RubyGems keeps the library twice.
                      "CARGO_PROFILE_RELEASE_DEBUG" => "false", "CARGO_PROFILE_RELEASE_STRIP" => "symbols" }
      Open3.capture2e(environment, CARGO, *arguments, chdir: ROOT)
    rescue SystemCallError
      ["", nil]
    end

    def makefile
      <<~MAKEFILE
        all clean:
        install:
        \tmkdir -p $(DESTDIR)$(sitearchdir)/rperf
        \tcp #{LIBRARY} $(DESTDIR)$(sitearchdir)/rperf/#{LIBRARY}
      MAKEFILE
    end
  end
end

Build.run
