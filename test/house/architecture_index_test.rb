# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"

# Tasks, as a newcomer is given them: with README.md and docs/internals/architecture.md alone, the
# file to change is found.
class ArchitectureIndexTest < Minitest::Test
  README = File.read(Paths.of("README.md"))
  ARCHITECTURE = File.read(Paths.of("docs/internals/architecture.md"))
  SECTION = ARCHITECTURE[/^## Where to change what\n(.*?)^## /m, 1]
  # [what is to be done, its files]
  ROWS = SECTION.scan(/^\| (?!to do|---)(.+?) \| (.+) \|$/).map { |task, files| [task, files.scan(/`([\w.-]+(?:\/[\w.-]+)+)`/).flatten] }.freeze

  # words: those by which one looks for it; file: where it is done; found: what is there in that
  # file today.
  Task = Struct.new(:task, :words, :file, :found, keyword_init: true)

  TASKS = [
    {task: "add an output format", words: %w[output format], file: "ext/rperf-core/src/format/kind.rs", found: /^pub enum Format\b/},
    {task: "change the default frequency", words: %w[default frequency], file: "lib/rperf/options/table.rb", found: /:frequency, "RPERF_FREQUENCY", 1000\b/},
    {task: "add a wait kind for a client of a message queue", words: ["wait kind"], file: "ext/rperf-core/src/profile/wait_tables.rs", found: /"RedisClient::/},
    {task: "count a new drop cause", words: ["drop cause"], file: "ext/rperf-core/src/collect/counters.rs", found: /^pub enum DropCause\b/},
    {task: "add a command", words: %w[command help], file: "lib/rperf/cli/commands.rb", found: /^ +COMMANDS = \[$/},
    {task: "add a view to rperf report", words: ["view", "rperf report"], file: "ext/rperf-core/src/report/options.rs", found: /^pub enum View\b/},
    {task: "name the endpoints of another web framework", words: %w[framework endpoints], file: "lib/rperf/middleware/routes.rb", found: /"sinatra\.route"/},
    {task: "send profiles to another store", words: %w[profile store], file: "lib/rperf/agent/destinations.rb", found: /pyroscope: Pyroscope/},
    {task: "support the frames of a new Ruby", words: %w[layout new Ruby], file: "ext/rperf/src/vm/offsets.rs", found: /rb_execution_context_t/},
    {task: "have the doctor look at something else", words: %w[finding doctor], file: "lib/rperf/doctor.rb", found: /\bdef findings\b/},
    {task: "add a column to rperf report --by", words: ["column", "--by"], file: "ext/rperf-core/src/report/columns.rs", found: /\bconst STATES: \[Column/},
    {task: "add an option to rperf record", words: ["option of a command"], file: "lib/rperf/cli/flags.rb", found: /long: "--frequency"/},
    {task: "label jobs of Active Job", words: %w[label job], file: "lib/rperf/active_job.rb", found: /Rperf\.work\(self\.class\.name/},
    {task: "have the agent do something else on 503", words: %w[agent 503], file: "lib/rperf/agent/answer.rb", found: /\b502\.\.599 then\b/},
    {task: "add a view to the page", words: %w[view page], file: "page/src/state/route.ts", found: /^export const VIEWS\b/},
    {task: "fold threads that wait in another method", words: %w[idle waiting], file: "ext/rperf-core/src/profile/work_waits.rs", found: /"Thread::Queue#pop"/},
    {task: "change what chance explains in a comparison", words: %w[chance change], file: "ext/rperf-core/src/profile/chance.rs", found: /^pub struct Chance\b/},
    {task: "pair functions of two releases", words: ["functions", "rperf diff"], file: "ext/rperf-core/src/profile/alignment.rs", found: /\bgem_name\b/},
    {task: "take another directory for that of gems", words: %w[path gem], file: "ext/rperf-core/src/profile/roots.rs", found: /^const GEMS\b/},
    {task: "make names of compiled templates equal", words: %w[names process], file: "ext/rperf-core/src/profile/plain_names.rs", found: /__tilt_/},
    {task: "show another figure in rperf stat", words: ["row", "rperf stat"], file: "lib/rperf/stat_rows.rb", found: /\bdef memory_row\b/},
    {task: "add a column to rperf report --top", words: ["column", "--top"], file: "ext/rperf-core/src/report/top.rs", found: /"flat", "flat", "sum"/},
    {task: "label jobs of a further queue", words: %w[integration queue], file: "lib/rperf/sidekiq.rb", found: /\bclass SidekiqMiddleware\b/},
    {task: "add a setting of the agent", words: %w[setting agent], file: "lib/rperf/agent/settings.rb", found: /^ +DEFAULTS = \{push: nil/},
    {task: "read a further member of the VM's structures", words: %w[offset VM structures], file: "ext/rperf/src/vm/offsets.rs", found: /^pub mod frame\b/}
  ].map { |fields| Task.new(**fields).freeze }.freeze

  TASKS.each do |task|
    define_method("test_#{task.task.tr(" ", "_")}") do
      rows = ROWS.select { |what, _| task.words.all? { |word| what.match?(/(?<!\w)#{Regexp.escape(word)}/i) } }
      assert_equal 1, rows.length, "rows for #{task.words.inspect}: #{rows.map(&:first)}"
      assert_equal task.file, rows.first.last.first
      assert_match task.found, File.read(Paths.of(task.file)) if task.found
    end
  end

  def test_there_are_twenty_five_tasks
    assert_equal 25, TASKS.length
  end

  def test_the_readme_leads_there
    assert_includes README, "(docs/internals/architecture.md)"
  end

  def test_every_row_names_files_that_are_there
    refute_empty ROWS
    ROWS.each do |what, files|
      refute_empty files, what
      files.each { |file| assert_path_exists Paths.of(file), what }
    end
  end

  # A path is in backquotes, has an ending, and lies below the root, the binding or the core.
  def test_every_file_that_the_document_names_is_there
    places = ["", "ext/rperf/src", "ext/rperf-core/src", "lib", "lib/rperf", "page/src", "lib/rperf/cli"]
    named = ARCHITECTURE.gsub(/^```.*?^```/m, "").scan(/`([\w.-]+(?:\/[\w.-]+)*\.(?:rs|rb|ts|html))`/).flatten.uniq
    missing = named.reject { |file| places.any? { |place| File.exist?(Paths.of(File.join(place, file))) } }
    assert_operator named.length, :>, 20
    assert_empty missing
  end
end
