# The OpenTelemetry Collector to which the tests send profiles, built from Debian's packages of its
# sources (suite sid): 220 packages, 330 MB, two minutes, once. The cache keeps only the program.
# shellcheck shell=bash

# One program for each version of main.go: checkouts of different ages share the cache.
collector() { printf '%s/collector-%s' "$cache" "$(cksum <"$root/script/setup/collector/main.go" | cut -d ' ' -f 1)"; }

have_collector() { [ -x "$(collector)" ]; }

ensure_collector() { have_collector || with_cache_lock build_collector; }

build_collector() {
  have_collector && return
  have dpkg && have apt-get || fail "the Collector of the tests comes from Debian packages, and this system has no dpkg and apt-get: bin/setup --run does without it"
  local work=$cache/build-collector
  rm -rf "$work"
  mkdir -p "$work/debs" "$work/root" "$work/src"
  step "collector: package list" update_private "deb MIRROR sid main"
  : >"$work/installed"
  step "collector: download" in_directory "$work/debs" download_with_dependencies "$work/installed" golang-opentelemetry-collector-dev golang-go
  step "collector: unpack" unpack_debs "$work"
  cp "$root/script/setup/collector/main.go" "$work/src"
  step "collector: build" in_directory "$work" build_go_program "$work"
  mv "$work/program" "$(collector)"
  rm -rf "$work"
}

# download_with_dependencies STATUS PACKAGE...: downloads the packages and dependencies that are
# written in Go. STATUS is a file without packages, as if none were installed.
download_with_dependencies() {
  local status=$1 packages
  shift
  packages=$(apt_private -o Dir::State::status="$status" install --print-uris --yes --no-install-recommends "$@" |
    sed -n "s/^'[^']*' \(golang[^_]*\)_.*/\1/p") || return 1
  # shellcheck disable=SC2086
  apt_private download $packages
}

# Debian lays sources out as GOPATH had them before there were modules.
build_go_program() {
  local unpacked=$1/root goroot
  goroot=$(echo "$unpacked"/usr/lib/go-1.*)
  env GOROOT="$goroot" GO111MODULE=off GOPATH="$unpacked/usr/share/gocode" CGO_ENABLED=0 GOCACHE="$1/cache" GOTOOLCHAIN=local \
    "$goroot/bin/go" build -o program ./src
}
