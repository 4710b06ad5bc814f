# frozen_string_literal: true

require "json"
require_relative "program"

# Programs of others that read what rperf writes; bin/setup installs them.
module Readers
  include ProgramSupport

  PACKAGES = ENV.fetch("RPERF_TEST_READERS")
  CHECK_SPEEDSCOPE = File.join(ROOT, "test", "readers", "check_speedscope.mjs")
  FIREFOX = File.join(PACKAGES, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js")

  # What a program prints, which must succeed.
  def output(*words, directory:, env: {})
    result = run_program(*words, directory:, env:)
    assert_equal 0, result.code, result.inspect
    result.out
  end

  # The picture that Graphviz makes.
  def svg(file, directory:) = output("dot", "-Tsvg", file, directory:)

  # What callgrind_annotate prints without sources.
  def annotate(file, *options, directory:)
    output("callgrind_annotate", "--auto=no", "--threshold=100", *options, file, directory:)
  end

  # The file, which fits speedscope's schema.
  def speedscope(file, directory:)
    output("node", CHECK_SPEEDSCOPE, PACKAGES, file, directory:)
    JSON.parse(File.read(File.join(directory, file)))
  end

  # Loads a file into the Firefox Profiler (its command line, which has no window) and yields a lambda that asks it.
  def firefox(file, directory:)
    env = {"PROFILER_CLI_SESSION_DIR" => File.join(directory, "sessions")}
    ask = ->(*words) { JSON.parse(output("node", FIREFOX, *words, "--session", "test", "--json", directory:, env:)) }
    output("node", FIREFOX, "load", file, "--session", "test", directory:, env:)
    yield ask
  ensure
    run_program("node", FIREFOX, "stop", "test", directory:, env:)
  end
end
