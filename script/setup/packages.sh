# System packages, from the machine's own apt configuration. On other systems the user gets a list
# of the missing ones.
# shellcheck shell=bash

# package:probe - a package is wanted when its probe fails.
packages_for_run=(
  "gcc:have_command_gcc"
  "libc6-dev:have_header_stdio"
  "libclang-dev:have_libclang"
)
packages_for_ruby=(
  "make:have_command_make"
  "zlib1g-dev:have_header_zlib"
  "libssl-dev:have_header_openssl"
  "libyaml-dev:have_header_yaml"
  "libffi-dev:have_header_ffi"
  "xz-utils:have_command_xz"
)
packages_for_test=(
  "chromium:have_command_chromium"
  "git:have_command_git"
  "golang-go:have_command_go"
  "nginx-light:have_command_nginx"
  "nodejs:have_command_node"
  "npm:have_command_npm"
  "prometheus:have_command_promtool"
  "redis-server:have_command_redis"
  "shellcheck:have_command_shellcheck"
  "graphviz:have_command_dot"
  "libjemalloc2:have_library_jemalloc"
  "valgrind:have_command_callgrind_annotate"
)
packages_for_page=("chromium-headless-shell:have_command_headless_shell")
packages_for_platforms=(
  "musl-tools:have_command_musl_gcc"
  "qemu-user:have_command_qemu_aarch64"
)
packages_for_puma=(
  "gcc:have_command_gcc"
  "make:have_command_make"
)
packages_for_nokogiri=(
  "make:have_command_make"
  "pkg-config:have_command_pkg_config"
  "libxml2-dev:have_pkg_libxml2"
  "libxslt1-dev:have_pkg_libxslt"
)

have_command_gcc() { have gcc; }
have_command_pkg_config() { have pkg-config; }
have_command_make() { have make; }
have_command_xz() { have xz; }
have_command_chromium() { have chromium || have chromium-browser || [ -n "${RPERF_CHROMIUM:-}" ]; }
have_command_headless_shell() { have chromium-headless-shell || [ -n "${RPERF_CHROMIUM:-}" ]; }
have_command_musl_gcc() { have musl-gcc; }
have_command_qemu_aarch64() { have qemu-aarch64; }
have_command_git() { have git; }
have_command_go() { have go; }
have_command_nginx() { have nginx || [ -x /usr/sbin/nginx ]; }
have_command_node() { have node; }
have_command_npm() { have npm; }
have_command_promtool() { have promtool && have prometheus; }
have_command_redis() { have redis-server; }
have_command_shellcheck() { have shellcheck; }
have_command_dot() { have dot; }
have_command_callgrind_annotate() { have callgrind_annotate; }
have_library_jemalloc() { compgen -G '/usr/lib/*/libjemalloc.so.2' >/dev/null || compgen -G '/usr/lib*/libjemalloc.so.2' >/dev/null; }
have_header() { printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; }
have_header_stdio() { have_header stdio.h; }
have_header_zlib() { have_header zlib.h; }
have_header_openssl() { have_header openssl/ssl.h; }
have_header_yaml() { have_header yaml.h; }
have_header_ffi() { have_header ffi.h; }
# libxml2's headers are not on the compiler's own path, which pkg-config knows.
have_pkg_libxml2() { have pkg-config && pkg-config --exists libxml-2.0; }
have_pkg_libxslt() { have pkg-config && pkg-config --exists libxslt; }
# bindgen loads libclang.so at build time and needs clang's own headers.
have_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] && return 0
  compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null || compgen -G '/usr/lib/*/libclang*.so*' | grep -v 'libclang-cpp' >/dev/null
}

# Tries once to install the Chromium without a window. Otherwise the page's tests use the other.
ensure_headless_shell() {
  [ ! -e "$cache/no-headless-shell" ] || return 0
  (ensure_packages page) || touch "$cache/no-headless-shell"
}

# ensure_packages run|ruby|test|platforms|nokogiri|puma...: installs missing packages of the groups.
ensure_packages() {
  local group entry missing=()
  for group in "$@"; do
    local -n entries="packages_for_$group"
    for entry in "${entries[@]}"; do
      "${entry#*:}" || missing+=("${entry%%:*}")
    done
  done
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

install_packages() {
  local as_root=()
  have apt-get || fail "missing: $*; there is no apt-get on this system: install them with its own package manager"
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || fail "missing packages: $*; run 'apt-get install $*' as root, then bin/setup again"
    as_root=(sudo -n)
  fi
  if ! "${as_root[@]}" apt-get install --simulate "$@" >/dev/null 2>&1; then
    step "package lists" "${as_root[@]}" apt-get update
  fi
  step "packages $*" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

# The machine's Debian mirror, from its own apt configuration (bin/setup names no host).
debian_mirror() {
  local codename mirror
  have apt-get || fail "there is no apt-get on this system: install a Ruby >= 3.4 and set RPERF_RUBY to it"
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v codename="$codename" '$2 == codename && $3 == "main" { print $1; exit }')
  [ -n "$mirror" ] || fail "apt's configuration names no Debian mirror for '$codename' main: install a Ruby >= 3.4 and set RPERF_RUBY to it"
  printf '%s' "$mirror"
}

# apt_private ARGS...: runs apt-get on suites that the machine itself does not use (sid,
# experimental), with lists and a cache of our own, so the machine's package state stays as it is.
# The signatures of the lists are checked. Their age is not: a mirror that is a frozen snapshot
# serves expired lists, and only pinned versions and gems for tests are taken from them.
apt_private() {
  local state=$cache/apt
  mkdir -p "$state/lists/partial" "$state/archives/partial"
  apt-get -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" \
    -o APT::Sandbox::User="$(id -un)" -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none \
    -o Acquire::Retries=3 \
    -o Acquire::Check-Valid-Until=false "$@"
}

# update_private LINE...: writes the private sources list (MIRROR stands for the mirror) and fetches
# it.
update_private() {
  local mirror
  mirror=$(debian_mirror)
  mkdir -p "$cache/apt"
  printf '%s\n' "${@//MIRROR/$mirror}" >"$cache/apt/sources.list"
  # apt itself only warns when a list cannot be fetched.
  apt_private -o APT::Update::Error-Mode=any update
}

# unpack_debs WORK: unpacks the packages in WORK/debs into WORK/root.
unpack_debs() {
  local package
  for package in "$1"/debs/*.deb; do
    dpkg -x "$package" "$1/root" || return 1
  done
}
