# Programs of other projects with which the tests read rperf's output, as far as they come from npm.
# They go into the cache, at the versions of test/readers/package-lock.json. None of their scripts
# runs at the installation.
# shellcheck shell=bash

# A directory for each set of versions: checkouts of different ages share the cache.
readers_directory() { printf '%s/readers-%s' "$cache" "$(cksum <"$root/test/readers/package-lock.json" | cut -d ' ' -f 1)"; }

have_readers() { [ -e "$(readers_directory)/.complete" ]; }

ensure_readers() { have_readers || with_cache_lock install_readers; }

install_readers() {
  have_readers && return
  local work=$cache/build-readers
  have npm || fail "npm is missing, which the tests need: install Node.js with npm, or run bin/setup without options"
  rm -rf "$work" "$(readers_directory)"
  mkdir -p "$work"
  cp "$root"/test/readers/package*.json "$root/test/readers/.npmrc" "$work"
  step "test readers" in_directory "$work" npm ci --ignore-scripts --no-audit --no-fund
  touch "$work/.complete"
  mv "$work" "$(readers_directory)"
}
