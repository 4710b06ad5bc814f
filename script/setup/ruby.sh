# A Ruby >= 3.4: RPERF_RUBY, the one on PATH, or one built from Debian's source package.
# Sets $ruby to an absolute path.
# shellcheck shell=bash

ruby=
ruby_source_version=3.4.5-1~exp1
built_ruby=$cache/ruby-3.4.5

# (Ruby takes most of the time of its start to load RubyGems.)
ruby_fits() { [ -x "$1" ] && "$1" --disable-gems -e 'exit((RUBY_VERSION.split(".").map(&:to_i) <=> [3, 4]) >= 0)' 2>/dev/null; }

# A version manager's shim starts another Ruby in another directory; the extension fits only one.
real_ruby() { "$1" --disable-gems -r rbconfig -e 'print RbConfig.ruby'; }

ensure_ruby() {
  if [ -n "${RPERF_RUBY:-}" ]; then
    ruby_fits "$RPERF_RUBY" || fail "RPERF_RUBY=$RPERF_RUBY is not a Ruby >= 3.4: name the path of one, or unset it"
    ruby=$(real_ruby "$RPERF_RUBY")
  elif have ruby && ruby_fits "$(command -v ruby)"; then
    ruby=$(real_ruby "$(command -v ruby)")
  else
    [ -e "$built_ruby/.complete" ] || with_cache_lock build_ruby
    ruby=$built_ruby/bin/ruby
  fi
}

build_ruby() {
  [ -e "$built_ruby/.complete" ] && return
  say "no Ruby >= 3.4 here: building one from Debian's source package ruby3.4 $ruby_source_version into $built_ruby (about 4 minutes)"
  compile_ruby ruby "$built_ruby" install --enable-yjit
  complete_ruby "$built_ruby" "$built_ruby/bin/ruby"
}

# compile_ruby NAME TARGET INSTALL OPTION...: builds a Ruby from the source package, with the
# targets INSTALL of make and these options of configure.
compile_ruby() {
  local name=$1 target=$2 install=$3 work=$cache/build-$1
  shift 3
  ensure_packages run ruby
  rm -rf "$work" "$target"
  mkdir -p "$work"
  step "$name: package list" update_private "deb-src MIRROR experimental main"
  step "$name: source" fetch_ruby_source "$work"
  step "$name: configure" in_directory "$work/source" ./configure --prefix="$target" --enable-shared --disable-install-doc "$@"
  step "$name: make" make -C "$work/source" -j"$(nproc)"
  # shellcheck disable=SC2086 # one word for each target
  step "$name: install" make -C "$work/source" $install
  rm -rf "$work"
}

# complete_ruby DIRECTORY COMMAND: marks the directory as complete if COMMAND, its Ruby, runs.
complete_ruby() {
  ruby_fits "$2" || fail "the Ruby in $1 does not run: see $logs"
  touch "$1/.complete"
}

# The orig tarball is Ruby's release tarball, with the generated files and the bundled gems. Where
# the mirror has dropped our version, it is its latest one.
fetch_ruby_source() {
  in_directory "$1" apt_private source --download-only --only-source "ruby3.4=$ruby_source_version" ||
    in_directory "$1" apt_private source --download-only --only-source ruby3.4 || return 1
  mkdir "$1/source" || return 1
  tar -xf "$1"/ruby3.4_*.orig.tar.* -C "$1/source" --strip-components=1
}
