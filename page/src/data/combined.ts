import type { Document, IdleDocument, Quantity, SideDocument } from "./document";
import { DocumentBuilder } from "./document_builder";
import { type Named, Namesakes } from "./namesakes";
import { columnOfType, withUnit } from "./profile";

/**
 * Returns a document that compares the targets of two others by a quantity, which is the weight
 * then. Idle time can be left out if both know theirs by the same rule, and labels that rperf has
 * added are there if both have them. Throws an Error of one sentence if one of them does not
 * measure the quantity, or if only one of them was made without its idle time.
 */
export function combine(target: Document, base: Document, chosen: Quantity = target.target.meta): Document {
  const [one, other] = [target, base].map((document) => measured(document, chosen));
  if (one !== other) throw new Error(`'${target.title}' measures ${one}, '${base.title}' ${other}: they cannot be compared`);
  if ((target.folded === null) !== (base.folded === null)) {
    const [without, others] = base.folded === null ? [target, base] : [base, target];
    throw new Error(`'${without.title}' was made without the time in which threads waited for work, and '${others.title}' has it: make the page of the former with --idle`);
  }
  const builder = new DocumentBuilder();
  const names = namesOf(target);
  const added = target.added_labels.filter((key) => base.added_labels.includes(key));
  const after = sideOf(builder, target, names, added, chosen);
  const others = namesOf(base);
  const paths = new Namesakes(names).pathsOf(others);
  const before = sideOf(builder, base, others.map((named, fn) => ({ ...named, path: paths[fn] })), added, chosen);
  const files = new Set(target.sources.map(({ path }) => path));
  const sources = [...target.sources, ...base.sources.filter(({ path }) => !files.has(path))];
  const both = builder.build(`${target.title} compared with ${base.title}`, target, after, before, sources);
  return { ...both, added_labels: added, folded: target.folded === null ? null : "idle time is left out of both", idle: idleOfBoth(target.idle, base.idle) };
}

function idleOfBoth(target: IdleDocument | null, base: IdleDocument | null): IdleDocument | null {
  if (target === null || target.with_sleep !== base?.with_sleep) return null;
  return { ...target, fact: `before ${base.fact}, after ${target.fact}` };
}

function namesOf({ strings, functions: { label, path, origin } }: Document): Named[] {
  return label.map((name, fn) => ({ label: strings[name], path: strings[path[fn]], origin: origin[fn] }));
}

/** Returns what a document measures: the chosen quantity if it can, or else all that it has. */
function measured({ target }: Document, chosen: Quantity): string {
  const types = columnOf(target, chosen) ? [withUnit(chosen.kind, chosen.unit)] : target.meta.value_types.map((type) => withUnit(...type));
  return types.join(" and ");
}

/** Returns the values of a quantity, one for each sample; undefined: the side has none. */
function columnOf({ meta, samples }: SideDocument, { kind, unit }: Quantity): number[] | undefined {
  if (meta.kind === kind && meta.unit === unit) return samples.weight;
  return samples.values?.[columnOfType(meta, { kind, unit })];
}

/**
 * Returns the target of a document, with numbers of the builder's tables. `added`: keys of the
 * labels that stay of those that rperf has added.
 */
function sideOf(builder: DocumentBuilder, document: Document, names: Named[], added: string[], { kind, unit }: Quantity): SideDocument {
  const { strings, functions, locations, tree, target } = document;
  const dropped = document.added_labels.filter((key) => !added.includes(key));
  const functionIds = names.map(({ label, path, origin }, fn) => builder.function(label, path, functions.line[fn], origin));
  const locationIds = locations.function.map((fn, location) => builder.location(functionIds[fn], locations.line[location]));
  const labels = document.label_sets.map((set) => set.map(([key, value]): [string, string] => [strings[key], strings[value]]));
  const sets = labels.map((set) => builder.labelSet(set.filter(([key]) => !dropped.includes(key))));
  const calls = [0];
  const path = [0];
  tree.location.forEach((location, index) => {
    path.length -= tree.up[index];
    const call = builder.call(path[path.length - 1], locationIds[location]);
    calls.push(call);
    path.push(call);
  });
  const { meta, samples } = target;
  const weight = columnOf(target, { kind, unit })!;
  return { ...target, meta: { ...meta, kind, unit }, samples: { ...samples, weight, node: samples.node.map((node) => calls[node]), label_set: samples.label_set.map((set) => sets[set]) } };
}
