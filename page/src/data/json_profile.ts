import type { Counters, Document, Meta, SideDocument } from "./document";
import { DocumentBuilder } from "./document_builder";
import { originOf } from "./origins";

/** What a profile in JSON may leave out. */
const NO_META = { frequency: 0, start_time_ns: 0, duration_ns: 0, engine: "", rperf_version: "", ruby_version: "", comments: [] };
const NO_COUNTERS = { sampling_count: 0, sampling_time_ns: 0, trigger_count: 0, detected_thread_count: 0 };

/** A profile in rperf's JSON (docs/formats.md), as far as the page uses it. */
export interface JsonProfile {
  meta: Partial<Omit<Meta, "kind" | "unit" | "stat">> & { mode: string; value_type?: { kind: string; unit: string } | null; stat?: Record<string, unknown> };
  counters?: Partial<Omit<Counters, "drops">> & { dropped?: Record<string, { samples: number; weight_ns: number }> };
  functions: { label: string; path: string; start_line?: number }[];
  locations: [number, number][];
  label_sets: Record<string, string | number>[];
  stacks: number[][];
  samples: [number, number, number, number, number][];
}

/** The document of a profile in rperf's JSON. */
export function fromJson(profile: JsonProfile, title: string, states: Document["states"]): Document {
  const builder = new DocumentBuilder();
  const functions = profile.functions.map(({ label, path, start_line = 0 }) => builder.function(label, path, start_line, originOf(path)));
  const locations = profile.locations.map(([fn, line]) => builder.location(at(functions, fn), line));
  const sets = profile.label_sets.map((set) => builder.labelSet(Object.entries(set).map(([key, value]): [string, string] => [key, String(value)])));
  const calls = profile.stacks.map((stack) => stack.reduceRight((caller, location) => builder.call(caller, at(locations, location)), 0));
  const { samples } = profile;
  const side: SideDocument = {
    ...described(profile),
    samples: {
      node: samples.map(([stack]) => at(calls, stack)),
      weight: samples.map(([, weight]) => weight),
      count: samples.map(([, , count]) => count),
      thread: samples.map(([, , , thread]) => thread),
      label_set: samples.map(([, , , , set]) => at(sets, set)),
    },
  };
  return builder.build(title, states, side, null, []);
}

/** Throws a RangeError where a table has no such row. */
function at(rows: number[], index: number): number {
  if (index in rows) return rows[index];
  throw new RangeError(`there is no row ${index}`);
}

function described({ meta, counters }: JsonProfile): Omit<SideDocument, "samples"> {
  const { kind, unit } = meta.value_type ?? { kind: meta.mode, unit: "nanoseconds" };
  const drops = Object.entries(counters?.dropped ?? {});
  return {
    meta: { ...NO_META, ...meta, kind, unit, stat: Object.entries(meta.stat ?? {}) },
    counters: { ...NO_COUNTERS, ...counters, drops: drops.map(([cause, { samples, weight_ns }]): [string, number, number] => [cause, samples, weight_ns]) },
  };
}
