# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"

# Whatever command is given, the Ruby in it is profiled.
class CommandsTest < Minitest::Test
  include ProgramSupport

  BUSY = <<~RUBY
    require #{SpentTime::BURNING.dump}
    def busy = Burning.burn(0.05)
    def only_here = busy
    only_here
  RUBY

  def assert_profiled(directory, *command, **options)
    write_file(directory, "busy.rb", BUSY)
    result = rperf("record", "-o", "p.collapsed", *command, directory:, **options)
    profile = File.join(directory, "p.collapsed")
    assert_path_exists profile, result.inspect
    assert_match(/(\A|;)Object#only_here;Object#busy/, File.read(profile), result.inspect)
    result
  end

  def test_ruby_with_a_script
    in_directory { |directory| assert_equal 0, assert_profiled(directory, "ruby", "busy.rb").code }
  end

  def test_a_script_with_a_shebang
    in_directory do |directory|
      write_file(directory, "tool", "#!/usr/bin/env ruby\n#{BUSY}")
      assert_profiled(directory, "./tool")
    end
  end

  def test_a_script_found_in_the_path
    in_directory do |directory|
      write_file(directory, "bin/rperf-test-tool", "#!/usr/bin/env ruby\n#{BUSY}")
      path = [File.join(directory, "bin"), clean_environment["PATH"]].join(":")
      assert_profiled(directory, "rperf-test-tool", env: {"PATH" => path})
    end
  end

  def test_env
    in_directory do |directory|
      write_file(directory, "say.rb", "#{BUSY}print ENV['FOO']")
      assert_equal "1", assert_profiled(directory, "env", "FOO=1", "ruby", "say.rb").out
    end
  end

  def test_a_shell
    in_directory { |directory| assert_profiled(directory, "sh", "-c", "echo first; ruby busy.rb; echo last") }
  end

  def test_rake
    in_directory do |directory|
      write_file(directory, "Rakefile", "task(:default) { load 'busy.rb' }")
      assert_profiled(directory, "rake")
    end
  end

  def test_bundle_exec
    in_directory do |directory|
      write_file(directory, "Gemfile", "")
      write_file(directory, "busy_task.rb", "abort 'no bundler' unless defined?(Bundler); load 'busy.rb'")
      assert_equal 0, assert_profiled(directory, "bundle", "exec", "ruby", "busy_task.rb").code
    end
  end

  def test_bundle_exec_without_inheritance
    in_directory do |directory|
      write_file(directory, "Gemfile", "")
      assert_profiled(directory, "--no-inherit", "bundle", "exec", "ruby", "busy.rb")
    end
  end

  def test_ruby_without_gems
    in_directory { |directory| assert_profiled(directory, "ruby", "--disable=gems", "busy.rb") }
  end

  def test_ruby_with_yjit
    in_directory { |directory| assert_profiled(directory, "ruby", "--yjit", "busy.rb") }
  end

  # Ruby loads it before the libraries of RUBYOPT.
  def test_ruby_with_a_library
    in_directory do |directory|
      write_file(directory, "busy.rb", BUSY)
      rperf("record", "ruby", "-rset", "busy.rb", directory:)
      assert_match(/ ruby -rset busy\.rb \(pid/, rperf("report", "--by", "process", directory:).out)
    end
  end

  def test_ruby_that_warns_of_everything
    in_directory do |directory|
      result = assert_profiled(directory, "ruby", "-w", "busy.rb")
      assert_equal 1, result.err.lines.length, result.err
    end
  end

  def test_a_program_that_uses_rperf_for_labels
    in_directory do |directory|
      write_file(directory, "labels.rb", "require 'rperf'; Rperf.label(step: 'one') { load 'busy.rb' }; print Rperf.running?")
      assert_equal "true", assert_profiled(directory, "ruby", "labels.rb").out
    end
  end

  def test_a_program_that_stops_the_session_itself
    in_directory do |directory|
      result = rperf("record", "ruby", "-rrperf", "-e", "p Rperf.stop.is_a?(Hash)", directory:)
      assert_equal [0, "true\n"], [result.code, result.out]
      assert_match(/\Arperf: process \d+ left no profile: Rperf\.stop was called by the program itself\n\z/, result.err)
    end
  end

  def test_a_program_that_stops_the_session_of_the_environment
    in_directory do |directory|
      result = run_program(RUBY, "-rrperf", "-e", "p Rperf.stop.is_a?(Hash)", directory:, env: {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB})
      assert_equal [0, "true\n", "rperf: nothing was written: Rperf.stop was called by the program itself\n"], [result.code, result.out, result.err]
      refute_path_exists File.join(directory, "rperf.data")
    end
  end

  def test_a_program_that_starts_a_session_of_its_own
    in_directory do |directory|
      code = "begin; Rperf.start; rescue Rperf::Error => error; print error.message; end"
      result = rperf("record", "ruby", "-rrperf", "-e", code, directory:)
      assert_equal "a session runs already: stop it with Rperf.stop before you start another", result.out
    end
  end

  def test_the_profile_shows_nothing_of_rperf
    in_directory do |directory|
      %w[cpu wall].each do |mode|
        rperf("record", "-m", mode, "-f", "10000", "-o", "p.json", "ruby", "-e", "fork { 1 }; Process.wait; sleep 0.01", directory:)
        refute_match(%r{rperf/(autostart|profiled_process|destination|process_stat|native|recording)\.rb}, File.read(File.join(directory, "p.json")))
      end
    end
  end

  def test_two_runs_side_by_side
    in_directory do |directory|
      write_file(directory, "busy.rb", BUSY)
      running = Array.new(2) { |number|
        part = File.join(directory, number.to_s)
        Dir.mkdir(part)
        launch_rperf("record", "-o", "p.collapsed", "ruby", "../busy.rb", directory: part)
      }
      assert_equal [0, 0], running.map { |one| one.finish.code }
      2.times { |number| assert_includes File.read(File.join(directory, number.to_s, "p.collapsed")), "Object#only_here" }
    end
  end
end
