// Profiles in which other groups of time stand for functions, so that chance judges their changes.

import { CallTree, noCalls } from "../data/call_tree";
import { FunctionTable } from "../data/function_table";
import type { Profile, Samples } from "../data/profile";
import { stateOf } from "../model/states";
import { valuesOf } from "../model/label_rows";
import type { Selection } from "../model/selection";
import { Chance } from "./chance";

/**
 * Returns the margin of each value of a label, null included: the maximum size of a change by
 * chance alone. null without a comparison. Stacks are of two frames, the value and the state of the
 * thread, as in by_change.rs.
 */
export function labelMargins(profile: Profile, selection: Selection, key: string): Map<string | null, number> | null {
  if (!profile.base) return null;
  const valueOf = valuesOf(profile, key);
  const values = [...new Set(valueOf)];
  const numbers = new Map(values.map((value, number) => [value, number]));
  const valueNumbers = valueOf.map((value) => numbers.get(value)!);
  const states = profile.functions.stateNames.length;
  // A value's node, and one below it for each state.
  const columns = noCalls(1 + values.length * (1 + states));
  for (let node = 1; node < columns.parent.length; node++) {
    const state = (node - 1) % (1 + states);
    columns.parent[node] = state === 0 ? 0 : node - state;
    columns.function[node] = state === 0 ? (node - 1) / (1 + states) : values.length + state - 1;
    columns.line[node] = 0;
  }
  const place = (samples: Samples, sample: number): number => 1 + valueNumbers[samples.labelSet[sample]] * (1 + states) + stateOf(profile, samples, sample);
  const functions = groupTable(profile, values.map((value) => [value ?? "", "<value>"]));
  const grouped = profile.regrouped(functions, new CallTree(columns, [{ path: "", number: 0 }]), place);
  const chance = Chance.of(grouped, selection);
  return chance && new Map(values.map((value, number) => [value, chance.margin(number, "total")]));
}

/** Returns the margin of each source line's total, by its number; null without a comparison. */
export function lineMargins(profile: Profile, selection: Selection): number[] | null {
  if (!profile.base) return null;
  const { functions, tree } = profile;
  const group = tree.function.map((fn, node) => (fn < 0 || functions.states[fn] === 0 ? tree.line[node] : tree.lines.length + functions.states[fn] - 1));
  const table = groupTable(profile, tree.lines.map(({ path, number }) => [String(number), path]));
  const grouped = profile.regrouped(table, new CallTree({ parent: tree.parent, function: group, line: tree.line }, tree.lines), ({ node }, sample) => node[sample]);
  const chance = Chance.of(grouped, selection);
  return chance && tree.lines.map((_, line) => chance.margin(line, "total"));
}

/** Returns a table of groups, each with its name and path, and of the states after them. */
function groupTable({ functions, labels, states }: Profile, groups: [string, string][]): FunctionTable {
  const names = [...groups, ...states.map(({ label, path }): [string, string] => [label, path])];
  const strings = names.flat();
  const numbers = names.map((_, number) => number * 2);
  const columns = { label: numbers, path: numbers.map((number) => number + 1), line: numbers.map(() => 0), origin: numbers.map(() => 0) };
  return new FunctionTable({ strings, functions: columns, states }, labels, functions.threads);
}
