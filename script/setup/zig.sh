# Zig, which links the libraries of platform gems: its C compiler has the C libraries of other
# platforms and older versions of glibc. From PyPI's package ziglang, at a fixed version.
# shellcheck shell=bash

zig_version=0.15.2
zig=$cache/zig-$zig_version/ziglang/zig

ensure_zig() { [ -x "$zig" ] || with_cache_lock install_zig; }

install_zig() {
  [ -x "$zig" ] && return
  local work=$cache/build-zig
  python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing, from which zig comes: install Python 3 with pip, then run bin/setup again"
  rm -rf "$work"
  step "zig" python3 -m pip install --quiet --no-deps --disable-pip-version-check --target "$work" "ziglang==$zig_version"
  chmod +x "$work/ziglang/zig"
  mv "$work" "$cache/zig-$zig_version"
}
