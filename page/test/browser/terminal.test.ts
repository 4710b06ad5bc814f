import assert from "node:assert/strict";
import { after, test } from "node:test";
import { byThread, sumOf } from "../../src/model/breakdown";
import { childrenOf } from "../../src/model/frame_tree";
import { labelRows } from "../../src/model/label_rows";
import { neighbours } from "../../src/model/neighbours";
import { TestBrowser } from "../support/browser";
import { figuresOf, rperf, sessionOf } from "../support/terminal";

const browser = new TestBrowser("usual", "pool", "objects", "heap");
after(() => browser.stop());

interface Weighed { name: string; weight: number }
interface Top { total: number; functions: { name: string; flat: number; cum: number }[] }
interface Method { methods: { flat: number; cum: number; callers: Weighed[]; callees: Weighed[] }[] }
interface Value { name: string | null; total: number; running: number }
interface By { values: Value[]; not_set: Value }
interface Source { files: { lines: { line: number; flat: number; cum: number }[] }[] }

const HEAP = new URL("../../../test/golden/foreign/go_heap.pb.gz", import.meta.url).pathname;

/** Page, fragment of the page, and the options by which the terminal counts the same samples. */
const CASES: [string, string, string[]][] = [
  ["usual", "", []],
  ["usual", "focus=parse&ignore=sum", ["--focus", "parse", "--ignore", "sum"]],
  ["usual", "tagFocus=endpoint%3D%252Fusers", ["--tagfocus", "endpoint=^/users$"]],
  ["usual", "tagIgnore=endpoint%3D%252Fusers", ["--tagignore", "endpoint=^/users$"]],
  ["usual", "thread=2", ["--tagfocus", "thread_seq=2"]],
  ["usual", "state=%5BGVL+blocked%5D", ["--focus", "^\\[GVL blocked\\]$"]],
  ["usual", "state=Running", ["--ignore", "^\\[(GVL|GC|CPU)"]],
  ["pool", "", []],
  ["pool", "idle=true", ["--idle"]],
  ["objects", "", []],
  ["objects", "value=alloc_objects", ["--sample-index", "alloc_objects"]],
  ["heap", "value=alloc_space", ["--sample-index", "alloc_space"]],
];

async function profileOf(page: string): Promise<string> {
  return page === "heap" ? HEAP : browser.file(page === "objects" ? "after.json" : `${page}.json`);
}

for (const [name, fragment, options] of CASES)
  test(`functions have the terminal's numbers: ${name} ${fragment}`, async () => {
    const html = await browser.file(`${name}.html`);
    const { profile: { functions }, functionWeights, selection } = await sessionOf(html, fragment);
    const top = await rperf<Top>("report", "--top", "--nodefraction", "0", ...options, await profileOf(name));
    if (!/focus|ignore|thread|state/i.test(fragment)) assert.equal(selection.targetTotal, top.total);
    const rows = [...functionWeights.entries()].filter(([, { total }]) => total > 0);
    // The terminal counts functions of equal names as one: their total is not the sum.
    const names = rows.map(([fn]) => functions.name(fn));
    const alike = new Set(names.filter((one, place) => names.indexOf(one) !== place));
    assert.ok(new Set(names).size > alike.size + 2);
    assert.deepEqual(figuresOf(rows, ([fn]) => functions.name(fn), ([, { self, total }]) => [self, total], alike), figuresOf(top.functions, (row) => row.name, ({ flat, cum }) => [flat, cum], alike));
    const { tree } = await sessionOf(html, `${fragment}&inverted=true`);
    const roots = [...childrenOf(tree, 0)];
    assert.deepEqual(figuresOf(roots, (frame) => functions.name(tree.function[frame]), (frame) => [tree.targetTotal[frame]], alike), figuresOf(top.functions, (row) => row.name, ({ flat }) => [flat], alike));
  });

for (const [name, fragment, options] of CASES.filter(([page]) => page === "usual" || page === "pool"))
  test(`labels and threads have the terminal's numbers: ${name} ${fragment}`, async () => {
    const { profile, selection } = await sessionOf(await browser.file(`${name}.html`), fragment);
    const path = await profileOf(name);
    const said = async (key: string): Promise<ReturnType<typeof figuresOf>> => {
      const { values, not_set } = await rperf<By>("report", "--by", key, ...options, path);
      return figuresOf([...values, not_set], (row) => row.name ?? "", ({ total, running }) => [total, running]);
    };
    if (!fragment.startsWith("tagIgnore")) assert.deepEqual(figuresOf(labelRows(profile, selection, "tenant"), (row) => row.value ?? "", ({ total, states }) => [total, states[0]]), await said("tenant"));
    const threads = byThread(profile, selection);
    assert.deepEqual(figuresOf(threads, ([thread]) => profile.functions.threadName(thread), ([, states]) => [sumOf(states.values(), "target"), states.get(0)?.target ?? 0]), await said("thread"));
  });

for (const [name, fragment, options] of [["usual", "", []], ["usual", "tagFocus=wait%3Dsleep", ["--tagfocus", "wait=^sleep$"]], ["pool", "", []], ["pool", "idle=true", ["--idle"]]] as const)
  test(`what threads waited for has the terminal's numbers: ${name} ${fragment}`, async () => {
    const { profile, selection } = await sessionOf(await browser.file(`${name}.html`), fragment);
    const { values, not_set } = await rperf<By>("report", "--by", "wait", ...options, await profileOf(name));
    const waits = figuresOf(labelRows(profile, selection, "wait"), (row) => row.value ?? "", ({ total, states }) => [total, states[0]]);
    assert.ok(waits["sleep"][0] > 0);
    assert.deepEqual(waits, figuresOf([...values, not_set], (row) => row.name ?? "", ({ total, running }) => [total, running]));
  });

test("methods, their lines, callers and callees have the terminal's numbers", async () => {
  for (const [name, file, method] of [["usual", "workload.rb", "Workload.serve"], ["objects", "keeping.rb", "Keeping::Shop#serve"]]) {
    const { profile, selection, codeWeights, lineWeights } = await sessionOf(await browser.file(`${name}.html`), "");
    const path = await profileOf(name);
    const { files: [{ lines }] } = await rperf<Source>("report", "--source", file, path);
    const own = [...profile.tree.lines.entries()].filter(([, line]) => line.path.endsWith(file) && line.number > 0);
    assert.deepEqual(figuresOf(own, ([, { number }]) => String(number), ([line]) => [lineWeights[line].self, lineWeights[line].total]), figuresOf(lines, ({ line }) => String(line), ({ flat, cum }) => [flat, cum]));
    const { methods: [it] } = await rperf<Method>("report", "--method", method, path);
    const fn = profile.functions.labels.indexOf(method);
    assert.deepEqual([codeWeights[fn].self, codeWeights[fn].total], [it.flat, it.cum]);
    const { callers, callees } = neighbours(profile, selection, fn);
    for (const [calls, expected] of [[callers, it.callers], [callees, it.callees]] as const) {
      const code = [...calls].filter(([fn]) => profile.functions.kind(fn) !== "label"); // The classes of objects are no methods.
      assert.deepEqual(figuresOf(code, ([fn]) => profile.functions.name(fn), ([, { total }]) => [total]), figuresOf(expected, (row) => row.name, ({ weight }) => [weight]));
    }
  }
});
