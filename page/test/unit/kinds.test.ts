import assert from "node:assert/strict";
import { test } from "node:test";
import { madeProfile } from "../support/made_profile";

test("what kind of code a function is follows from its path", () => {
  const paths = ["app/a.rb", "/x/gems/rack-3.2.7/lib/rack.rb", "/x/lib/ruby/3.4.0/json.rb", "<internal:kernel>", "<C_method>", "/usr/lib/libc.so.6", "<GC>", "<GVL>"];
  const { functions } = madeProfile(paths.map((path) => ({ stack: `${path}|f`, weight: 1, labels: { job: "a" } })));
  const kinds = Array.from({ length: functions.size }, (_, fn) => functions.kind(fn));
  assert.deepEqual(kinds, ["app", "gem", "ruby", "ruby", "native", "native", "gc", "blocked", "label", "label"]);
});
