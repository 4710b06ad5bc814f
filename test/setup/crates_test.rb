# frozen_string_literal: true

require "fileutils"
require "minitest/autorun"
require "tmpdir"
require_relative "bash"

# What cargo has compiled in one checkout, for the next one.
class CratesTest < Minitest::Test
  LOCKS = %w[Cargo.toml Cargo.lock test/layouts/Cargo.lock bench/workloads/Cargo.toml bench/workloads/Cargo.lock script/native/library.rb
           test/package/installed_gem.rb].freeze
  OTHERS = %w[.fingerprint/serde-1a/lib-serde deps/libserde-1a.rlib build/libc-2b/output deps/librperfect-5e.rlib].freeze
  OWN = %w[.fingerprint/rperf-3c/lib-rperf deps/librperf_core-4d.rlib .fingerprint/rperf-workloads-6d/lib-rperf_workloads build/rperf-3c/output deps/formats-6f incremental/rperf-7a/x librperf.so deps/librperf.so].freeze

  def setup = @directory = Dir.mktmpdir
  def teardown = FileUtils.remove_entry(@directory)

  def test_crates_of_others_go_to_the_next_checkout_with_their_times
    compile("one", "debug", OTHERS + OWN)
    compile("one", "musl/debug", OTHERS)
    bash("one", "keep_crates")
    bash("two", "take_crates")

    assert_equal(%w[debug musl/debug].product(OTHERS).map { |path| path.join("/") }.sort, compiled("two"))
    assert_equal Time.at(1_000_000_000), File.mtime(path("two", "target/debug", OTHERS.first))
  end

  def test_what_is_there_stays
    compile("one", "debug", OTHERS)
    bash("one", "keep_crates")
    compile("two", "debug", %w[deps/libother-1a.rlib])
    bash("two", "take_crates; keep_crates")
    bash("three", "take_crates")

    assert_equal ["debug/deps/libother-1a.rlib"], compiled("two")
    assert_equal OTHERS.map { |file| "debug/#{file}" }.sort, compiled("three")
  end

  # A checkout in which a program was only recorded has compiled nothing for the tests.
  def test_profiles_that_are_not_there_are_taken
    %w[checkout musl/debug].each { |profile| compile("one", profile, OTHERS) }
    bash("one", "keep_crates")
    compile("two", "checkout", [])
    bash("two", "take_crates")

    assert_equal OTHERS.map { |file| "musl/debug/#{file}" }.sort, compiled("two")
  end

  def test_other_versions_have_their_own
    compile("one", "debug", OTHERS)
    bash("one", "keep_crates")
    checkout("two", "Cargo.lock" => "other")
    bash("two", "take_crates")
    assert_empty compiled("two")

    compile("two", "debug", OTHERS)
    bash("two", "keep_crates")
    bash("three", "take_crates")
    assert_empty compiled("three"), "the cache has one version"
  end

  private

  def path(*parts) = File.join(@directory, *parts)

  def checkout(root, texts = {})
    LOCKS.each { |file| write(path(root, file), texts.fetch(file, "")) unless File.exist?(path(root, file)) }
  end

  def compile(root, profile, files)
    files.each { |file| write(path(root, "target", profile, file)) }
    FileUtils.mkdir_p(path(root, "target", profile, ".fingerprint"))
  end

  def write(file, text = "")
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
    File.utime(1_000_000_000, 1_000_000_000, file)
  end

  def compiled(root) = Dir.glob("**/*", File::FNM_DOTMATCH, base: path(root, "target")).select { |file| File.file?(path(root, "target", file)) }.sort

  def bash(root, script)
    checkout(root)
    result = Bash.run(script, parts: %w[common crates], root: path(root), env: {"RPERF_CACHE" => path("cache"), "CARGO_TARGET_DIR" => nil})
    assert_predicate result, :success?, result.report
  end
end
