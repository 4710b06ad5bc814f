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

  # Loads a file into the Firefox Profiler (its command line, which has no window) and yields a
  # lambda that asks it.
  #
  # The server that answers is a child of the test: `load` would start it by itself, but wait for it
  # half a second only.
  def firefox(file, directory:)
    in_directory do |sessions|
      env = {"PROFILER_CLI_SESSION_DIR" => sessions}
      server = launch("node", FIREFOX, "--daemon", File.join(directory, file), "--session", "test", directory: sessions, env:)
      await_log(File.join(sessions, "test.log"), "Profile loaded successfully", server)
      yield ->(*words) { JSON.parse(output("node", FIREFOX, *words, "--session", "test", "--json", directory:, env:)) }
    ensure
      server.signal(:TERM)
      server.finish
    end
  end

  private

  # Returns when the log has this line. To ask the server earlier would be wrong: a client that
  # finds none tidies up its files.
  def await_log(log, line, server)
    await(-> { "#{line} in #{log}\n#{server.out}#{server.err}" }) { File.exist?(log) && File.read(log).include?(line) }
  end
end
