# frozen_string_literal: true

require_relative "lib/rperf/version"

Gem::Specification.new do |spec|
  spec.name = "rperf"
  spec.version = Rperf::VERSION
  spec.summary = "A sampling profiler for Ruby whose weights are measured times"
  spec.description = <<~TEXT
    rperf shows where a Ruby program spends its CPU time or its wall-clock time: running, blocked, waiting
    for the GVL, or in the garbage collector. It writes profiles for pprof, flame graph tools and people.
  TEXT
  spec.authors = ["The rperf authors"]
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.4"
  # Also the page that pprof profiles name (DOC_URL in the core crate's formats).
  spec.homepage = "https://github.com/rperf/rperf"
  spec.metadata = { "source_code_uri" => spec.homepage, "rubygems_mfa_required" => "true" }

  spec.bindir = "exe"
  spec.executables = ["rperf"]
  spec.require_paths = ["lib"]
  # It says in one sentence what is missing, unlike RubyGems' cargo builder (docs/decisions/0002).
  spec.extensions = ["ext/rperf/extconf.rb"]

  # Not listed by git, so that the gem also builds from a tarball. Cargo needs the whole workspace:
  # the root manifest, the lock file and every member (a missing one breaks `gem install`).
  spec.files = Dir.chdir(__dir__) do
    # `rperf help TOPIC` shows the documents; pictures and single decisions are not in the gem.
    Dir["lib/**/*", "exe/*", "ext/*/{Cargo.toml,build.rs,extconf.rb}", "ext/*/src/**/*", "docs/{,internals/,*/README}*.md",
        "Cargo.{toml,lock}", "{README,CHANGELOG,SECURITY}.md", "LICENSE"]
      .select { |path| File.file?(path) && !path.end_with?(".so", ".bundle") }
      .sort
  end
end
