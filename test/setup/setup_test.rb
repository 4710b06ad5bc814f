# frozen_string_literal: true

require "minitest/autorun"
require "tmpdir"
require_relative "bash"

# bin/setup on a machine where everything is in place, and what it says when something is not.
class SetupTest < Minitest::Test
  SETUP = Paths.of("bin/setup")

  def setup = @cache = Dir.mktmpdir
  def teardown = FileUtils.remove_entry(@cache)

  def test_a_second_run_has_nothing_to_do
    extension = Paths.of("lib/rperf/rperf.so")
    before = File.mtime(extension)
    result = Subprocess.run(SETUP, "--run")

    assert_predicate result, :success?, result.report
    assert_empty result.stdout + result.stderr, result.report
    assert_equal before, File.mtime(extension)
  end

  def test_env_puts_ruby_the_checkout_and_the_gems_in_place
    check = 'require "rperf"; require "rack"; require "sinatra/base"; puts $LOADED_FEATURES.grep(/rperf\.rb\z/), RbConfig.ruby'
    result = Subprocess.run("bash", "-c", %(eval "$(#{SETUP.shellescape} --env)" && ruby -e '#{check}'), chdir: @cache)

    assert_predicate result, :success?, result.report
    assert_equal [Paths.of("lib/rperf.rb"), Paths::RUBY], result.stdout.split("\n")
  end

  def test_an_unknown_option_is_a_sentence
    result = Subprocess.run(SETUP, "--all")

    assert_equal [1, "[setup] error: unknown option '--all': use no option, --run, --env or --dev\n"], ending(result)
  end

  def test_a_wrong_ruby_is_a_sentence
    result = Subprocess.run(SETUP, "--run", env: { "RPERF_RUBY" => "/bin/false" })
    message = "[setup] error: RPERF_RUBY=/bin/false is not a Ruby >= 3.4: name the path of one, or unset it\n"

    assert_equal [1, message], ending(result)
  end

  def test_an_unusable_cache_is_a_sentence
    File.write(File.join(@cache, "file"), "")
    unusable = File.join(@cache, "file")
    result = Bash.run("with_cache_lock true", parts: %w[common], env: { "RPERF_CACHE" => unusable })
    message = "[setup] error: cannot write to #{unusable}: set RPERF_CACHE to a directory that you may write to\n"

    assert_equal [1, message], ending(result)
  end

  def test_an_old_rust_is_a_sentence
    result = with_tools("rustc" => "echo rustc 1.70.0", "cargo" => "true")

    assert_equal 1, result.status.exitstatus
    assert_match(/error: this Rust is 1\.70\.0, rperf needs >= [\d.]+: update it/, result.stderr)
  end

  def test_a_failing_step_shows_its_log_and_a_reason
    {
      "E: You don't have enough free space in ." => "the disk is full",
      "cp: No space left on device" => "the disk is full: free some space, or set RPERF_CACHE to another disk",
      "Temporary failure resolving 'mirror'" => "the network or the mirror cannot be reached",
      "E: are you root?" => "rights are missing: run bin/setup as root"
    }.each do |complaint, reason|
      failing = %(with_cache_lock step "a long thing" bash -c 'echo "$COMPLAINT" >&2; exit 3')
      result = Bash.run(failing, parts: %w[common], env: { **cache, "COMPLAINT" => complaint })

      assert_equal 1, result.status.exitstatus
      assert_includes result.stderr, complaint
      assert_includes result.stderr, "[setup] error: a long thing failed"
      assert_includes result.stderr, reason
    end
  end

  # Packages are looked for before anything takes the lock, and on a new machine there is no cache
  # yet.
  def test_a_first_step_without_a_cache_or_a_lock
    cache = File.join(@cache, "not", "yet")
    result = Bash.run('step "packages a b" true', parts: %w[common], env: { "RPERF_CACHE" => cache })

    assert_predicate result, :success?, result.report
    assert_path_exists File.join(cache, "logs", "packages-a-b.log")
  end

  def test_two_setups_do_not_build_at_once
    script = 'with_cache_lock flock --nonblock --conflict-exit-code 7 "$cache/setup.lock" true'

    assert_equal 7, Bash.run(script, parts: %w[common], env: cache).status.exitstatus
  end

  def test_the_lock_is_free_afterwards_and_not_held_by_children
    script = <<~BASH
      with_cache_lock step "a daemon" bash -c 'sleep 60 & echo $! >"$RPERF_CACHE/pid"'
      flock --nonblock --conflict-exit-code 7 "$cache/setup.lock" true
      kill "$(cat "$RPERF_CACHE/pid")"
    BASH
    result = Bash.run(script, parts: %w[common], env: cache)

    assert_predicate result, :success?, result.report
  end

  private

  def cache = { "RPERF_CACHE" => @cache }

  def ending(result) = [result.status.exitstatus, result.stderr]

  # bin/setup's check of Rust, with commands that are these scripts.
  def with_tools(tools)
    tools.each do |name, script|
      path = File.join(@cache, name)
      File.write(path, "#!/bin/sh\n#{script}\n")
      File.chmod(0o755, path)
    end
    Bash.run("ensure_rust", parts: %w[common rust], env: { **cache, "PATH" => "#{@cache}:#{ENV.fetch("PATH")}" })
  end
end
