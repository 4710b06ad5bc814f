# frozen_string_literal: true

require "minitest/autorun"
require_relative "installed_gem"

# What a user gets from `gem install`: a gem that compiles itself, and a command that profiles.
class GemTest < Minitest::Test
  # Spins for 1 s of CPU time in one method.
  PROGRAM = <<~RUBY
    def spin
      now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
      limit = now.call + 1
      nil while now.call < limit
    end
    spin
    puts "spun"
  RUBY

  def gem = InstalledGem.instance

  def setup
    @directory = Dir.mktmpdir
    File.write(File.join(@directory, "spin.rb"), PROGRAM)
  end

  def teardown = FileUtils.remove_entry(@directory)

  def test_it_needs_no_other_gem_and_a_ruby_that_is_new_enough
    assert_empty gem.spec.runtime_dependencies
    assert gem.spec.required_ruby_version.satisfied_by?(Gem::Version.new("3.4.0"))
    refute gem.spec.required_ruby_version.satisfied_by?(Gem::Version.new("3.3.9"))
  end

  def test_it_carries_every_source_of_the_library_and_the_extension
    sources = Paths.tracked("lib", "exe", "ext/*/src", "ext/*/Cargo.toml", "ext/*/extconf.rb", "Cargo.toml", "Cargo.lock", "LICENSE", "README.md", "SECURITY.md")

    assert_equal sources, gem.spec.files.sort & sources
  end

  def test_it_carries_the_documents_that_help_shows_and_no_others
    documents = Paths.tracked("docs").grep(/\.md\z/).grep_v(%r{/decisions/\d})

    assert_equal documents, gem.spec.files.grep(%r{\Adocs/}).sort
  end

  def test_the_installed_command_shows_documents
    faq = gem.run("rperf", "help", "faq", chdir: @directory)
    assert_equal ["QUESTIONS\n", ""], [faq.stdout.lines.first, faq.stderr]
    unknown = gem.run("rperf", "help", "nothing", chdir: @directory)
    assert_equal 1, unknown.stderr.lines.length
    assert_includes unknown.stderr, "faq, "
  end

  def test_it_carries_nothing_else
    extra = gem.spec.files.grep_v(%r{\A(?:lib|exe|ext/[\w-]+/src)/|\.(?:toml|lock|md)\z|\ALICENSE\z|/build\.rs\z|/extconf\.rb\z})

    assert_empty extra
    assert_empty gem.spec.files.grep(/\.(?:so|bundle)\z|stamp/)
  end

  def test_rake_builds_the_same_gem
    assert_equal gem.spec.files, Gem::Package.new(gem.rake_build).spec.files
  end

  def test_its_version_is_that_of_the_crates
    assert_equal File.read(Paths.of("Cargo.toml"))[/^version = "(.*)"/, 1], gem.spec.version.to_s
  end

  def test_the_installed_command_profiles_a_program_from_another_directory
    result = gem.run("rperf", "record", "-o", "profile.pb.gz", "ruby", "spin.rb", chdir: @directory)

    assert_predicate result, :success?, result.report
    assert_equal "spun\n", result.stdout
    assert_operator share_of("Object#spin"), :>, 50, result.report
  end

  def test_the_installed_library_loads_nothing_of_the_checkout
    script = 'require "rperf"; Rperf.start { 1 }; puts $LOADED_FEATURES'
    result = gem.run(Paths::RUBY, "-e", script, chdir: @directory)

    assert_predicate result, :success?, result.report
    assert_includes result.stdout, "#{gem.gem_directory}/lib/rperf/rperf."
    assert_empty result.stdout.lines.grep(/\A#{Regexp.escape(Paths::LIB)}/)
  end

  # RubyGems can be set not to copy extensions into lib/ (install_extension_in_lib), and
  # distributions do not.
  def test_the_extension_is_also_found_outside_of_lib
    result = gem.run(Paths::RUBY, "-e", <<~RUBY, chdir: @directory)
      gem "rperf"
      $LOAD_PATH.reject! { |path| path == File.join(Gem.loaded_specs["rperf"].full_gem_path, "lib") }
      require "rperf/rperf.so"
      puts $LOADED_FEATURES.last
    RUBY

    assert_predicate result, :success?, result.report
    assert_match %r{\A#{Regexp.escape(gem.home)}/extensions/.*/rperf/rperf\.\w+\n\z}, result.stdout
  end

  private

  # Per cent of the profile's time below a function, as Go's pprof reads it.
  def share_of(function)
    top = Subprocess.run("go", "tool", "pprof", "-top", "-cum", "-nodecount=1000", "profile.pb.gz", chdir: @directory)
    line = top.stdout.lines.find { |candidate| candidate.include?(function) } || flunk(top.report)
    Float(line.split[4].delete_suffix("%"))
  end
end
