# The extension. It is built again when one of its sources, the lock file, the Ruby or the compiler
# has changed. It is where `gem install` puts it (lib/rperf/rperf.so): RubyGems' cargo builder
# repeats in lib/ the directories between ext/ and the crate's manifest.
# shellcheck shell=bash

extension=$root/lib/rperf/rperf.so
extension_stamp=$root/lib/rperf/.extension.stamp
# Cargo's profile: `checkout` builds in seconds what has changed, gems are built by `release`.
extension_profile=${RPERF_PROFILE:-checkout}

extension_inputs() {
  {
    "$ruby" --disable-gems -r rbconfig -e 'print RUBY_DESCRIPTION, RbConfig.ruby'
    rustc --version
    printf '%s\n' "${RUSTFLAGS:-}" "$extension_profile"
    cd "$root" && find Cargo.toml Cargo.lock ext -type f -not -path '*/target/*' -print0 | sort -z | xargs -0 sha256sum
  } | sha256sum
}

ensure_extension() { have_extension || with_lock "$root/lib/rperf/.setup.lock" build_extension; }

have_extension() { [ -e "$extension" ] && [ "$(extension_inputs)" = "$(cat "$extension_stamp" 2>/dev/null)" ]; }

build_extension() {
  have_extension && return
  local inputs
  # Taken before the build: a change during the build leads to another build next time.
  inputs=$(extension_inputs)
  ensure_packages run
  step "extension" compile_extension
  printf '%s\n' "$inputs" >"$extension_stamp"
}

compile_extension() {
  cd "$root" || return 1
  take_crates
  RUBY="$ruby" cargo build --locked --profile "$extension_profile" --package rperf || return 1
  # Copied beside it, then renamed: a running process keeps the file that it has mapped.
  mkdir -p "${extension%/*}"
  cp "${CARGO_TARGET_DIR:-$root/target}/$extension_profile/librperf.so" "$extension.new" && mv "$extension.new" "$extension"
}

debug_extension=${CARGO_TARGET_DIR:-$root/target}/dev/rperf.so

# Cargo itself detects changes and prints errors.
compile_debug_extension() {
  take_crates
  (cd "$root" && RUBY="$ruby" cargo build --quiet --locked --package rperf >&2) || fail "the extension does not compile"
  mkdir -p "${debug_extension%/*}"
  cmp --quiet "${debug_extension%/*}/../debug/librperf.so" "$debug_extension" && return
  cp "${debug_extension%/*}/../debug/librperf.so" "$debug_extension.new" && mv "$debug_extension.new" "$debug_extension"
}
