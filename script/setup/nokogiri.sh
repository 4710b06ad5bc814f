# Nokogiri, which Rails needs: the only test gem with C code, so it is compiled for our Ruby, from Debian's
# source package and with the system's libxml2.
# shellcheck shell=bash

# A GEM_HOME for each Ruby: compiled code fits one only.
compiled_gems() { printf '%s/compiled-gems/%s' "$cache" "$("$ruby" -e 'print RUBY_ENGINE, "-", RUBY_VERSION, "-", RUBY_PLATFORM')"; }

have_nokogiri() { [ -e "$(compiled_gems)/.complete" ]; }

# Needs the other gems in place.
build_nokogiri() {
  have_nokogiri && return
  local work=$cache/build-nokogiri target
  target=$(compiled_gems)
  ensure_packages compiled_gems
  rm -rf "$work" "$target"
  mkdir -p "$work" "$target"
  step "gems: sources list" update_private "deb MIRROR sid main" "deb-src MIRROR sid main"
  step "gems: nokogiri source" fetch_nokogiri "$work"
  step "gems: nokogiri" compile_nokogiri "$work" "$target"
  rm -rf "$work"
  touch "$target/.complete"
}

fetch_nokogiri() {
  in_directory "$1" apt_private source --download-only --only-source ruby-nokogiri || return 1
  mkdir "$1/source" || return 1
  tar -xf "$1"/ruby-nokogiri_*.orig.tar.* -C "$1/source" --strip-components=1
}

compile_nokogiri() {
  # The gem command of this very Ruby, which need not be on PATH.
  local gem=(env -u RUBYOPT -u RUBYLIB GEM_PATH="$(gem_path)" "$ruby" -r rubygems/gem_runner
    -e 'Gem::GemRunner.new.run(ARGV)')
  in_directory "$1/source" "${gem[@]}" build nokogiri.gemspec --output "$1/nokogiri.gem" || return 1
  # Its dependencies are there (racc with Ruby itself), but not in this directory, where RubyGems looks.
  "${gem[@]}" install --local --ignore-dependencies --no-document --install-dir "$2" "$1/nokogiri.gem" -- --use-system-libraries
}
