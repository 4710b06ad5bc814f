# frozen_string_literal: true

require "minitest/autorun"
require "stringio"
require_relative "platform_gem"
require_relative "../../script/native/check"

# What a user gets where there is a compiled gem: no compiler is asked for, and the library runs on
# older systems than the one that built it.
class PlatformGemTest < Minitest::Test
  def gem = PlatformGem.instance

  def test_it_is_for_the_rubies_that_share_the_abi_of_the_library
    ruby = gem.spec.required_ruby_version

    assert_equal PlatformGem::NAME, gem.spec.platform.to_s
    assert ruby.satisfied_by?(Gem.ruby_version), "this Ruby"
    refute ruby.satisfied_by?(Gem.ruby_version.bump), "the next one"
    refute ruby.satisfied_by?(Gem::Version.new("3.3.9")), "one that is too old"
    assert Gem::Platform.match_spec?(gem.spec)
  end

  def test_it_carries_what_the_source_gem_carries_and_the_library_once_instead_of_its_sources
    source = InstalledGem.new.spec.files.grep_v(%r{\Aext/|\ACargo\.})

    assert_equal (source + ["lib/rperf/rperf.so"]).sort, gem.spec.files.sort
    assert_empty gem.spec.extensions
    assert_equal [gem.library], Dir["#{gem.home}/**/*.so"]
  end

  def test_its_installation_takes_no_time = assert_operator(gem.seconds, :<, 5)

  def test_the_library_is_for_this_processor_and_old_versions_of_glibc
    glibc = inspect_library("objdump", "-T").scan(/\(?GLIBC_([\d.]+)/).flatten.uniq.map { |version| Gem::Version.new(version) }

    assert_match(/Machine: .*#{RbConfig::CONFIG["host_cpu"].tr("_", ".")}/i, inspect_library("readelf", "-h"))
    assert_operator glibc.max, :<=, Gem::Version.new(Native.platforms(PlatformGem::NAME).first.glibc)
  end

  # GCC's libraries and Ruby's own are not on every machine under the name that this one has.
  # (Development versions of Ruby ask for ruby_abi_version.)
  def test_the_library_needs_glibc_only_and_shows_what_ruby_asks_for
    needed = inspect_library("readelf", "-d").scan(/NEEDED.*\[(.*)\]/).flatten
    shown = inspect_library("nm", "-D", "--defined-only").split("\n").map { |line| line.split.last }

    assert_empty needed.grep_v(/\A(?:lib(?:c|m|dl|pthread|rt|util)\.so|ld-linux-[\w-]+\.so)\.\d\z/)
    assert_equal %w[Init_rperf ruby_abi_version], shown.sort
  end

  def test_its_debug_information_is_a_file_beside_the_gem
    sections = Subprocess.run("readelf", "-S", "-W", gem.debug_file).stdout

    assert_match(/\.debug_line/, sections)
    refute_match(/\.debug_line|\.symtab/, inspect_library("readelf", "-S", "-W"))
    assert_includes inspect_library("readelf", "--string-dump=.gnu_debuglink"), File.basename(gem.debug_file)
  end

  def test_it_records_and_reads_as_the_release_is_checked
    output = StringIO.new

    assert Native::Check.new([gem.file]).run(output), output.string
    assert_match(/\A#{File.basename(gem.file)}: installed, recorded, read\n\nBy hand:\n/, output.string)
  end

  def test_the_check_of_a_release_sees_a_gem_that_is_too_large
    output = StringIO.new

    refute Native::Check.new([gem.file], largest: 1_000_000).run(output)
    assert_match(/\A#{File.basename(gem.file)}: it has \d{7,} bytes unpacked, more than 1000000\n/, output.string)
  end

  def test_the_check_of_a_release_sees_a_gem_without_its_library
    output = StringIO.new

    refute Native::Check.new([broken_gem]).run(output)
    assert_match(/ failed: .*rperf/, output.string)
  end

  private

  # The same gem, but its library is no library.
  def broken_gem
    directory = Dir.mktmpdir
    Minitest.after_run { FileUtils.remove_entry(directory) }
    Gem::Package.new(gem.file).extract_files(directory)
    File.write(File.join(directory, "lib/rperf/rperf.so"), "not a library")
    path = File.join(directory, File.basename(gem.file))
    Dir.chdir(directory) { Gem::Package.build(gem.spec, false, false, path) }
    path
  end

  def inspect_library(*command)
    result = Subprocess.run(*command, gem.library)
    assert_predicate result, :success?, result.report
    result.stdout
  end
end
