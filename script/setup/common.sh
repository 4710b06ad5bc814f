# Shared by the parts of bin/setup: messages, the cache directory, one setup at a time. Messages go
# to stderr: stdout belongs to --env.
# shellcheck shell=bash

cache=${RPERF_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or RPERF_CACHE}/.cache}/rperf}
logs=$cache/logs

say() { printf '[setup] %s\n' "$*" >&2; }

fail() {
  printf '[setup] error: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# in_directory DIRECTORY COMMAND...: runs the command in the directory.
in_directory() { (cd "$1" && shift && "$@"); }

# ensure_cache: makes the cache, since the first step may come before the first lock.
ensure_cache() {
  mkdir -p "$cache" "$logs" 2>/dev/null || fail "cannot write to $cache: set RPERF_CACHE to a directory that you may write to"
}

# with_lock FILE COMMAND...: runs the command under the lock, since two setups that build the same
# would spoil it. The second one waits, then checks again what is left to do. A check takes no lock.
with_lock() {
  ensure_cache
  { exec 9>"$1"; } 2>/dev/null || fail "cannot write to $1: bin/setup needs to write there"
  shift
  if have flock && ! flock -n 9; then
    say "waiting for another setup to finish"
    flock 9
  fi
  "$@"
  exec 9>&-
}

# Lock for the parts that all checkouts share: the Ruby, the gems.
with_cache_lock() { with_lock "$cache/setup.lock" "$@"; }

# step NAME COMMAND...: runs a long command, keeps its output in a log, and shows the log's end when
# it fails.
step() {
  local name=$1 log started
  shift
  ensure_cache
  log=$logs/${name//[^a-z0-9]/-}.log
  started=$SECONDS
  say "$name ..."
  if "$@" >"$log" 2>&1 9>&- </dev/null; then
    say "$name: done in $((SECONDS - started)) s"
  else
    tail -n 15 "$log" >&2
    fail "$name failed (above: the end of $log)$(failure_hint "$log")"
  fi
}

failure_hint() {
  if grep -qiE 'no space left|enough free space|disk quota exceeded' "$1"; then
    printf '; the disk is full: free some space, or set RPERF_CACHE to another disk'
  elif grep -qiE 'could not resolve|temporary failure resolving|network is unreachable|connection (refused|timed out)|unable to connect|could not connect' "$1"; then
    printf '; the network or the mirror cannot be reached: check the connection and run bin/setup again'
  elif grep -qiE 'permission denied|are you root|a password is required' "$1"; then
    printf '; rights are missing: run bin/setup as root, or install the packages that it names yourself'
  fi
}
