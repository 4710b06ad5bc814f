# Rust: rperf is written in it, and Ruby's YJIT too. It is not installed from here: how one has Rust
# (rustup, a system package) is the user's choice.
# shellcheck shell=bash

# The edition and the language of the crates; the same number as rust-version in Cargo.toml.
ensure_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
  have cargo && have rustc || fail "cargo and rustc are missing: install Rust >= $wanted, then run bin/setup again"
  found=$(rustc --version 2>/dev/null | awk '{ print $2 }')
  [ -n "$found" ] || fail "rustc does not run: try 'rustc --version', repair the Rust installation, then run bin/setup again"
  printf '%s\n%s\n' "$wanted" "$found" | sort --check=quiet --version-sort ||
    fail "this Rust is $found, rperf needs >= $wanted: update it ('rustup update' with rustup), then run bin/setup again"
}

# What bin/test checks the Rust code with.
ensure_rust_tools() {
  have cargo || return 0 # ensure_rust says it
  ensure_rust_tool clippy cargo-clippy
  ensure_rust_tool rustfmt rustfmt
}

ensure_rust_tool() {
  # With rustup the command exists even when the component does not: ask it.
  "$2" --version >/dev/null 2>&1 && return
  have rustup || fail "$1 is missing: install it beside cargo (bin/test needs it), then run bin/setup again"
  step "rust component $1" rustup component add "$1"
}
