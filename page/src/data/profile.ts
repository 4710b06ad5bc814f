import type { Counters, Document, Local, Meta, SideDocument, SourceFile } from "./document";
import { CallTree } from "./call_tree";
import { foldTree } from "./folded_tree";
import { FunctionTable, type Kind, defaultThreadName } from "./function_table";
import { FunctionTree } from "./function_tree";
import { LabelTable } from "./label_table";

/** The samples of one profile, in columns. */
export interface Samples {
  node: Uint32Array;
  weight: Float64Array;
  count: Float64Array;
  thread: Uint32Array;
  labelSet: Uint32Array;
  /** When each was taken, in nanoseconds since the start; empty where that is not known. */
  moment: Float64Array;
}

/** One of the profiles that the page shows. */
export interface Side {
  meta: Meta;
  counters: Counters;
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
  readonly sources: Map<string, SourceFile>;
  readonly normalise: boolean;
  readonly local: Local | null;
  /** This profile with all of its frames. */
  readonly whole: Profile = this;
  private madeFunctionTree: FunctionTree | null = null;

  constructor(document: Document) {
    this.title = document.title;
    this.normalise = document.normalise;
    this.local = document.local;
    this.labels = new LabelTable(document.label_sets, document.strings);
    this.target = readSide(document.target);
    this.base = document.base && readSide(document.base);
    this.functions = new FunctionTable(document, this.labels, threadNames(document, lastThread(this.sides)));
    this.tree = CallTree.of(document, this.functions);
    this.sources = new Map(document.sources.map((source) => [source.path, source]));
  }

  /** The target, and the base if there is one. */
  get sides(): Side[] {
    return this.base ? [this.target, this.base] : [this.target];
  }

  /** Whether samples have moments. */
  get hasTimeline(): boolean {
    return this.base === null && this.target.samples.moment.length > 0;
  }

  /** The same samples without the frames of these kinds of code, which are folded into their nearest caller that is shown. */
  folded(kinds: readonly Kind[]): this {
    if (kinds.length === 0) return this;
    const { functions } = this;
    const hidden = Uint8Array.from({ length: functions.size }, (_, fn) => (kinds.includes(functions.kind(fn)) ? 1 : 0));
    const { tree, place } = foldTree(this.tree, hidden);
    const fold = (side: Side): Side => ({ ...side, samples: { ...side.samples, node: side.samples.node.map((node) => place[node]) } });
    const changes = { tree, target: fold(this.target), base: this.base && fold(this.base), madeFunctionTree: null };
    return Object.assign(Object.create(Profile.prototype) as this, this, changes);
  }

  /** The call tree without lines. */
  get functionTree(): FunctionTree {
    return (this.madeFunctionTree ??= new FunctionTree(this.tree));
  }
}

function readSide(side: SideDocument): Side {
  const { node, weight, count, thread, label_set, moment } = side.samples;
  return {
    meta: side.meta,
    counters: side.counters,
    samples: {
      node: Uint32Array.from(node),
      weight: Float64Array.from(weight),
      count: Float64Array.from(count),
      thread: Uint32Array.from(thread),
      labelSet: Uint32Array.from(label_set),
      moment: momentsOf(moment ?? []),
    },
  };
}

/** The document has what lies between each moment and the one before. */
function momentsOf(differences: number[]): Float64Array {
  let moment = 0;
  return Float64Array.from(differences, (difference) => (moment += difference));
}

/** What each thread up to the last one is called: as the target says, or else the base. */
function threadNames(document: Document, last: number): string[] {
  const names = Array.from({ length: last + 1 }, (_, thread) => defaultThreadName(thread));
  for (const side of [document.base, document.target]) for (const { seq, title } of side?.threads ?? []) names[seq] = title;
  return names;
}

function lastThread(sides: Side[]): number {
  return sides.reduce((last, side) => side.samples.thread.reduce((a, b) => Math.max(a, b), last), 0);
}
