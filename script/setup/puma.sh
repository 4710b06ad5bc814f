# Puma, a preforking server. No suite has both its source package and its binary for our Ruby, so
# the release comes by name and checksum, from the same mirror. Its dependency nio4r runs without
# its C code: NIO4R_PURE=true.
# shellcheck shell=bash

puma_archive=pool/main/p/puma/puma_6.6.0.orig.tar.gz
# The checksum in Debian's signed list of sources (suite trixie).
puma_sha256=fb7681784d6030c13e333ee6a0c52bc1c166e32018c43059e6ab0749c205e303

have_puma() { [ -e "$(compiled_gems)/.puma-complete" ]; }

# Needs the other gems to be in place.
build_puma() {
  have_puma && return
  local work=$cache/build-puma target
  target=$(compiled_gems)
  ensure_packages puma
  rm -rf "$work"
  mkdir -p "$work/puma" "$work/nio4r" "$target/gems" "$target/specifications"
  step "gems: package list" update_private "deb MIRROR sid main"
  step "gems: nio4r" unpack_nio4r "$work/nio4r" "$target"
  step "gems: puma source" fetch_puma "$work"
  step "gems: puma" compile_puma "$work/puma" "$target"
  rm -rf "$work"
  touch "$target/.puma-complete"
}

# Takes the Ruby files of Debian's package: its C code is for another Ruby.
unpack_nio4r() {
  local gems
  in_directory "$1" apt_private download ruby-nio4r || return 1
  dpkg -x "$1"/ruby-nio4r_*.deb "$1/unpacked" || return 1
  gems=$(echo "$1"/unpacked/usr/lib/*/rubygems-integration/*)
  cp -r "$gems"/gems/nio4r-* "$2/gems/" || return 1
  for specification in "$gems"/specifications/nio4r-*.gemspec; do
    grep -v '\.extensions = ' "$specification" >"$2/specifications/${specification##*/}" || return 1
  done
}

fetch_puma() {
  local mirror
  mirror=$(debian_mirror) || return 1
  /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file "${mirror%/}/$puma_archive" "$1/puma.tar.gz" "SHA256:$puma_sha256" || return 1
  tar -xf "$1/puma.tar.gz" -C "$1/puma" --strip-components=1 || return 1
  # The archive is no git checkout.
  sed -i 's/`git ls-files .*`\.split("\\n")/Dir["{bin,docs,ext,lib,tools}\/**\/*"].select { |path| File.file?(path) }/' "$1/puma/puma.gemspec"
}

# The tests use plain HTTP.
compile_puma() { PUMA_DISABLE_SSL=1 compile_gem "$1" puma.gemspec "$2"; }
