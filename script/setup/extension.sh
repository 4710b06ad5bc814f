# The extension: built again when one of its sources, the lock file, the Ruby or the compiler changed.
# shellcheck shell=bash

extension_stamp() {
  {
    "$ruby" -e 'print RUBY_DESCRIPTION, RbConfig.ruby'
    rustc --version
    cd "$root" && find Cargo.toml Cargo.lock ext -type f -not -path '*/target/*' -print0 | sort -z | xargs -0 sha256sum
  } | sha256sum
}

ensure_extension() {
  local stamp
  have cargo || fail "cargo is missing: install Rust, then run bin/setup again"
  stamp=$(extension_stamp)
  if [ -e "$root/lib/rperf.so" ] && [ "$stamp" = "$(cat "$root/lib/.rperf.stamp" 2>/dev/null)" ]; then
    return
  fi
  ensure_packages run
  step "extension" build_extension
  printf '%s\n' "$stamp" >"$root/lib/.rperf.stamp"
}

build_extension() {
  cd "$root" && RUBY="$ruby" cargo build --locked --release --package rperf
  # Beside it, then renamed: a running process keeps the file that it has mapped.
  cp "${CARGO_TARGET_DIR:-$root/target}/release/librperf.so" "$root/lib/rperf.so.new"
  mv "$root/lib/rperf.so.new" "$root/lib/rperf.so"
}
