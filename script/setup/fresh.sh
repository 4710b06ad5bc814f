# Checks whether everything that running rperf needs is in place, in milliseconds, from the time
# stamps of the sources: bin/rperf checks this on every run. `bin/setup` looks closer (at contents
# and at the compiler).
# shellcheck shell=bash

# State at the last successful end of bin/setup. Line 1: the settings that it started from; line 2:
# the Ruby.
fresh_stamp="${root:?}/lib/rperf/.setup.stamp"

# Settings that decide the choice of a Ruby, and how the extension is compiled.
ruby_settings() {
  printf '%s|%s|%s|%s' "${RPERF_PROFILE:-}" "${RPERF_RUBY:-}" "${RPERF_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}}" "$(command -v ruby || true)"
}

# Prints the Ruby that bin/setup has chosen.
stamped_ruby() { sed -n 2p "$fresh_stamp"; }

# Fails when something has to be set up or built.
setup_is_fresh() {
  local settings ruby
  [ -e "$root/lib/rperf/rperf.so" ] && [ -e "$fresh_stamp" ] || return 1
  { read -r settings && read -r ruby; } <"$fresh_stamp" || return 1
  [ "$settings" = "$(ruby_settings)" ] && [ -x "$ruby" ] || return 1
  # Directories count, too: they change when a file is added, removed or renamed.
  [ -z "$(find "$root/Cargo.toml" "$root/Cargo.lock" "$root/ext" "$root/bin/setup" "$root/script/setup" "$ruby" \
    -newer "$fresh_stamp" -print -quit)" ]
}

# Called before the sources are read: later changes count as changes after the set-up. The time is a
# second earlier, since the clock of file systems is a little behind: one check too many is better
# than one too few.
begin_freshness() { fresh_since=$(($(date +%s) - 1)); }

# note_freshness RUBY: notes that everything is in place. The stamp has the time of begin_freshness.
note_freshness() {
  local new=$fresh_stamp.$$
  printf '%s\n%s\n' "$(ruby_settings)" "$1" >"$new"
  touch -d "@$fresh_since" "$new"
  mv "$new" "$fresh_stamp"
}
