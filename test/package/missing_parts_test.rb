# frozen_string_literal: true

require "minitest/autorun"
require_relative "installed_gem"

# `gem install` of the source gem where something is missing to build it: one sentence says what,
# and what to do. After it come only RubyGems' own lines, on where it left the files.
class MissingPartsTest < Minitest::Test
  WANTED = File.read(Paths.of("Cargo.toml"))[/^rust-version = "(.*)"/, 1]
  RUBYGEMS_OWN = /\A(?:extconf failed, exit code 1|Gem files will remain installed in .*|Results logged to .*|)\n\z/

  def setup
    @directory = Dir.mktmpdir
    @gem = InstalledGem.new
  end

  def teardown = FileUtils.remove_entry(@directory)

  def test_no_cargo
    assert_sentence "Rust >= #{WANTED}, and '#{@directory}/none' does not run: install it (rustup or a system package)",
                    "CARGO" => "#{@directory}/none"
  end

  def test_a_cargo_that_is_too_old
    cargo = File.join(@directory, "cargo")
    File.write(cargo, "#!/bin/sh\necho 'cargo 1.75.0 (1d8b05cdd 2023-11-20)'\n", perm: 0o755)

    assert_sentence "Rust >= #{WANTED}, and this is 1.75.0: update it ('rustup update' with rustup)", "CARGO" => cargo
  end

  # The proxy does not answer: port 1 of this machine.
  def test_no_network
    assert_sentence "the crates of Cargo.lock, which cargo could not fetch (see above): connect to the network, or set up a mirror for cargo",
                    "CARGO_HOME" => @directory, "CARGO_NET_OFFLINE" => "false", "CARGO_NET_RETRY" => "0",
                    "CARGO_HTTP_PROXY" => "http://127.0.0.1:1", "RUSTUP_HOME" => rustup_home
  end

  # Cargo compiles what reads LIBCLANG_PATH anew where that has changed: it is always the same here,
  # in a directory of its own.
  def test_no_libclang
    assert_sentence "libclang, which reads Ruby's headers: install it (Debian: libclang-dev), or set LIBCLANG_PATH to its directory",
                    "LIBCLANG_PATH" => "/nonexistent", compiled: File.join(InstalledGem::COMPILED, "no-libclang")
  end

  private

  # What rustup has is beside cargo's home unless it is told.
  def rustup_home = ENV.fetch("RUSTUP_HOME") { File.join(Dir.home, ".rustup") }

  def assert_sentence(what, compiled: InstalledGem::COMPILED, **env)
    result = @gem.try_to_install(env:, compiled:)
    lines = result.stderr.lines
    place = lines.index("rperf has no compiled gem for this Ruby, and to be built it needs #{what}; then install rperf again.\n")

    refute_predicate result, :success?, result.report
    assert place, result.report
    assert_empty lines.drop(place + 1).grep_v(RUBYGEMS_OWN), result.report
    assert_empty lines.grep(/extconf\.rb:\d+|panicked/), result.report
  end
end
