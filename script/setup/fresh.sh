# Is everything that running rperf needs in place? Answered in milliseconds, from the time stamps of
# the sources: bin/rperf asks this on every run. `bin/setup` looks closer (at contents and at the
# compiler).
# shellcheck shell=bash

# What bin/setup found when it last ended well. Line 1: the settings that it started from; line 2:
# the Ruby.
fresh_stamp="${root:?}/lib/rperf/.setup.stamp"

# The settings on which the choice of a Ruby depends, and how the extension is compiled.
ruby_settings() {
  printf '%s|%s|%s|%s' "${RPERF_PROFILE:-}" "${RPERF_RUBY:-}" "${RPERF_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}}" "$(command -v ruby || true)"
}

# Prints the Ruby that bin/setup settled on.
stamped_ruby() { sed -n 2p "$fresh_stamp"; }

# Fails when something has to be set up or built.
setup_is_fresh() {
  local settings ruby
  [ -e "$root/lib/rperf/rperf.so" ] && [ -e "$fresh_stamp" ] || return 1
  { read -r settings && read -r ruby; } <"$fresh_stamp" || return 1
  [ "$settings" = "$(ruby_settings)" ] && [ -x "$ruby" ] || return 1
  # Directories too: they change when a file is added, removed or renamed.
  [ -z "$(find "$root/Cargo.toml" "$root/Cargo.lock" "$root/ext" "$root/bin/setup" "$root/script/setup" "$ruby" \
    -newer "$fresh_stamp" -print -quit)" ]
}

# Before the sources are read: what changes from here on counts as changed after the set-up. A
# second earlier, since file systems date by a clock that is a little behind: better to look once
# too often.
begin_freshness() { fresh_since=$(($(date +%s) - 1)); }

# note_freshness RUBY: everything is in place. The stamp is dated with the time of begin_freshness.
note_freshness() {
  local new=$fresh_stamp.$$
  printf '%s\n%s\n' "$(ruby_settings)" "$1" >"$new"
  touch -d "@$fresh_since" "$new"
  mv "$new" "$fresh_stamp"
}
