# frozen_string_literal: true

require "rperf"
require "rperf/agent"
require_relative "../support/test_helper"

# Variables of the environment that rperf does not know.
class VariablesTest < Minitest::Test
  def unknown(*names, **env) = Rperf::Variables.unknown({**env.transform_keys(&:to_s), **names.to_h { |name| [name, "swordfish"] }})

  NEAR = {
    "RPERF_PUSH_PERID" => "RPERF_PUSH_PERIOD", "RPERF_PUSH_ULR" => "RPERF_PUSH_URL", "RPERF_PUSH_TOKEN" => "RPERF_PUSH_TOKEN_FILE",
    "RPERF_DUTTY" => "RPERF_DUTY", "RPERF_FREQUENZY" => "RPERF_FREQUENCY", "RPERF_FREQ" => "RPERF_FREQUENCY", "RPERF_MODES" => "RPERF_MODE",
    "RPERF_ENABLE" => "RPERF_ENABLED", "RPERF_RECORDERS" => "RPERF_RECORDER", "RPERF_RECORDER_KEEP" => "RPERF_RECORDER",
    "RPERF_LISTN" => "RPERF_LISTEN", "RPERF_CONTROLL" => "RPERF_CONTROL", "RPERF_STAT_REPORT_ALL" => "RPERF_STAT_REPORT"
  }.freeze

  def test_misspelt_variables
    assert_equal NEAR.map { |name, meant| "there is no variable #{name}; did you mean '#{meant}'?" }, unknown(*NEAR.keys)
    assert_match(/\Athere is no variable RPERF_PUSH_TIMEOUT; the agent has RPERF_PUSH_URL, RPERF_PUSH_HEADERS,[^;]*\z/, unknown("RPERF_PUSH_TIMEOUT").first)
  end

  # Such a session has no other settings. (Programs have variables of their own.)
  def test_every_unknown_variable_where_the_environment_begins_a_session
    assert_empty unknown("RPERF_FILE")
    assert_empty unknown("RPERF_FILE", RPERF_ENABLED: "0")
    assert_equal ["there is no variable RPERF_FILE ('rperf help' lists them)"], unknown("RPERF_FILE", RPERF_ENABLED: "yes")
  end

  # rperf/beginning, which loads nothing for it, has the same ones.
  def test_variables_of_rperfs_development
    assert_includes File.read(Paths.of("lib/rperf/beginning.rb")), Rperf::Variables::DEVELOPMENT.source.delete_prefix("\\A")
  end

  # Variables that rperf reads elsewhere, and those of others.
  def test_variables_that_are_not_misspelt
    known = Paths.tracked("lib/*.rb", "ext/*.rs", "bin/*", "script/*").flat_map { |path| File.binread(Paths.of(path)).scan(/\bRPERF_[A-Z_]*[A-Z]\b/) }.uniq
    assert_operator known.length, :>, 40
    assert_empty unknown(*known, "RPERF_OTHER", "PUSH_URL", "RPERF_\xff")
  end

  def test_variables_of_programs_that_rperf_reads
    read = Paths.tracked("lib/*.rb", "ext/*.rs").flat_map { |path| File.binread(Paths.of(path)).scan(/"(RPERF_[A-Z_]*[A-Z])"/) }.flatten.uniq
    assert_operator read.length, :>, 40
    assert_empty unknown(*read, RPERF_ENABLED: "1")
  end
end
