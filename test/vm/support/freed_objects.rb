# frozen_string_literal: true

require "fileutils"
require_relative "../../support/paths"
require_relative "../../support/subprocess"

# An extension that counts what the collector frees, built for a test.
module FreedObjects
  SOURCE = File.join(__dir__, "freed_objects.c")

  # Builds it in `directory`. Returns the path to require.
  def self.build(directory)
    FileUtils.cp(SOURCE, directory)
    make = 'require "mkmf"; create_makefile("freed_objects"); system("make", "--silent", exception: true)'
    result = Subprocess.run(Paths::RUBY, "-C", directory, "-e", make)
    raise "the extension cannot be built: #{result.report}" unless result.success?
    File.join(directory, "freed_objects.#{RbConfig::CONFIG["DLEXT"]}")
  end
end
