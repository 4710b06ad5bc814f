# Tools that compile gems of other platforms and try them, on x86_64 Linux: Rust's library for each;
# a Ruby built against musl; and for aarch64, run by QEMU, a Ruby from Debian's packages and one
# built against musl.
# shellcheck shell=bash

rust_platforms=(aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl aarch64-apple-darwin)
musl_ruby=$cache/ruby-3.4.5-musl
aarch64_ruby=$cache/ruby-3.4-aarch64
aarch64_musl_ruby=$cache/ruby-3.4.5-aarch64-musl
# apt's options for packages of arm64, as on a machine on which nothing is installed.
arm64_packages=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status=/dev/null)

has_platforms() { [ "$(uname -sm)" = "Linux x86_64" ]; }

ensure_platforms() {
  has_platforms || return 0
  ensure_packages platforms
  ensure_rust_platforms
  [ -e "$musl_ruby/.complete" ] || with_cache_lock build_musl_ruby
  [ -e "$aarch64_ruby/.complete" ] || with_cache_lock fetch_aarch64_ruby
  [ -e "$aarch64_musl_ruby/.complete" ] || with_cache_lock build_aarch64_musl_ruby
}

print_platforms() {
  has_platforms || return 0
  printf 'export RPERF_RUBY_OF_X86_64_LINUX_MUSL=%q\n' "$musl_ruby/bin/ruby"
  printf 'export RPERF_RUBY_OF_AARCH64_LINUX_GNU=%q\n' "$aarch64_ruby/ruby"
  printf 'export RPERF_RUBY_OF_AARCH64_LINUX_MUSL=%q\n' "$aarch64_musl_ruby/ruby"
}

ensure_rust_platforms() {
  local platform
  for platform in "${rust_platforms[@]}"; do
    [ -d "$(rustc --print sysroot)/lib/rustlib/$platform/lib" ] && continue
    have rustup || fail "Rust's library for $platform is missing: install it beside cargo (bin/test needs it), then run bin/setup again"
    step "rust library for $platform" rustup target add "$platform"
  done
}

# Without the libraries that musl has no packages of: zlib, OpenSSL, libyaml.
build_musl_ruby() {
  [ -e "$musl_ruby/.complete" ] && return
  say "building a Ruby for musl into $musl_ruby (about 4 minutes)"
  # (Debian's musl has crypt_r, and since trixie no header that declares it.)
  compile_ruby musl "$musl_ruby" install --build=x86_64-linux-musl --disable-yjit CC=musl-gcc ac_cv_func_crypt_r=no
  complete_ruby "$musl_ruby" "$musl_ruby/bin/ruby"
}

fetch_aarch64_ruby() {
  [ -e "$aarch64_ruby/.complete" ] && return
  local work=$cache/build-aarch64 files
  files=$work/root
  rm -rf "$work" "$aarch64_ruby"
  mkdir -p "$work/debs" "$files"
  step "aarch64: package lists" update_private "deb [arch=arm64] MIRROR sid main" "deb [arch=arm64] MIRROR experimental main"
  step "aarch64: packages" download_aarch64 "$work"
  step "aarch64: unpack" unpack_debs "$work"
  move_files "$files" "$aarch64_ruby"
  files=$aarch64_ruby/files
  # RbConfig finds all its files from the place of its own file.
  write_emulated "$aarch64_ruby" "$files/usr/bin/ruby3.4" "-I$files/usr/lib/aarch64-linux-gnu/ruby/3.4.0"
  rm -rf "$work"
}

download_aarch64() {
  local names
  names=$(apt_private "${arm64_packages[@]}" -t experimental install --print-uris --yes --no-install-recommends ruby3.4 ruby3.4-dev |
    sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p") || return 1
  # shellcheck disable=SC2086 # one word for each package
  in_directory "$1/debs" apt_private "${arm64_packages[@]}" -t experimental download $names
}

# Built by zig's C compiler, with the C library of Debian's package beside it. (Without bundled
# gems: a Ruby that does not run here would fetch them anew when it is installed.)
build_aarch64_musl_ruby() {
  [ -e "$aarch64_musl_ruby/.complete" ] && return
  local work=$cache/build-aarch64-libc options
  say "building a Ruby for musl on aarch64 into $aarch64_musl_ruby (about 3 minutes)"
  options=(--host=aarch64-linux-musl --build=x86_64-linux-gnu --with-baseruby="$ruby" --disable-yjit ac_cv_func_crypt_r=no)
  options+=(CC="$zig cc -target aarch64-linux-musl -dynamic" AR="$zig ar" RANLIB="$zig ranlib")
  rm -rf "$work"
  mkdir -p "$work/debs" "$work/root"
  # zig gives no warnings for a file that is in its cache, and configure looks for warnings.
  ZIG_GLOBAL_CACHE_DIR=$work/zig compile_ruby aarch64-musl "$aarch64_musl_ruby" "install-local install-lib install-arch" "${options[@]}"
  step "aarch64 musl: package list" update_private "deb [arch=arm64] MIRROR sid main"
  step "aarch64 musl: package" in_directory "$work/debs" apt_private "${arm64_packages[@]}" download musl
  step "aarch64 musl: unpack" unpack_debs "$work"
  move_files "$work/root" "$aarch64_musl_ruby"
  write_emulated "$aarch64_musl_ruby" "$aarch64_musl_ruby/bin/ruby"
  rm -rf "$work"
}

# move_files ROOT DIRECTORY: moves a system's files to DIRECTORY/files.
move_files() {
  [ -e "$1/lib" ] || ln -s usr/lib "$1/lib"
  mkdir -p "$2"
  mv "$1" "$2/files"
}

# write_emulated DIRECTORY RUBY ARGUMENT...: DIRECTORY/ruby runs RUBY by QEMU, in DIRECTORY/files.
write_emulated() {
  local directory=$1
  shift
  # clang's own headers have no stdckdint.h, but Ruby's configuration says that it exists.
  find "$directory/" -path '*/ruby/config.h' -exec sed -i '/HAVE_STDCKDINT_H/d' {} +
  {
    printf '#!/bin/sh\nexec qemu-aarch64 -L %q' "$directory/files"
    printf ' %q' "$@"
    printf ' "$@"\n'
  } >"$directory/ruby"
  chmod +x "$directory/ruby"
  complete_ruby "$directory" "$directory/ruby"
}
