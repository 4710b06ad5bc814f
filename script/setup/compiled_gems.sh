# Test gems with C code, each compiled from its source for our Ruby into a GEM_HOME of their own.
# shellcheck shell=bash

# A GEM_HOME for each Ruby, since compiled code fits only one.
compiled_gems() { printf '%s/compiled-gems/%s' "$cache" "$("$ruby" --disable-gems -e 'print RUBY_ENGINE, "-", RUBY_VERSION, "-", RUBY_PLATFORM')"; }

# compile_gem SOURCE GEMSPEC TARGET OPTION...: compiles the gem of a source directory and installs
# it into the GEM_HOME TARGET.
compile_gem() {
  local source=$1 gemspec=$2 target=$3
  shift 3
  # The gem command of this very Ruby, which need not be on PATH.
  local gem=(env -u RUBYOPT -u RUBYLIB GEM_PATH="$(gem_path)" "$ruby" -r rubygems/gem_runner
    -e 'Gem::GemRunner.new.run(ARGV)')
  in_directory "$source" "${gem[@]}" build "$gemspec" --output "$source.gem" || return 1
  # The gem's dependencies are installed, but not in this directory, where RubyGems looks.
  "${gem[@]}" install --local --ignore-dependencies --no-document --install-dir "$target" "$source.gem" -- "$@"
}
