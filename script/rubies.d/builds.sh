# The builds of script/rubies, and how each is made from the source of bin/setup's Ruby.
# shellcheck shell=bash

names=(static clang o0 debug sid)
declare -A builds=(
  [static]='3.4.5 without a shared library: nothing can be put between it and its allocator'
  [clang]='3.4.5 by clang at -O1, with frame pointers'
  [o0]='3.4.5 by gcc at -O0: what a compiler may inline it does not'
  [debug]='3.4.5 with RUBY_DEBUG=1: the VM checks itself, and its frames are larger'
  [sid]='3.4.11 as Debian builds it (suite experimental), with the C library of Debian sid'
)

# Options of configure for each build.
declare -A options=(
  [static]='--disable-shared'
  [clang]='--enable-shared CC=clang optflags="-O1 -fno-omit-frame-pointer"'
  [o0]='--enable-shared optflags=-O0'
  [debug]='--enable-shared optflags=-O1 cppflags=-DRUBY_DEBUG=1'
)

# Tests that do not apply to a build: it has no slots of a shared library, or no YJIT.
declare -A excluded=(
  [static]='/^Direct|^VmDirect|^AllocationsTest#|eight_kinds|drawn_are_right_on_average|DoctorE2ETest#test_what_works_here/'
  [sid]='/under_yjit|test_each_line_has_its_objects/'
)

packages_for_clang=("clang:have_command_clang")
have_command_clang() { have clang; }

ensure_build() {
  [ -e "$home/ruby/.complete" ] && return
  ensure_packages run ruby
  [ "$1" != clang ] || ensure_packages clang
  local work=$home/build
  rm -rf "$work" "$home/ruby"
  mkdir -p "$work"
  with_cache_lock step "rubies $1: package list" update_private "deb-src MIRROR experimental main"
  step "rubies $1: source" fetch_ruby_source "$work"
  step "rubies $1: configure" in_directory "$work/source" configure_build "$home/ruby" "${options[$1]}"
  step "rubies $1: make" nice -n 5 make -C "$work/source" -j"$(nproc)"
  step "rubies $1: install" nice -n 5 make -C "$work/source" install
  rm -rf "$work"
  touch "$home/ruby/.complete"
}

configure_build() {
  local words
  eval "words=($2)"
  nice -n 5 ./configure --prefix="$1" --enable-yjit --disable-install-doc "${words[@]}"
}

# copy_checkout: copies the files that git knows of this checkout, with their times. What cargo has
# built for this Ruby stays.
copy_checkout() {
  mkdir -p "$home/checkout"
  find "$home/checkout" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
  in_directory "$root" git ls-files -z --cached --others --exclude-standard |
    (cd "$root" && xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\\0" "$file"; done' sh) |
    tar -C "$root" --null -T - -cf - | tar -C "$home/checkout" -xf -
}
