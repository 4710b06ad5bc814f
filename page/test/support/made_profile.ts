// Small profiles for unit tests, made without rperf.

import type { Document, SideDocument } from "../../src/data/document";
import { originOf } from "../../src/data/origins";
import { Profile } from "../../src/data/profile";

/** The terms of this version (page/chance.rs), which pages get from rperf. */
export const CHANCE_TERMS = { confidence: 0.95, speed: 2, time_part: 0.1, unevenness: 0.12, speed_part: 0.5, least_ticks: 4, tick_ns: 1e6, no_kind: "time", states: 0.2, moved: 0.5, instruction_path: "<specialized instruction>", waiting_methods: [["Thread::Mutex#lock"], ["Kernel#sleep"]] satisfies [string[], string[]] };

export interface MadeSample {
  /** Frames, root to leaf: "name" or "name:line" with the path "app.rb", or "path|name:line". */
  stack: string;
  weight: number;
  thread?: number;
  labels?: Record<string, string>;
  /** Moment of the sample. It counts if all samples of the profile have one. */
  moment?: number;
}

/** Returns a profile of these samples, compared with other samples if there is a base. */
export function madeProfile(target: MadeSample[], options: { base?: MadeSample[] } = {}): Profile {
  return new Profile(madeDocument(target, options));
}

export function madeDocument(target: MadeSample[], options: { base?: MadeSample[] } = {}): Document {
  const tables = new Tables();
  const targetSide = tables.side(target);
  const baseSide = options.base ? tables.side(options.base) : null;
  return tables.document(targetSide, baseSide);
}

class Tables {
  private readonly strings: string[] = [];
  private readonly functions: Document["functions"] = { label: [], path: [], line: [], origin: [] };
  private readonly functionNames: string[] = [];
  private readonly locationNames: string[] = [];
  private readonly locations: { function: number[]; line: number[] } = { function: [], line: [] };
  private readonly labelSets: [number, number][][] = [[]];
  /** Root of a tree of locations. At the end the tree is listed depth first. */
  private readonly root: Branch = { location: -1, children: [], number: 0 };

  side(samples: MadeSample[]): { samples: MadeSample[]; branches: Branch[] } {
    return { samples, branches: samples.map((sample) => this.branch(sample.stack)) };
  }

  document(target: ReturnType<Tables["side"]>, base: ReturnType<Tables["side"]> | null): Document {
    const tree: Document["tree"] = { location: [], up: [] };
    this.list(this.root, 0, tree, { depth: 0 });
    return {
      page: 1,
      title: "made.data",
      normalise: false,
      strings: this.strings,
      states: [
        { label: "[GVL blocked]", path: "<GVL>" },
        { label: "[GVL wait]", path: "<GVL>" },
        { label: "[GC marking]", path: "<GC>" },
        { label: "[GC sweeping]", path: "<GC>" },
      ],
      functions: this.functions,
      locations: this.locations,
      label_sets: this.labelSets,
      added_labels: [],
      tree,
      target: this.write(target),
      base: base && this.write(base),
      folded: null,
      idle: null,
      chance: CHANCE_TERMS,
      sources: [],
      local: null,
    };
  }

  private list(branch: Branch, depth: number, tree: Document["tree"], before: { depth: number }): void {
    if (depth > 0) {
      tree.location.push(branch.location);
      tree.up.push(before.depth + 1 - depth);
      branch.number = tree.location.length;
      before.depth = depth;
    }
    branch.children.forEach((child) => this.list(child, depth + 1, tree, before));
  }

  private write({ samples, branches }: ReturnType<Tables["side"]>): SideDocument {
    return {
      meta: { kind: "cpu", unit: "nanoseconds", value_types: [["cpu", "nanoseconds"]], frequency: 1000, start_time_ns: 0, duration_ns: 0, engine: "poll", rperf_version: "0", ruby_version: "", comments: [], stat: [] },
      counters: { sampling_count: 0, sampling_time_ns: 0, trigger_count: 0, detected_thread_count: 0, drops: [] },
      threads: [],
      processes: [],
      samples: {
        node: branches.map((branch) => branch.number),
        weight: samples.map((sample) => sample.weight),
        count: samples.map(() => 1),
        thread: samples.map((sample) => sample.thread ?? 1),
        label_set: samples.map((sample) => this.labelSet(sample.labels ?? {})),
        ...momentsOf(samples),
      },
    };
  }

  private labelSet(labels: Record<string, string>): number {
    const set = Object.entries(labels).map(([key, value]): [number, number] => [this.text(key), this.text(value)]);
    const known = this.labelSets.findIndex((other) => JSON.stringify(other) === JSON.stringify(set));
    return known >= 0 ? known : this.labelSets.push(set) - 1;
  }

  private branch(stack: string): Branch {
    let at = this.root;
    for (const frame of stack.split(" ").filter((word) => word !== "")) {
      const location = this.location(frame);
      let child = at.children.find((candidate) => candidate.location === location);
      if (!child) at.children.push((child = { location, children: [], number: -1 }));
      at = child;
    }
    return at;
  }

  private location(frame: string): number {
    const known = this.locationNames.indexOf(frame);
    if (known >= 0) return known;
    const [, path = "app.rb", name, line = "0"] = /^(?:(.*)\|)?([^:]*)(?::(\d+))?$/.exec(frame) ?? [];
    this.locations.function.push(this.function(name.replaceAll("_", " "), path));
    this.locations.line.push(Number(line));
    return this.locationNames.push(frame) - 1;
  }

  private function(label: string, path: string): number {
    const known = this.functionNames.indexOf(`${path}|${label}`);
    if (known >= 0) return known;
    this.functions.label.push(this.text(label));
    this.functions.path.push(this.text(path));
    this.functions.line.push(1);
    this.functions.origin.push(originOf(path));
    return this.functionNames.push(`${path}|${label}`) - 1;
  }

  private text(text: string): number {
    const known = this.strings.indexOf(text);
    return known >= 0 ? known : this.strings.push(text) - 1;
  }
}

/** Returns the difference of each moment to the previous one, if all samples have moments. */
function momentsOf(samples: MadeSample[]): { moment?: number[] } {
  if (samples.some(({ moment }) => moment === undefined)) return {};
  const at = samples.map(({ moment }) => moment ?? 0);
  return { moment: at.map((moment, index) => moment - (at[index - 1] ?? 0)) };
}

interface Branch {
  location: number;
  children: Branch[];
  number: number;
}
