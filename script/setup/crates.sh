# Crates of other projects as cargo has compiled them, which takes minutes: the cache keeps them for
# the next checkout. Our own crates stay with their checkout, since cargo knows them by its path.
# shellcheck shell=bash

own_crates=(rperf rperf-core rperf_core rperf-layouts rperf-workloads rperf_workloads)

# Files that determine the versions and how they are compiled, also for platforms.
crate_inputs=(Cargo.toml Cargo.lock test/layouts/Cargo.lock bench/workloads/Cargo.toml bench/workloads/Cargo.lock script/native/library.rb test/package/installed_gem.rb)

# Directory of the crates that this compiler has compiled from these files.
kept_crates() {
  printf '%s/crates-%s\n' "$cache" "$( (cd "$root" && rustc -vV && cat "${crate_inputs[@]}") | sha256sum | cut -c1-16)"
}

# take_crates: copies the crates of each profile with which this checkout has compiled nothing yet.
take_crates() {
  local kept
  [ -z "${CARGO_TARGET_DIR:-}" ] || return 0
  kept=$(kept_crates)
  [ ! -d "$kept" ] || with_cache_lock copy_profiles "$kept" "$root/target"
}

# keep_crates: keeps the crates of each profile that is not kept yet, and none of other versions.
keep_crates() {
  local kept
  [ -z "${CARGO_TARGET_DIR:-}" ] || return 0
  kept=$(kept_crates)
  with_cache_lock find "$cache" -maxdepth 1 -name 'crates-*' ! -path "$kept" -exec rm -rf {} +
  with_cache_lock copy_profiles "$root/target" "$kept" forget_own_crates
}

# copy_profiles FROM TO [COMMAND]: copies what cargo has compiled with each profile.
copy_profiles() {
  local profile
  find "$1" -name .fingerprint -prune -printf '%P\n' | while read -r profile; do
    profile=${profile%/.fingerprint}
    copy_compiled "$1/$profile" "$2/$profile" "${@:3}"
  done
}

# copy_compiled FROM TO [COMMAND]: copies a directory, unless the copy exists. COMMAND changes the
# copy before it gets its name.
copy_compiled() {
  [ ! -e "$2" ] || return 0
  mkdir -p "${2%/*}"
  rm -rf "$2.new"
  # Cargo compares the times of files, so they are kept.
  cp -a "$1" "$2.new"
  ${3:+"$3" "$2.new"}
  mv "$2.new" "$2"
}

forget_own_crates() {
  local crate
  # Linked files go, too.
  find "$1" -maxdepth 1 -type f -delete
  find "$1/deps" -type f ! -name 'lib*-*' ! -name '*.d' -delete
  rm -rf "$1/incremental"
  for crate in "${own_crates[@]}"; do
    rm -rf "$1"/{.fingerprint,build}/"$crate"-[0-9a-f]* "$1"/deps/{,lib}"$crate"-[0-9a-f]*
  done
}
