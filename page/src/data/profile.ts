import type { ChanceTerms, Counters, Document, IdleDocument, Local, Meta, ProcessDocument, Quantity, SideDocument, SourceFile } from "./document";
import { CallTree } from "./call_tree";
import { foldTree } from "./folded_tree";
import { FunctionTable, type Kind } from "./function_table";
import { FunctionTree } from "./function_tree";
import { LabelTable } from "./label_table";

/** The samples of one profile, in columns. */
export interface Samples {
  node: Uint32Array;
  weight: Float64Array;
  /** Duration of each sample, if it has a moment: its first value, whatever is the weight. */
  length: Float64Array;
  count: Float64Array;
  thread: Uint32Array;
  labelSet: Uint32Array;
  /** Moment of each sample, in nanoseconds since the start; empty if moments are unknown. */
  moment: Float64Array;
  /** All values, a column for each value type; empty if samples have only their weight. */
  values: Float64Array[];
  /** 1 for each sample in which a thread waited for work; empty if no thread did. */
  idle: Uint8Array;
}

/** One of the profiles that the page shows. */
export interface Side {
  meta: Meta;
  counters: Counters;
  processes: ProcessDocument[];
  /** Index of the process of each thread for which it is known. */
  processOf: Map<number, number>;
  samples: Samples;
}

/** What the page shows: a profile, or two that are compared. */
export class Profile {
  readonly title: string;
  readonly functions: FunctionTable;
  readonly labels: LabelTable;
  readonly tree: CallTree;
  readonly target: Side;
  readonly base: Side | null;
  /** A line that says which time was left out before filters of the command line. */
  readonly leftOut: string | null;
  /** The time in which threads waited for work; null: none is known. */
  readonly idle: IdleDocument | null;
  readonly chance: ChanceTerms;
  readonly states: Document["states"];
  readonly sources: Map<string, SourceFile>;
  readonly normalise: boolean;
  readonly local: Local | null;
  private readonly unfolded: Profile | null = null;
  /** Kinds and units of the values that all sides have, each of which can be the weight. */
  private readonly types: [string, string][];
  /** Names of these values: their kinds. Those of equal kinds have their units, too. */
  readonly kinds: string[];
  private madeFunctionTree: FunctionTree | null = null;

  constructor(document: Document) {
    this.title = document.title;
    this.normalise = document.normalise;
    this.local = document.local;
    const metas = [document.target.meta, ...(document.base ? [document.base.meta] : [])];
    this.labels = new LabelTable(document.label_sets, document.strings, metas.flatMap((meta) => meta.label_units ?? []));
    this.target = readSide(document.target);
    this.base = document.base && readSide(document.base);
    this.leftOut = document.folded;
    this.idle = document.idle;
    this.chance = document.chance;
    this.states = document.states;
    this.types = this.commonTypes();
    this.kinds = this.types.map(([kind, unit]) => (this.types.filter(([other]) => other === kind).length === 1 ? kind : withUnit(kind, unit)));
    this.functions = new FunctionTable(document, this.labels, threadNames(document));
    this.tree = CallTree.of(document, this.functions);
    this.sources = new Map(document.sources.map((source) => [source.path, source]));
  }

  /** This profile with all of its frames. */
  get whole(): Profile {
    return this.unfolded ?? this;
  }

  /** The target, and the base if there is one. */
  get sides(): Side[] {
    return this.base ? [this.target, this.base] : [this.target];
  }

  /** Whether there is a timeline: samples have moments, and no base is compared. */
  get hasTimeline(): boolean {
    return this.base === null && this.target.samples.moment.length > 0;
  }

  /**
   * Returns the same samples with other values as weights, or this profile if it has no such
   * values. `value` is one of `kinds`.
   */
  weighedBy(value: string): this {
    const index = this.kinds.indexOf(value);
    if (index < 0 || value === this.value) return this;
    const [kind, unit] = this.types[index];
    const weigh = (side: Side): Side => {
      const { meta, samples } = side;
      const weight = samples.values[columnOfType(meta, { kind, unit })];
      return { ...side, meta: { ...meta, kind, unit }, samples: { ...samples, weight } };
    };
    return this.with({ target: weigh(this.target), base: this.base && weigh(this.base) });
  }

  /** Returns the same samples, of which those that are idle time have neither weight nor ticks. */
  withoutIdle(): this {
    if (this.idle === null) return this;
    const clear = (side: Side): Side => {
      const { samples } = side;
      const busy = (column: Float64Array): Float64Array => column.map((value, sample) => (samples.idle[sample] === 1 ? 0 : value));
      return { ...side, samples: { ...samples, weight: busy(samples.weight), count: busy(samples.count) } };
    };
    return this.with({ target: clear(this.target), base: this.base && clear(this.base) });
  }

  /** The one of `kinds` that is the weight. */
  get value(): string {
    const { kind, unit } = this.target.meta;
    return this.kinds.find((name) => name === withUnit(kind, unit)) ?? kind;
  }

  private commonTypes(): [string, string][] {
    const [types, ...others] = this.sides.map(({ meta, samples }): [string, string][] => (samples.values.length > 0 ? meta.value_types : [[meta.kind, meta.unit]]));
    const names = others.map((other) => other.map((type) => withUnit(...type)));
    return types.filter((type) => names.every((known) => known.includes(withUnit(...type))));
  }

  /**
   * Returns the same samples without the frames of these kinds of code, which are folded into their
   * nearest shown caller. A stack without any shown frame gets the frame of the function `off`.
   */
  folded(kinds: readonly Kind[]): this {
    if (kinds.length === 0) return this;
    const { functions } = this;
    const hidden = Uint8Array.from({ length: functions.size }, (_, fn) => (kinds.includes(functions.kind(fn)) ? 1 : 0));
    const { tree, place } = foldTree(this.tree, hidden, functions.off);
    const fold = (side: Side): Side => ({ ...side, samples: { ...side.samples, node: side.samples.node.map((node) => place[node]) } });
    return this.with({ unfolded: this.whole, tree, target: fold(this.target), base: this.base && fold(this.base), madeFunctionTree: null });
  }

  /**
   * Returns the same samples in another tree with other functions. `place` returns the node of a
   * sample in the tree.
   */
  regrouped(functions: FunctionTable, tree: CallTree, place: (samples: Samples, sample: number) => number): this {
    const move = (side: Side): Side => ({ ...side, samples: { ...side.samples, node: side.samples.node.map((_, sample) => place(side.samples, sample)) } });
    return this.with({ unfolded: null, functions, tree, target: move(this.target), base: this.base && move(this.base), madeFunctionTree: null });
  }

  private with(changes: object): this {
    const copy = Object.create(Profile.prototype) as this;
    Object.assign(copy, this, changes);
    return copy;
  }

  /** The call tree without lines. */
  get functionTree(): FunctionTree {
    return (this.madeFunctionTree ??= new FunctionTree(this.tree));
  }
}

/** Returns the number of the value that measures a quantity; -1: there is none. */
export function columnOfType({ value_types }: Pick<Meta, "value_types">, { kind, unit }: Quantity): number {
  return value_types.findIndex(([other, of]) => other === kind && of === unit);
}

/** Returns the name of a value type with its unit. */
export function withUnit(kind: string, unit: string): string {
  return `${kind} (${unit})`;
}

function readSide(side: SideDocument): Side {
  const { node, count, thread, label_set, moment, values } = side.samples;
  return {
    meta: side.meta,
    counters: side.counters,
    processes: side.processes,
    processOf: new Map(side.threads.flatMap(({ seq, process }) => (process === null ? [] : [[seq, process]]))),
    samples: {
      node: Uint32Array.from(node),
      weight: Float64Array.from(side.samples.weight),
      length: Float64Array.from(values?.[0] ?? side.samples.weight),
      count: Float64Array.from(count),
      thread: Uint32Array.from(thread),
      labelSet: Uint32Array.from(label_set),
      moment: momentsOf(moment ?? []),
      values: (values ?? []).map((column) => Float64Array.from(column)),
      idle: flagsOf(side.samples.idle ?? []),
    },
  };
}

/** Returns a flag for each sample from the lengths of runs, of which the second has the flag. */
function flagsOf(runs: number[]): Uint8Array {
  const flags = new Uint8Array(runs.reduce((sum, length) => sum + length, 0));
  let start = 0;
  runs.forEach((length, run) => flags.fill(run % 2, start, (start += length)));
  return flags;
}

/** Returns moments from the differences of each moment to the previous one. */
function momentsOf(differences: number[]): Float64Array {
  let moment = 0;
  return Float64Array.from(differences, (difference) => (moment += difference));
}

/** Returns the names of the threads by their numbers: the target's, or else the base's. */
function threadNames({ base, target }: Document): Map<number, string> {
  return new Map([...(base?.threads ?? []), ...target.threads].map(({ seq, title }) => [seq, title]));
}
