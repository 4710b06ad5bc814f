# What gems of other platforms are compiled for and tried with, on x86_64 Linux: Rust's library for
# each; a Ruby built against musl; a Ruby for aarch64 from Debian's packages, which QEMU runs.
# shellcheck shell=bash

rust_platforms=(aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-apple-darwin)
musl_ruby=$cache/ruby-3.4.5-musl
aarch64_ruby=$cache/ruby-3.4-aarch64

has_platforms() { [ "$(uname -sm)" = "Linux x86_64" ]; }

ensure_platforms() {
  has_platforms || return 0
  ensure_packages platforms
  ensure_rust_platforms
  [ -e "$musl_ruby/.complete" ] || with_cache_lock build_musl_ruby
  [ -e "$aarch64_ruby/.complete" ] || with_cache_lock fetch_aarch64_ruby
}

print_platforms() {
  has_platforms || return 0
  printf 'export RPERF_RUBY_OF_X86_64_LINUX_MUSL=%q\n' "$musl_ruby/bin/ruby"
  printf 'export RPERF_RUBY_OF_AARCH64_LINUX_GNU=%q\n' "$aarch64_ruby/ruby"
}

ensure_rust_platforms() {
  local platform
  for platform in "${rust_platforms[@]}"; do
    [ -d "$(rustc --print sysroot)/lib/rustlib/$platform/lib" ] && continue
    have rustup || fail "Rust's library for $platform is missing: install it beside cargo (bin/test needs it), then run bin/setup again"
    step "rust library for $platform" rustup target add "$platform"
  done
}

# Without what is not there for musl: zlib, OpenSSL, libyaml.
build_musl_ruby() {
  [ -e "$musl_ruby/.complete" ] && return
  say "building a Ruby for musl into $musl_ruby (about 4 minutes)"
  # (Debian's musl has crypt_r, and since trixie no header that says so.)
  compile_ruby musl "$musl_ruby" --build=x86_64-linux-musl --disable-yjit CC=musl-gcc ac_cv_func_crypt_r=no
}

fetch_aarch64_ruby() {
  [ -e "$aarch64_ruby/.complete" ] && return
  local work=$cache/build-aarch64 files
  files=$work/root
  rm -rf "$work" "$aarch64_ruby"
  mkdir -p "$work/debs" "$files"
  : >"$work/status"
  step "aarch64: package lists" update_private "deb [arch=arm64] MIRROR sid main" "deb [arch=arm64] MIRROR experimental main"
  step "aarch64: packages" download_aarch64 "$work"
  step "aarch64: unpack" unpack_debs "$work"
  # clang's own headers have no stdckdint.h, and Ruby's say that it is there.
  sed -i '/HAVE_STDCKDINT_H/d' "$files"/usr/include/aarch64-linux-gnu/ruby-3.4.0/ruby/config.h
  [ -e "$files/lib" ] || ln -s usr/lib "$files/lib"
  mkdir -p "$aarch64_ruby"
  mv "$files" "$aarch64_ruby/files"
  write_aarch64_command
  ruby_fits "$aarch64_ruby/ruby" || fail "QEMU does not run the Ruby for aarch64: see $logs"
  touch "$aarch64_ruby/.complete"
  rm -rf "$work"
}

# Of a machine on which nothing is installed.
download_aarch64() {
  local options names
  options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status="$1/status" -t experimental)
  names=$(apt_private "${options[@]}" install --print-uris --yes --no-install-recommends ruby3.4 ruby3.4-dev |
    sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p") || return 1
  # shellcheck disable=SC2086 # one word for each package
  in_directory "$1/debs" apt_private "${options[@]}" download $names
}

# RbConfig finds everything from where its own file lies.
write_aarch64_command() {
  local in_root=$aarch64_ruby/files
  {
    printf '#!/bin/sh\n'
    printf 'exec qemu-aarch64 -L %q %q -I%q "$@"\n' "$in_root" "$in_root/usr/bin/ruby3.4" "$in_root/usr/lib/aarch64-linux-gnu/ruby/3.4.0"
  } >"$aarch64_ruby/ruby"
  chmod +x "$aarch64_ruby/ruby"
}
