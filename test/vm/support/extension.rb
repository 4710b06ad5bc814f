# frozen_string_literal: true

require "fileutils"
require_relative "../../support/paths"
require_relative "../../support/subprocess"

# Extensions in C, built for tests.
module Extension
  # Builds the one of this name in `directory`. Returns the path to require.
  def self.build(name, directory)
    FileUtils.cp(File.join(__dir__, "#{name}.c"), directory)
    make = "require 'mkmf'; create_makefile('#{name}'); system('make', '--silent', exception: true)"
    result = Subprocess.run(Paths::RUBY, "--disable-gems", "-C", directory, "-e", make)
    raise "the extension cannot be built: #{result.report}" unless result.success?
    File.join(directory, "#{name}.#{RbConfig::CONFIG["DLEXT"]}")
  end
end
