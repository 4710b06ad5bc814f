# The groups of bin/test, and how each runs. Sourced by bin/test, in the root of the checkout.
# shellcheck shell=bash

# Maximum seconds of one group. Only a group that hangs reaches it.
group_deadline=2400

# Groups that need no Ruby of their own.
native_groups=(fmt shell clippy cargo page)

# Order in which the groups begin. Short ones that fail often come first, then the longest ones, so
# that no long one is left alone at the end.
begin_order=(fmt shell house unit package e2e integration page cargo vm stress clippy)

# A directory below test/ with *_test.rb files is a group, too.
all_groups() {
  local group
  {
    printf '%s\n' "${begin_order[@]}"
    for group in test/*/; do basename "$group"; done
  } | awk '!seen[$0]++' | while read -r group; do
    if is_native "$group" || has_tests "$group"; then printf '%s\n' "$group"; fi
  done
}

is_native() { printf '%s\n' "${native_groups[@]}" | grep -xF -- "$1" >/dev/null; }

has_tests() { [ -n "$(find "test/$1" -name '*_test.rb' -print -quit 2>/dev/null)" ]; }

# parts_of GROUP...: splits e2e, which takes longest and mostly waits, into three side by side.
parts_of() { printf '%s\n' "$@" | sed 's/^e2e$/e2e-1\ne2e-2\ne2e-3/'; }

# Not `grep -q`: it would end before all_groups has written everything, which then fails.
group_exists() { all_groups | grep -xF -- "$1" >/dev/null; }

# run_side_by_side DIRECTORY JOBS GROUP...: runs JOBS groups at a time, and afterwards, alone, the
# groups that measure. Each leaves GROUP.log and GROUP.result in the directory.
run_side_by_side() {
  local directory=$1 jobs=$2 failed=0 group together=() alone=()
  shift 2
  for group in "$@"; do
    if [ "$group" = accuracy ] || [ $# -eq 1 ]; then alone+=("$group"); else together+=("$group"); fi
  done
  declare -A running=()
  for group in ${together[@]+"${together[@]}"}; do
    [ ${#running[@]} -lt "$jobs" ] || finish_group || failed=1
    run_group "$group" "$directory/$group.result" >"$directory/$group.log" 2>&1 &
    running[$!]=$group
  done
  while [ ${#running[@]} -gt 0 ]; do finish_group || failed=1; done
  for group in ${alone[@]+"${alone[@]}"}; do
    printf '\n== %s\n' "$group"
    run_group "$group" "$directory/$group.result" || failed=1
  done
  return "$failed"
}

# Waits for one group of `running`, of run_side_by_side, and prints its output.
finish_group() {
  local pid status=0
  wait -n -p pid "${!running[@]}" || status=$?
  printf '\n== %s\n' "${running[$pid]}"
  cat "$directory/${running[$pid]}.log"
  unset "running[$pid]"
  return "$status"
}

# Ends all groups that run: background jobs of a script get no SIGINT from the keyboard.
end_groups() {
  local pid
  for pid in $(jobs -p); do pkill -TERM -P "$pid"; done
}

# run_group GROUP RESULT: runs the group and writes its line of the summary to the file RESULT.
run_group() {
  local group=$1 started=$SECONDS cpu verdict=passed tally
  tally=$(mktemp)
  # Not in a substitution: a subshell has not waited for any program yet.
  times >"$tally.times"
  case $group in
    fmt | clippy | shell | cargo | page) "run_$group" "$tally" ;;
    *) run_ruby "$group" "$tally" ;;
  esac || verdict=FAILED
  times >>"$tally.times"
  # The second line of each is the CPU time of the programs that this shell has waited for, and of
  # their programs.
  cpu=$(awk -F '[ms ]+' 'NR % 2 == 0 { before = now; now = $1 * 60 + $2 + $3 * 60 + $4 } END { print int(now - before) }' "$tally.times")
  printf '%-7s %-11s %4d s  %4d s CPU  %s\n' "$verdict" "$group" $((SECONDS - started)) "$cpu" "$(cat "$tally")" >"$2"
  rm -f "$tally" "$tally.times"
  [ "$verdict" = passed ]
}

with_deadline() { timeout --kill-after=10 "$group_deadline" "$@"; }

run_fmt() { with_deadline cargo fmt --all --check && cargo fmt --manifest-path test/layouts/Cargo.toml --check; }

run_clippy() { with_deadline env RUBY="$RPERF_RUBY" cargo clippy --locked --workspace --all-targets -- -D warnings; }

# The shell files that git knows, by name or by their first line.
shell_files() {
  git ls-files -z --cached --others --exclude-standard |
    xargs -0 awk 'FNR == 1 { if (FILENAME ~ /\.sh$/ || /^#!.*(bash|[ \/]sh)$/) print FILENAME; nextfile }'
}

run_shell() {
  local files
  mapfile -t files < <(shell_files)
  [ ${#files[@]} -gt 0 ] || return 1
  printf '%d files' ${#files[@]} >"$1"
  with_deadline shellcheck --external-sources "${files[@]}"
}

# run_cargo TALLY [NAME]: tests the core crate (the default member), or only tests of this name, and
# compares what the binding crate assumes of the VM with the structures of each release of Ruby. The
# binding crate's own tests are Ruby tests. --workspace compiles nothing of it: it gives the core's
# dependencies the same features as in a build of the extension, so that both share them.
run_cargo() {
  local log status count layouts=(--manifest-path test/layouts/Cargo.toml --target-dir target/layouts)
  log=$(mktemp)
  {
    with_deadline cargo test --locked --workspace -- "${@:2}"
    status=$?
    with_deadline cargo test --locked "${layouts[@]}" -- "${@:2}" || status=1
    exit "$status"
  } 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count=$(awk '/^test result:/ { for (i = 1; i < NF; i++) if ($(i + 1) == "passed;") sum += $i } END { print sum + 0 }' "$log")
  printf '%d tests' "$count" >"$1"
  note_failures cargo '/^test .*FAILED$|^error/p' "$log"
  rm -f "$log"
  [ "$status" -eq 0 ] && [ "$count" -gt 0 ]
}

# note_failures GROUP PROGRAM LOG: notes the lines of the log that tell of a failure, as this
# program of sed prints them, for the end of bin/test.
note_failures() { sed -nE "$2" "$3" | sed "s/^/$1: /" >>"${RPERF_TEST_FAILURES:-/dev/null}"; }

# The page in the browser: lint, types, unit tests, and headless Chromium.
run_page() {
  local log status count
  log=$(mktemp)
  with_deadline npm --prefix page run --silent check 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count=$(awk '$1 == "ℹ" && $2 == "pass" { sum += $3 } END { print sum + 0 }' "$log")
  printf '%d tests' "$count" >"$1"
  # Node's runner passes when it finds no test, and when tests were skipped or put off.
  grep -qE '^ℹ (skipped|todo) [1-9]' "$log" && status=1
  # Node's runner prints at the end how each test failed.
  note_failures page '/^✖ failing tests:/,$p; /^✖ .* problem|: error TS/p' "$log"
  rm -f "$log"
  [ "$status" -eq 0 ] && [ "$count" -gt 0 ]
}

run_ruby() {
  RPERF_TEST_TALLY=$2 with_deadline "$RPERF_RUBY" -w -Ilib -Itest script/test/group.rb "$1"
}
