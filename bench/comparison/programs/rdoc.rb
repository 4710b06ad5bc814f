# frozen_string_literal: true

# rdoc documents three libraries of Ruby: a real program, with files, regular expressions, templates
# and a busy collector. It runs from a copy in this directory, so that its own files have another
# path in each checkout. Arguments: the number of texts that `changed` makes for each percent, and
# its work in percent: 100, or more for a change that should be found.

require "fileutils"
require "rbconfig"
require "tmpdir"

LIBRARIES = RbConfig::CONFIG.fetch("rubylibdir")
COPY = File.join(__dir__, "lib")

unless File.exist?(COPY)
  FileUtils.mkdir_p(COPY)
  FileUtils.cp_r([File.join(LIBRARIES, "rdoc"), File.join(LIBRARIES, "rdoc.rb")], COPY)
end
$LOAD_PATH.unshift(COPY)
require "rdoc"
abort("rdoc comes from #{$LOADED_FEATURES.grep(%r{/rdoc\.rb\z}).first}") unless $LOADED_FEATURES.include?(File.join(COPY, "rdoc.rb"))

# Takes about a tenth of all time.
def changed(times) = times.times { |number| "a b c #{number}".split.map(&:upcase).join("-") }

amount, percent = ARGV.map { |word| Integer(word) }
Dir.mktmpdir do |directory|
  files = %w[fileutils.rb set.rb erb.rb].map { |name| File.join(LIBRARIES, name) }
  RDoc::RDoc.new.document(["--quiet", "--output", File.join(directory, "html"), *files])
end
changed(amount * percent)
