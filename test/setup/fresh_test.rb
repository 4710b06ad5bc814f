# frozen_string_literal: true

require "fileutils"
require "minitest/autorun"
require "tmpdir"
require_relative "bash"

# How bin/rperf decides, without asking Ruby or the compiler, whether anything has to be set up.
class FreshTest < Minitest::Test
  SOURCES = %w[Cargo.toml Cargo.lock ext/rperf/src/lib.rs bin/setup script/setup/common.sh].freeze

  def setup
    @root = Dir.mktmpdir
    [*SOURCES, "ruby", "lib/rperf/rperf.so"].each { |file| write(file, at: Time.now - 60) }
    FileUtils.chmod(0o755, path("ruby"))
    Dir.glob(path("**/")).each { |directory| FileUtils.touch(directory, mtime: Time.now - 60) }
    bash("begin_freshness; note_freshness #{path("ruby").shellescape}")
  end

  def teardown = FileUtils.remove_entry(@root)

  def test_after_a_setup_nothing_has_to_be_done
    assert fresh?
    assert_equal path("ruby"), bash("stamped_ruby").stdout.chomp
  end

  def test_a_changed_source_has_to_be_built
    SOURCES.each do |source|
      write(source, at: Time.now + 60)

      refute fresh?, source
      write(source, at: Time.now - 60)
    end
    assert fresh?
  end

  def test_a_new_or_removed_source_has_to_be_built
    write("ext/rperf/src/new.rs", at: Time.now - 60)
    FileUtils.touch(path("ext/rperf/src"), mtime: Time.now + 60)

    refute fresh?
  end

  def test_a_missing_extension_has_to_be_built
    File.delete(path("lib/rperf/rperf.so"))

    refute fresh?
  end

  def test_other_settings_or_a_replaced_ruby_have_to_be_looked_at
    refute fresh?("RPERF_RUBY" => "/usr/bin/other")
    refute fresh?("RPERF_CACHE" => "/elsewhere")
    write("ruby", at: Time.now + 60)
    refute fresh?
    File.delete(path("ruby"))
    refute fresh?
  end

  def test_what_changes_during_the_setup_counts_as_changed
    bash("begin_freshness; touch #{path(SOURCES.first).shellescape}; note_freshness #{path("ruby").shellescape}")

    refute fresh?
  end

  private

  def path(file) = File.join(@root, file)

  def write(file, at:)
    FileUtils.mkdir_p(File.dirname(path(file)))
    File.write(path(file), "")
    FileUtils.chmod(0o755, path(file)) if file == "ruby"
    FileUtils.touch(path(file), mtime: at)
  end

  def bash(script, env = {}) = Bash.run(script, parts: %w[fresh], root: @root, env: env)

  def fresh?(env = {}) = bash("setup_is_fresh", env).success?
end
