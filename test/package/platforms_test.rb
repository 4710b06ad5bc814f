# frozen_string_literal: true

require "minitest/autorun"
require "stringio"
require_relative "installed_gem"
require_relative "../../script/native/check"
require_relative "../../script/native/package"

# Gems of platforms that this machine is not one of: compiled here, and run by a Ruby of theirs. Not
# optimised: release:check tries those that are.
class PlatformsTest < Minitest::Test
  # Machine, as readelf says it, and the engines with and without a proof of the VM's layout.
  PLATFORMS = {
    "aarch64-linux-gnu" => ["AArch64", %w[poll safepoint]],
    "aarch64-linux-musl" => ["AArch64", %w[poll safepoint]],
    "x86_64-linux-musl" => ["Advanced Micro Devices X86-64", %w[poll safepoint]]
  }.freeze

  PLATFORMS.each do |name, (machine, engines)|
    define_method("test_#{name.tr("-", "_")}") do
      Dir.mktmpdir do |directory|
        platform = Native.platforms(name).first
        gem = Native::Package.new(platform, profile: "dev").build(directory)
        check_specification(Gem::Package.new(gem).spec, name)
        library = unpacked_library(gem, directory)
        assert_match(/Machine: +#{machine}$/, read_elf("-h", library))
        check_needs(library, platform)
        output = StringIO.new
        assert Native::Check.new([gem]).run(output), output.string
        assert_equal "#{File.basename(gem)}: unpacked, recorded, read with the engines #{engines.join(" and ")}\n", output.string.lines.first
      end
    end
  end

  # Only a Mac can link.
  def test_macos_compiles
    mac = Native.platforms("arm64-darwin").first
    Native::Library.new(mac).check
    error = assert_raises(Native::Error) { Native::Library.new(mac).build }
    assert_equal "a gem for macOS is built on a Mac: run rake 'gem:native[arm64-darwin]' there", error.message
    spec = Native::Package.new(mac).specification
    assert_equal ["arm64-darwin", ["lib/rperf/rperf.bundle"]], [spec.platform.to_s, spec.files.grep(/bundle|\.so/)]
  end

  def test_a_library_that_does_not_run
    platform = Native.platforms("x86_64-linux-musl").first
    Dir.mktmpdir do |directory|
      gem = File.join(directory, "broken.gem")
      spec = Native::Package.new(platform).specification.dup.tap { |copy| copy.files = ["lib/rperf.rb"] }
      Dir.chdir(Paths::ROOT) { Gem::Package.build(spec, true, false, gem) }
      output = StringIO.new
      refute Native::Check.new([gem]).run(output)
      assert_match(/\Abroken\.gem: the program failed: .*rperf/m, output.string)
    end
  end

  def test_what_is_missing_is_one_sentence
    lost = Native.platforms("aarch64-linux-gnu").first.with(name: "riscv64-linux-gnu")
    error = assert_raises(Native::Error) { Native::Library.new(lost).build }
    assert_equal "there is no Ruby for riscv64-linux-gnu: run bin/setup, then eval \"$(bin/setup --env)\"", error.message
  end

  private

  def check_specification(spec, name)
    assert_equal [name, []], [spec.platform.to_s, spec.extensions]
    assert spec.required_ruby_version.satisfied_by?(Gem.ruby_version)
  end

  def unpacked_library(gem, directory)
    Gem::Package.new(gem).extract_files(File.join(directory, "unpacked"))
    File.join(directory, "unpacked/lib/rperf/rperf.so")
  end

  # The C library only, in an old version; musl has no versions.
  def check_needs(library, platform)
    needed = read_elf("-d", library).scan(/NEEDED.*\[(.*)\]/).flatten
    versions = read_elf("-V", library).scan(/GLIBC_([\d.]+)/).flatten.map { |version| Gem::Version.new(version) }
    return assert_equal([["libc.so"], []], [needed, versions]) unless platform.glibc
    assert_empty needed.grep_v(/\A(?:lib(?:c|m|dl|pthread|rt|util)\.so|ld-linux-[\w-]+\.so)\.\d\z/)
    assert_operator versions.max, :<=, Gem::Version.new(platform.glibc)
  end

  def read_elf(option, library)
    result = Subprocess.run("readelf", "-W", option, library)
    assert_predicate result, :success?, result.report
    result.stdout
  end
end if RbConfig::CONFIG["host"].start_with?("x86_64") && RUBY_PLATFORM.include?("linux")
