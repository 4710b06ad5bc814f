# Gems that the tests use, from Debian's packages, unpacked into a directory of our own.
# Ruby's bundled gems (rake, minitest) need nothing.
# shellcheck shell=bash

gems=$cache/gems

gem_path() { printf '%s' "$("$ruby" -e 'print Gem.dir')"; }

ensure_gems() { :; }
