# Gems that the tests use, from Debian's packages (suite sid), unpacked into a directory of our own:
# the system's Ruby and packages stay as they are. Ruby's bundled gems (rake, minitest, ...) need
# nothing.
# shellcheck shell=bash

gems=$cache/gems
debian_gems=$gems/usr/share/rubygems-integration/all

# Architecture-independent packages only: Debian's compiled gems are for another Ruby.
gem_packages=(
  # Rack, servers, Sinatra, Roda
  ruby-rack ruby-rackup ruby-webrick ruby-rack-test ruby-rack-session ruby-base64
  ruby-sinatra ruby-rack-protection ruby-mustermann ruby-tilt ruby-ruby2-keywords ruby-roda
  # ActiveJob
  ruby-activesupport ruby-activejob ruby-concurrent ruby-connection-pool ruby-i18n ruby-tzinfo ruby-globalid
  # Sidekiq
  ruby-sidekiq ruby-redis-client
  # RSpec
  ruby-rspec-core ruby-rspec-expectations ruby-rspec-support ruby-diff-lcs
  # Rails
  ruby-rails ruby-railties ruby-actionpack ruby-actionview ruby-activemodel ruby-activerecord
  ruby-builder ruby-crass ruby-erubi ruby-loofah ruby-method-source ruby-mini-portile2 ruby-pkg-config
  ruby-rails-dom-testing ruby-rails-html-sanitizer ruby-thor ruby-useragent ruby-zeitwerk
)

# GEM_PATH for the tests: these gems, then the ones of Ruby itself.
gem_path() { printf '%s:%s:%s' "$debian_gems" "$(compiled_gems)" "$("$ruby" -e 'print Gem.dir')"; }

ensure_gems() {
  have_debian_gems || with_cache_lock fetch_debian_gems
  have_nokogiri || with_cache_lock build_nokogiri
  have_puma || with_cache_lock build_puma
}

# The stamp has the packages that were wanted when it was written.
have_debian_gems() { [ "${gem_packages[*]}" = "$(cat "$gems/.complete" 2>/dev/null)" ]; }

fetch_debian_gems() {
  have_debian_gems && return
  have dpkg && have apt-get || fail "the gems of the tests come from Debian packages, and this system has no dpkg and apt-get: bin/setup --run does without them"
  local work=$cache/build-gems
  rm -rf "$work"
  mkdir -p "$work/debs" "$work/root"
  step "gems: package list" update_private "deb MIRROR sid main"
  step "gems: download" in_directory "$work/debs" apt_private download "${gem_packages[@]}"
  step "gems: unpack" unpack_gems "$work"
  printf '%s\n' "${gem_packages[*]}" >"$work/root/.complete"
  rm -rf "$gems"
  mv "$work/root" "$gems"
  rm -rf "$work"
}

unpack_gems() {
  unpack_debs "$1" || return 1
  link_bare_specifications "$1/root/usr/share/rubygems-integration/all"
}

# Some packages put their files into vendor_ruby and have only a gemspec, whereas RubyGems looks in
# gems/NAME/lib.
link_bare_specifications() {
  local specification name
  for specification in "$1"/specifications/*.gemspec; do
    name=$(basename "$specification" .gemspec)
    [ -d "$1/gems/$name" ] && continue
    mkdir "$1/gems/$name" && ln -s ../../../../../lib/ruby/vendor_ruby "$1/gems/$name/lib" || return 1
  done
}
