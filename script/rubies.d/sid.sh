# Ruby 3.4.11 as Debian builds it (suite experimental). It needs the C library of Debian sid, so it
# and all programs that run with it are in a root directory of their own. Needs root's rights.
# shellcheck shell=bash

packages_for_sid=("debootstrap:have_command_debootstrap")
have_command_debootstrap() { have debootstrap; }

# Packages: from experimental, and from sid those that the extension's build and the tests need.
sid_ruby=(ruby3.4 ruby3.4-dev ruby-minitest)
sid_tools=(gcc make golang-go libc6-dev libclang-dev git ca-certificates locales-all)

ensure_sid() {
  [ -e "$home/root/.complete" ] && return
  [ "$(id -u)" -eq 0 ] || fail "script/rubies sid makes a root directory with debootstrap: run it as root"
  ensure_packages sid
  rm -rf "$home/root"
  step "rubies sid: debootstrap" nice -n 5 debootstrap --variant=minbase sid "$home/root" "$(debian_mirror)"
  printf 'deb %s experimental main\n' "$(debian_mirror)" >"$home/root/etc/apt/sources.list.d/experimental.list"
  step "rubies sid: packages" install_in_sid
  touch "$home/root/.complete"
}

install_in_sid() {
  chroot_sid apt-get -o Acquire::Check-Valid-Until=false update || return 1
  chroot_sid env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${sid_tools[@]}" || return 1
  chroot_sid env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -t experimental "${sid_ruby[@]}" || return 1
  # The programs of the tests call `ruby`, which is sid's own.
  chroot_sid ln -sf ruby3.4 /usr/bin/ruby
}

# chroot_sid COMMAND...: runs it there with the system's own file systems, mounted for this command
# only, and with the machine's name resolution.
chroot_sid() {
  cp /etc/resolv.conf /etc/hosts "$home/root/etc/"
  unshare --mount bash -c '
    set -e
    root=$1 checkout=$2 rust=$3 cargo=$4
    shift 4
    for directory in proc sys dev; do mount --rbind "/$directory" "$root/$directory"; done
    mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null || true
    mkdir -p "$root/checkout" "$root/rust" "$root/cargo"
    [ ! -d "$checkout" ] || mount --bind "$checkout" "$root/checkout"
    mount --bind "$rust" "$root/rust"
    mount --bind "$cargo" "$root/cargo"
    exec chroot "$root" "$@"' bash "$home/root" "$home/checkout" "$(rustc --print sysroot)" "${CARGO_HOME:-$HOME/.cargo}" "$@"
}

# in_sid COMMAND...: runs it in the copy of the checkout.
in_sid() {
  chroot_sid env -i HOME=/checkout PATH=/rust/bin:/usr/bin:/bin CARGO_HOME=/cargo LC_ALL=C.UTF-8 RPERF_RUBY=/usr/bin/ruby3.4 \
    RPERF_CACHE=/var/cache/rperf bash -c 'cd /checkout && exec "$@"' bash "$@"
}
