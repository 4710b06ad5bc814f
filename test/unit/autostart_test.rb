# frozen_string_literal: true

require "prism"
require_relative "../support/program"

# rperf/autostart is loaded by whatever Ruby the program runs.
class AutostartTest < Minitest::Test
  include ProgramSupport

  AUTOSTART = File.join(ROOT, "lib", "rperf", "autostart.rb")

  # Syntax that Ruby 2.0 does not know: &., endless and shorthand things, numbered parameters,
  # patterns.
  NEW_NODES = %i[
    numbered_parameters_node it_parameters_node case_match_node match_required_node match_predicate_node
    forwarding_arguments_node implicit_node
  ].freeze

  def test_an_old_ruby_understands_the_file
    nodes = []
    queue = [Prism.parse_file(AUTOSTART).value]
    while (node = queue.shift)
      nodes << node
      queue.concat(node.compact_child_nodes)
    end
    assert_empty nodes.map(&:type) & NEW_NODES
    refute(nodes.any? { |node| node.is_a?(Prism::CallNode) && node.safe_navigation? })
    refute(nodes.any? { |node| node.is_a?(Prism::DefNode) && node.equal_loc })
    refute(nodes.any? { |node| node.is_a?(Prism::BlockNode) && node.body.is_a?(Prism::BeginNode) }, "rescue in a block is of 2.5")
  end

  # Loads the file in a Ruby that claims to be another one.
  def load_as(constants, env = {})
    claims = constants.map { |name, value| "Object.send(:remove_const, :#{name}); #{name} = #{value.inspect}; " }.join
    in_directory do |directory|
      script = "#{claims}load #{AUTOSTART.inspect}; print 'ran'"
      run_program(RUBY, "-e", script, directory:, env: {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB}.merge(env))
    end
  end

  def test_an_old_ruby_runs_the_program_unprofiled
    result = load_as({RUBY_VERSION: "3.3.9"})
    assert_equal [0, "ran"], [result.code, result.out]
    assert_equal "rperf: the program runs unprofiled: it is run by Ruby 3.3.9, and rperf needs Ruby 3.4 or later\n", result.err
  end

  def test_another_engine_runs_the_program_unprofiled
    result = load_as({RUBY_ENGINE: "jruby"})
    assert_equal [0, "ran"], [result.code, result.out]
    assert_equal "rperf: the program runs unprofiled: it is run by jruby, and rperf needs CRuby (MRI) 3.4 or later\n", result.err
  end

  def test_a_ruby_that_the_extension_was_not_built_for
    result = load_as({}, "RPERF_RUBY_ABI" => "3.9 sparc-solaris")
    assert_equal [0, "ran"], [result.code, result.out]
    assert_match(/\Arperf: the program runs unprofiled: .* was built for Ruby 3\.9 sparc-solaris\n\z/, result.err)
  end

  def test_many_processes_say_it_once
    in_directory do |directory|
      env = {"RPERF_SESSION_DIR" => directory}
      first, second = Array.new(2) { load_as({RUBY_VERSION: "2.7.0"}, env) }
      assert_equal 1, first.err.lines.length
      assert_empty second.err
    end
  end

  def test_wrong_settings_let_the_program_run
    result = load_as({}, "RPERF_FREQUENCY" => "0")
    assert_equal [0, "ran"], [result.code, result.out]
    assert_equal "rperf: RPERF_FREQUENCY must be a whole number from 1 to 10000 (Hz), not 0\n", result.err
  end

  def test_settings_that_do_not_go_together_let_the_program_run
    {
      {"RPERF_TIMELINE" => "1", "RPERF_OUTPUT" => "p.pb.gz"} => "rperf: a file in pprof has no room for a timeline",
      {"RPERF_BLAME" => "1"} => "rperf: RPERF_BLAME belongs to the mode wall, not to cpu: leave it out, or choose another mode"
    }.each do |settings, sentence|
      result = load_as({}, settings)
      assert_equal [0, "ran", 1], [result.code, result.out, result.err.lines.length], result.inspect
      assert_operator result.err, :start_with?, sentence
    end
  end

  # By the file alone, which loads little of rperf.
  def run_autostart(script = "puts :ran", **env)
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB, "RUBYOPT" => "-rrperf/autostart"}.merge(env.transform_keys(&:to_s))
      run_program(RUBY, "-e", script, directory:, env:)
    end
  end

  def test_a_misspelt_variable_is_named_once_in_a_tree_of_processes
    result = run_autostart("Process.wait(fork { puts :child }); system(RbConfig.ruby, '-e', 'puts :other'); puts :ran", RPERF_FREQUENZY: "99")
    assert_equal [0, "child\nother\nran\n"], [result.code, result.out]
    assert_equal "rperf: there is no variable RPERF_FREQUENZY; did you mean 'RPERF_FREQUENCY'?\n", result.err
  end

  def test_other_variables_of_rperf_are_none
    loaded = "print $LOADED_FEATURES.grep(%r{/lib/rperf/}).length"
    few = run_autostart(loaded)
    all = run_autostart(loaded, RPERF_EDITOR: "x", RPERF_PAGER: "x", RPERF_REPOSITORY: "x", RPERF_WRITTEN: "1", RPERF_TEST_JOBS: "1")
    assert_equal [few.out, ""], [all.out, all.err]
    assert_equal "", run_autostart(RPERF_CONTROL: "0", RPERF_RECORDER: "0", RPERF_TRACE: "/dev/null").err
    assert_equal "rperf: there is no variable RPERF_EDITORIAL ('rperf help' lists them)\n", run_autostart(RPERF_EDITORIAL: "x").err
  end

  def test_it_does_nothing_unless_asked
    [nil, "", "0", "false", "No", "off"].each do |text|
      result = load_as({}, "RPERF_ENABLED" => text)
      assert_equal [0, "ran", ""], [result.code, result.out, result.err], text
    end
  end

  def test_it_may_be_asked_in_the_words_of_the_other_variables
    in_directory do |directory|
      ["1", "true", "Yes", "on"].each do |text|
        output = File.join(directory, "#{text}.txt")
        result = load_as({}, "RPERF_ENABLED" => text, "RPERF_OUTPUT" => output)
        assert_equal [0, "ran", ""], [result.code, result.out, result.err], text
        assert_path_exists output
      end
    end
    result = load_as({}, "RPERF_ENABLED" => "maybe")
    assert_equal [0, "ran"], [result.code, result.out]
    assert_equal "rperf: RPERF_ENABLED must be true or false (1 or 0), not \"maybe\"\n", result.err
  end
end
