import { LABEL, type Counters, type Document, type Meta, type SideDocument, type Terms, type ThreadDocument } from "./document";
import { DocumentBuilder } from "./document_builder";
import { originOf } from "./origins";

/** Values of fields that a profile in JSON may leave out. */
const NO_META = { frequency: 0, start_time_ns: 0, duration_ns: 0, engine: "", rperf_version: "", ruby_version: "", comments: [] };
const NO_COUNTERS = { sampling_count: 0, sampling_time_ns: 0, trigger_count: 0, detected_thread_count: 0 };

/**
 * Keys of the labels that tell what was allocated, by mode. The first one that a sample has becomes
 * its leaf. See Mode::leaf_labels in state.rs.
 */
const LEAF_LABELS: Partial<Record<string, string[]>> = { alloc: ["class", "type"], heap: ["class", "type"] };

/** Units that follow from the keys of labels that are numbers. See LabelUnits in labels.rs. */
const INFERRED: Partial<Record<string, string>> = { alignment: "bytes", request: "bytes", bytes: "bytes", nanoseconds: "nanoseconds" };

interface ValueType {
  kind: string;
  unit: string;
}

interface JsonMeta extends Partial<Omit<Meta, "kind" | "unit" | "value_types" | "label_units" | "period" | "stat">> {
  mode: string;
  value_type?: ValueType | null;
  value_types?: ValueType[];
  label_units?: Record<string, string>;
  period?: (ValueType & { length: number }) | null;
  stat?: Record<string, unknown>;
}

/** A profile in rperf's JSON (docs/formats.md), with the fields that the page uses. */
export interface JsonProfile {
  meta: JsonMeta;
  counters?: Partial<Omit<Counters, "drops">> & { dropped?: Record<string, { samples: number; weight_ns: number }> };
  functions: { label: string; path: string; start_line?: number }[];
  locations: [number, number][];
  label_sets: Record<string, string | number>[];
  threads?: { thread_seq: number; name?: string; native_thread_id?: number; process?: number }[];
  processes?: { pid?: number; ppid?: number; command?: string }[];
  stacks: number[][];
  samples: [number, number, number, number, number][];
  values?: number[][];
}

/** Returns the document of a profile in rperf's JSON. Throws a RangeError if it is damaged. */
export function fromJson(profile: JsonProfile, title: string, terms: Terms): Document {
  const builder = new DocumentBuilder();
  const leaves = profile.label_sets.map((set) => leafOf(builder, profile.meta.mode, set));
  const functions = profile.functions.map(({ label, path, start_line = 0 }) => builder.function(label, path, start_line, originOf(path)));
  const locations = profile.locations.map(([fn, line]) => builder.location(at(functions, fn), amount(line)));
  const sets = profile.label_sets.map((set) => builder.labelSet(Object.entries(set).map(([key, value]): [string, string] => [key, String(value)])));
  const calls = profile.stacks.map((stack) => stack.reduceRight((caller, location) => builder.call(caller, at(locations, location)), 0));
  // A profile that was saved as it is shown already has the leaf.
  const withLeaf = (stack: number, set: number): number =>
    leaves[set] < 0 || locations[profile.stacks[stack]?.[0]] === leaves[set] ? at(calls, stack) : builder.call(at(calls, stack), leaves[set]);
  const { samples } = profile;
  const events = eventStacks(profile, terms);
  const side: SideDocument = {
    ...described(profile),
    samples: {
      node: samples.map(([stack, , , , set]) => withLeaf(stack, set)),
      weight: samples.map(([, weight]) => amount(weight)),
      count: samples.map(([stack, , count]) => (events.has(stack) ? 0 : amount(count))),
      thread: samples.map(([, , , thread]) => amount(thread)),
      label_set: samples.map(([, , , , set]) => at(sets, set)),
      values: columnsOf(profile),
    },
  };
  return builder.build(title, terms, side, null, []);
}

/** Returns the location that samples with these labels have at the leaf; -1: none. */
function leafOf(builder: DocumentBuilder, mode: string, labels: Record<string, string | number>): number {
  const key = LEAF_LABELS[mode]?.find((candidate) => candidate in labels);
  return key === undefined ? -1 : builder.location(builder.function(String(labels[key]), key, 0, LABEL), 0);
}

/** Returns the stacks of events: those whose leaf is the frame of a state. See profile/ticks.rs. */
function eventStacks({ functions, locations, stacks }: JsonProfile, { states }: Terms): Set<number> {
  const isState = functions.map(({ label, path }) => states.some((state) => state.label === label && state.path === path));
  return new Set(stacks.flatMap(([leaf], stack) => (stacks[stack].length > 0 && isState[locations[leaf][0]] ? [stack] : [])));
}

/** Returns the values of all samples, a column for each type. */
function columnsOf({ meta, samples, values }: JsonProfile): number[][] {
  if (!values) return [];
  return (meta.value_types ?? []).map((_, type) => samples.map((_, sample) => amount(at(values[sample] ?? [], type))));
}

/** Returns a row of a table. Throws a RangeError if the table has no such row. */
function at(rows: number[], index: number): number {
  if (index in rows) return rows[index];
  throw new RangeError(`there is no row ${index}`);
}

/** Returns a number. Throws a RangeError unless it is a whole number from 0 on. */
function amount(value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new RangeError(`${value} is no amount`);
}

function described(profile: JsonProfile): Omit<SideDocument, "samples"> {
  const { meta, counters } = profile;
  const { kind, unit } = meta.value_type ?? { kind: meta.mode, unit: "nanoseconds" };
  const drops = Object.entries(counters?.dropped ?? {});
  const valueTypes = (meta.value_types ?? [{ kind, unit }]).map((type): [string, string] => [type.kind, type.unit]);
  return {
    meta: {
      ...NO_META,
      ...meta,
      kind,
      unit,
      value_types: valueTypes,
      label_units: unitsOf(profile),
      period: meta.period ? [meta.period.kind, meta.period.unit, meta.period.length] : null,
      stat: Object.entries(meta.stat ?? {}),
    },
    threads: threadsOf(profile),
    processes: (profile.processes ?? []).map(({ pid = 0, ppid = 0, command = "" }) => ({ pid, ppid, command, title: `${command} (pid ${pid}, parent ${ppid})` })),
    counters: { ...NO_COUNTERS, ...counters, drops: drops.map(([cause, { samples, weight_ns }]): [string, number, number] => [cause, samples, weight_ns]) },
  };
}

/** Returns the units of labels: given ones first. */
function unitsOf({ meta, label_sets }: JsonProfile): [string, string][] {
  const numbers = label_sets.flatMap((set) => Object.keys(set).filter((key) => typeof set[key] === "number"));
  const inferred = [...new Set(numbers)].flatMap((key): [string, string][] => (INFERRED[key] === undefined ? [] : [[key, INFERRED[key]]]));
  return [...Object.entries(meta.label_units ?? {}), ...inferred];
}

/** Returns the threads, with the same titles as in rperf's own pages. */
function threadsOf({ threads = [], processes = [] }: JsonProfile): ThreadDocument[] {
  return threads.map(({ thread_seq: seq, name = "", native_thread_id: native_id = 0, process = null }) => {
    const pid = process !== null && processes.length > 1 ? processes[process]?.pid : undefined;
    return { seq, name, title: threadTitle(seq, name, pid), native_id, process };
  });
}

function threadTitle(seq: number, name: string, pid: number | undefined): string {
  const details = [...(name === "" ? [] : [`thread ${seq}`]), ...(pid === undefined ? [] : [`pid ${pid}`])];
  const base = name === "" ? `Thread ${seq}` : name;
  return details.length === 0 ? base : `${base} (${details.join(", ")})`;
}
