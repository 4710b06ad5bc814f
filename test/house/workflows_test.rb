# frozen_string_literal: true

require "minitest/autorun"
require "yaml"
require_relative "workflow"
require_relative "../support/paths"

# Workflows call scripts of the checkout and tasks of the Rakefile, which can be run at home, and
# decide nothing by themselves. The forms for issues ask for what exists.
class WorkflowsTest < Minitest::Test
  WORKFLOWS = Paths.tracked(".github/workflows/*.yml")
  FORMS = Paths.tracked(".github/ISSUE_TEMPLATE/*.yml") - [".github/ISSUE_TEMPLATE/config.yml"]

  def test_workflows
    refute_empty WORKFLOWS
    WORKFLOWS.each do |file|
      workflow = Workflow.new(File.read(Paths.of(file)))

      refute_empty workflow.commands, file
      assert_empty workflow.violations, file
    end
  end

  def test_continuous_integration_covers_what_rperf_supports
    jobs = Workflow.new(File.read(Paths.of(".github/workflows/test.yml"))).jobs
    rows = jobs.fetch("linux").dig("strategy", "matrix", "include")

    assert_equal %w[3.4 4.0], rows.map { |row| row["ruby"] }.uniq.sort
    assert_equal %w[ubuntu-24.04 ubuntu-24.04-arm], rows.map { |row| row["runner"] }.uniq.sort
    assert rows.any? { |row| row["yjit"] } && rows.any? { |row| row["mn_threads"] }
    assert_equal %w[head linux macos musl], jobs.keys.sort
  end

  # What a debugger needs is not in the gems.
  def test_a_release_keeps_gems_and_debug_files
    steps = YAML.load_file(Paths.of(".github/workflows/release.yml")).dig("jobs", "gems", "steps")
    paths = steps.find { |step| step["uses"]&.start_with?("actions/upload-artifact") }.dig("with", "path")
    assert_equal %w[pkg/*.gem pkg/*.debug], paths.split("\n")
  end

  def test_what_is_missing_or_decided_in_a_workflow_is_found
    {
      ".ci/gone" => "there is no script .ci/gone",
      "README.md" => "there is no script README.md",
      ".ci/rake gone" => "there is no task gone",
      ".ci/rake 'gem:gone[x]'" => "there is no task gem:gone",
      ".ci/run unti" => "there is no group unti",
      ".ci/run unit && echo" => "'.ci/run unit && echo' is more than one command",
      "bin/setup\nbin/test" => "'bin/setup\\nbin/test' is more than one command"
    }.each { |run, violation| assert_equal [violation], workflow(run).violations }
    assert_empty workflow(".ci/run unit").violations
    assert_equal ["there is no group unti"], workflow(".ci/run ${{ matrix.groups }}", groups: ["unti vm", "unit"]).violations
  end

  def test_forms
    refute_empty FORMS
    FORMS.each do |file|
      form = YAML.load_file(Paths.of(file))

      assert_empty %w[name description body] - form.keys, file
      assert_equal form["body"].map { |field| field["id"] }.uniq.length, form["body"].length, file
    end
    assert_includes File.read(Paths.of(".github/ISSUE_TEMPLATE/bug.yml")), "rperf doctor --json"
  end

  private

  def workflow(run, groups: [])
    rows = groups.map { |names| { "groups" => names } }
    job = { "strategy" => { "matrix" => { "include" => rows } }, "steps" => [{ "uses" => "a/b@v1" }, { "run" => run }] }
    Workflow.new(YAML.dump("jobs" => { "a" => job }))
  end
end
