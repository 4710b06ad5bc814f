# npm packages with which the browser page is built and tested, at the versions of its lock file.
# shellcheck shell=bash

node_modules=${root:?}/page/node_modules

ensure_node_modules() { have_node_modules || with_lock "$root/lib/rperf/.setup.lock" install_node_modules; }

# The stamp has the lock file that was installed, and the Node: esbuild is a program for one
# platform.
have_node_modules() { [ -d "$node_modules" ] && [ "$(node_inputs)" = "$(cat "$node_modules/.complete" 2>/dev/null)" ]; }

node_inputs() {
  node --version
  node -p 'process.platform + " " + process.arch'
  cat "$root/page/package.json" "$root/page/package-lock.json" | sha256sum
}

install_node_modules() {
  have_node_modules && return
  local inputs
  inputs=$(node_inputs)
  step "page: npm packages" in_directory "$root/page" npm ci
  printf '%s\n' "$inputs" >"$node_modules/.complete"
}
