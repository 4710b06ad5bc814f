# Rust: rperf and Ruby's YJIT are written in it. It is not installed from here: the user chooses how
# to install it (rustup, a system package).
# shellcheck shell=bash

# The version for the edition and the language of the crates: rust-version in Cargo.toml.
ensure_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
  have cargo && have rustc || fail "cargo and rustc are missing: install Rust >= $wanted, then run bin/setup again"
  found=$(rustc --version 2>/dev/null | awk '{ print $2 }')
  [ -n "$found" ] || fail "rustc does not run: try 'rustc --version', repair the Rust installation, then run bin/setup again"
  printf '%s\n%s\n' "$wanted" "$found" | sort --check=quiet --version-sort ||
    fail "this Rust is $found, rperf needs >= $wanted: update it ('rustup update' with rustup), then run bin/setup again"
}

# Tools with which bin/test checks the Rust code.
ensure_rust_tools() {
  have cargo || return 0 # ensure_rust says it
  ensure_rust_tool clippy cargo-clippy
  ensure_rust_tool rustfmt rustfmt
}

ensure_rust_tool() {
  # With rustup the command exists even when the component does not, so it is run.
  "$2" --version >/dev/null 2>&1 && return
  have rustup || fail "$1 is missing: install it beside cargo (bin/test needs it), then run bin/setup again"
  step "rust component $1" rustup component add "$1"
}
