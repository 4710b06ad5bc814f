# Test gems with C code: compiled for our Ruby, each from its source, into a GEM_HOME of their own.
# shellcheck shell=bash

# A GEM_HOME for each Ruby: compiled code fits one only.
compiled_gems() { printf '%s/compiled-gems/%s' "$cache" "$("$ruby" -e 'print RUBY_ENGINE, "-", RUBY_VERSION, "-", RUBY_PLATFORM')"; }

# compile_gem SOURCE GEMSPEC TARGET OPTION...: the gem of a source directory, compiled and installed
# into a GEM_HOME.
compile_gem() {
  local source=$1 gemspec=$2 target=$3
  shift 3
  # The gem command of this very Ruby, which need not be on PATH.
  local gem=(env -u RUBYOPT -u RUBYLIB GEM_PATH="$(gem_path)" "$ruby" -r rubygems/gem_runner
    -e 'Gem::GemRunner.new.run(ARGV)')
  in_directory "$source" "${gem[@]}" build "$gemspec" --output "$source.gem" || return 1
  # Its dependencies are there, but not in this directory, where RubyGems looks.
  "${gem[@]}" install --local --ignore-dependencies --no-document --install-dir "$target" "$source.gem" -- "$@"
}
