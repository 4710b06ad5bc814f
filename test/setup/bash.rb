# frozen_string_literal: true

require "shellwords"
require_relative "../support/paths"
require_relative "../support/subprocess"

# Runs pieces of the set-up scripts in a bash of their own.
module Bash
  # @param script [String] run with `set -euo pipefail`, after the named parts of script/setup
  # @param parts [Array<String>] "common", "fresh", ...
  # @param root [String] what the parts take for the checkout
  # @param env [Hash{String => String, nil}] changes to the environment
  # @return [Subprocess::Result]
  def self.run(script, parts:, root: Paths::ROOT, env: {})
    sources = parts.map { |part| ". #{Paths.of("script/setup/#{part}.sh").shellescape}" }
    lines = ["set -euo pipefail", "root=#{root.shellescape}", *sources, script]
    Subprocess.run("bash", "-c", lines.join("\n"), env: env)
  end
end
