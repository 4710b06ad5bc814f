import assert from "node:assert/strict";
import { test } from "node:test";
import { ORIGINS } from "../../src/data/document";
import { originOf } from "../../src/data/origins";
import { Profile } from "../../src/data/profile";
import { madeDocument, madeProfile } from "../support/made_profile";

test("what kind of code a function is follows from its path", () => {
  const paths = ["app/a.rb", "/x/gems/rack-3.2.7/lib/rack.rb", "/x/lib/ruby/3.4.0/json.rb", "<internal:kernel>", "<C_method>", "/usr/lib/libc.so.6", "<GC>", "<GVL>"];
  const { functions } = madeProfile(paths.map((path) => ({ stack: `${path}|f`, weight: 1, labels: { job: "a" } })));
  const kinds = Array.from({ length: functions.size }, (_, fn) => functions.kind(fn));
  assert.deepEqual(kinds, ["app", "gem", "ruby", "ruby", "native", "native", "gc", "blocked", "label", "label"]);
});

test("the main program and required files have their path beside their name, blocks their line", () => {
  const document = madeDocument(["app.rb|<main>", "rack-3.1.0/lib/rack.rb|<top_(required)>", "app.rb|block_in_Shop#total", "app.rb|Shop#total"].map((stack) => ({ stack, weight: 1 })));
  document.strings = document.strings.map((text) => text.replaceAll("_", " "));
  document.functions.line = [1, 1, 3, 2];
  const { functions } = new Profile(document);
  assert.deepEqual([0, 1, 2, 3].map((fn) => functions.title(fn)), ["<main> app.rb", "<top (required)> rack-3.1.0/lib/rack.rb", "block in Shop#total:3", "Shop#total"]);
});

/** The paths of the tests of profile/roots.rs, whose rules are those of pages. */
const PATHS = {
  app: [
    "app.rb", "/srv/app/lib/ruby/tools.rb", "/srv/ruby/3.4.0/a.rb", "", "-e", "/srv/a.source/b.rb", "(eval at /srv/a.rb:3)",
    "/srv/app/bin/rails", "/usr/local/bin/worker", "/srv/app/releases/20261130/bin/rails", "/opt/shop/1.2.3/bin/shop", "/srv/app/vendor/bundle/ruby/3.4.0/bin/shop/run.rb",
  ],
  gem: [
    "/usr/local/bundle/gems/puma-6.6.0/lib/puma/server.rb", "/bundle/ruby/3.4.0/bundler/gems/rails-0a1b2c3d4e5f/activesupport/lib/active_support.rb", "/x/gems/nokogiri-1.16.0-x86_64-linux/lib/nokogiri/3.4/nokogiri.so",
    "/srv/app/vendor/bundle/ruby/3.4.0/bin/rails", "/opt/r/lib/ruby/gems/3.4.0/bin/rake", "/usr/local/bundle/bin/puma", "/opt/rbenv/versions/3.4.1/bin/rspec", "/opt/rvm/gems/ruby-3.4.1@shop/bin/rails", "/usr/local/bin/bundle", "/srv/app/bin/bundle",
  ],
  ruby: [
    "/usr/lib/ruby/3.4.0/set.rb", "/usr/lib/ruby/vendor_ruby/set.rb", "/opt/r/lib/ruby/site_ruby/3.4.0/set.rb", "<internal:/opt/r/lib/ruby/3.4.0/set.rb>", "<internal:array>", "/usr/lib/x86_64-linux-gnu/ruby/3.4.0/set.rb",
    "/usr/lib/aarch64-linux-gnu/ruby/vendor_ruby/3.4.0/set.rb", "/usr/share/ruby/set.rb", "/usr/lib64/ruby/set.rb", "/usr/share/rubygems/set.rb",
  ],
  native: ["<C method>", "<GC>", "/usr/lib/libz.so.1", "/x/own.so", "liba.dylib"],
};

test("the origin of code in a dropped profile is that of a page", () => {
  for (const [origin, paths] of Object.entries(PATHS)) {
    assert.deepEqual(paths.map((path) => [path, ORIGINS[originOf(path)]]), paths.map((path) => [path, origin]));
  }
});
