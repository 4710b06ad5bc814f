# Runs of one test file, or one Rust test, for bin/test. Sourced by bin/test, after groups.sh, in
# the root of the checkout.
# shellcheck shell=bash

# names_one ARGUMENT...: whether the arguments of bin/test name one file or one Rust test, or try
# to. `cargo unit` are two groups.
names_one() {
  local argument
  [ "${1-}" != cargo ] || [ $# -ne 2 ] || group_exists "$2" || return 0
  for argument; do
    case $argument in -* | */* | *.*) return 0 ;; esac
  done
  return 1
}

# read_one DIRECTORY ARGUMENT...: sets `one` to the arguments of run_one. FILE is relative to the
# directory, or to the root.
read_one() {
  local from=$1 file kind
  shift
  if [ "$1" = cargo ] && [ $# -eq 2 ] && [[ $2 != -* ]]; then
    one=(cargo "$2")
    return
  fi
  case $1 in
    -*) one_error "unknown option '$1': use bin/test FILE -n NAME, or bin/test cargo NAME" || return ;;
    cargo) one_error "'${*:2}' is not the name of one Rust test: use bin/test cargo NAME" || return ;;
  esac
  ! group_exists "$1" || one_error "'${*:2}' after the group '$1': a file runs by itself: use bin/test FILE [-n NAME]" || return
  file=$(cd "$from" && realpath --relative-to="$OLDPWD" -- "$1" 2>/dev/null)
  [ -f "$file" ] || file=$1
  [ -f "$file" ] || one_error "there is no file '$1': use the path of a test file, or a group: $(all_groups | paste -sd ' ')" || return
  case $file in
    test/*/*_test.rb) kind=ruby ;;
    page/test/*.test.ts) kind=page ;;
    *) one_error "'$1' is no test file: use test/GROUP/..._test.rb or page/test/....test.ts" || return ;;
  esac
  one=("$kind" "$file")
  case $# in
    1) return ;;
    2) [ "$2" != -n ] || one_error "-n needs the name of a test: use bin/test FILE -n NAME" || return ;;
    3) [ "$2" = -n ] && [ -n "$3" ] && one+=("$3") && return ;;
  esac
  one_error "'${*:2}' after a file: use bin/test FILE -n NAME, one file at a time"
}

one_error() {
  printf '%s\n' "$1" >&2
  return 1
}

# run_one KIND FILE|NAME [NAME]: runs the test that read_one has read.
run_one() {
  case $1 in
    cargo) run_one_cargo "$2" ;;
    page) run_one_page "${2#page/}" "${3-}" ;;
    ruby) "$RPERF_RUBY" -w -Ilib -Itest script/test/group.rb "$2" ${3:+-n "$3"} ;;
  esac
}

run_one_cargo() {
  local tally status=0
  tally=$(mktemp)
  run_cargo "$tally" "$1" || status=1
  [ "$(cat "$tally")" != "0 tests" ] || printf "no Rust test ran that has '%s' in its path\n" "$1" >&2
  rm -f "$tally"
  return "$status"
}

# Node's runner counts tests that the name leaves out as skipped.
run_one_page() {
  local log status
  log=$(mktemp)
  (cd page && node_modules/.bin/tsx --test --test-reporter=spec ${2:+--test-name-pattern="$2"} "$1") | tee "$log"
  status=${PIPESTATUS[0]}
  grep -qE '^ℹ (pass|fail) [1-9]' "$log" || { printf "no test ran of page/%s\n" "$1${2:+ that is called '$2'}" >&2 && status=1; }
  rm -f "$log"
  return "$status"
}
