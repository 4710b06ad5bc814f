# Nokogiri, which Rails needs: compiled from Debian's source package, with the system's libxml2.
# shellcheck shell=bash

have_nokogiri() { [ -e "$(compiled_gems)/.complete" ]; }

# Needs the other gems to be in place.
build_nokogiri() {
  have_nokogiri && return
  local work=$cache/build-nokogiri target
  target=$(compiled_gems)
  ensure_packages nokogiri
  rm -rf "$work" "$target"
  mkdir -p "$work" "$target"
  step "gems: sources list" update_private "deb MIRROR sid main" "deb-src MIRROR sid main"
  step "gems: nokogiri source" fetch_nokogiri "$work"
  step "gems: nokogiri" compile_gem "$work/source" nokogiri.gemspec "$target" --use-system-libraries
  rm -rf "$work"
  touch "$target/.complete"
}

fetch_nokogiri() {
  in_directory "$1" apt_private source --download-only --only-source ruby-nokogiri || return 1
  mkdir "$1/source" || return 1
  tar -xf "$1"/ruby-nokogiri_*.orig.tar.* -C "$1/source" --strip-components=1
}
