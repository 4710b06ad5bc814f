# frozen_string_literal: true

require "rake"
require "shellwords"
require "yaml"
require_relative "../support/paths"

# A workflow of continuous integration, and what it names of the checkout.
class Workflow
  # Words that make more of a command than a script with its arguments.
  LOGIC = /[|&;<>`\n]|\$\(|\bif\b/
  NATIVE_GROUPS = %w[fmt shell clippy cargo page].freeze
  GROUPS = (NATIVE_GROUPS + Dir[Paths.of("test/*/**/*_test.rb")].map { |path| path.delete_prefix(Paths.of("test/")).split("/").first }).uniq.freeze

  # @return [Hash] by name
  attr_reader :jobs

  # @param text [String] YAML
  def initialize(text) = @jobs = YAML.safe_load(text).fetch("jobs")

  # @return [Array<String>] what the steps run, once for each row of the matrix
  def commands
    @jobs.values.flat_map do |job|
      rows = Array(job.dig("strategy", "matrix", "include"))
      rows = [{}] if rows.empty?
      runs = job.fetch("steps").filter_map { |step| step["run"] }
      rows.product(runs).map { |row, run| run.gsub(/\$\{\{ matrix\.(\w+) \}\}/) { row[$1] } }
    end.uniq
  end

  # @return [Array<String>] a sentence for each command that the checkout does not have
  def violations = commands.flat_map { |command| wrong(command.strip) }.uniq

  private

  def wrong(command)
    return ["'#{command.gsub("\n", "\\n")}' is more than one command"] if command.match?(LOGIC)

    program, *arguments = command.shellsplit
    return ["there is no script #{program}"] unless File.file?(Paths.of(program)) && File.executable?(Paths.of(program))

    case program
    when ".ci/run", ".ci/debian" then (arguments - GROUPS).map { |group| "there is no group #{group}" }
    when ".ci/rake" then arguments.filter_map { |task| wrong_task(task[/\A[^\[]+/]) }
    else []
    end
  end

  def wrong_task(name) = ("there is no task #{name}" unless Workflow.tasks.include?(name))

  # @return [Array<String>] the names of the Rakefile's tasks
  def self.tasks
    @tasks ||= Dir.chdir(Paths::ROOT) { Rake.with_application { Rake.load_rakefile(Paths.of("Rakefile")) } }.tasks.map(&:name)
  end
end
