import { type Document, LABEL, ORIGINS, type Origin } from "./document";
import type { LabelTable } from "./label_table";

/** Paths of the frames that stand for a label and for a thread. */
export const LABEL_PATH = "<label>";
export const THREAD_PATH = "<thread>";

/** What kind of code a function is, for colours and the legend. */
export type Kind = Origin | "blocked" | "wait" | "gc" | "label";

/**
 * The functions of frames: those of the profile, then one for each label and for each thread (as
 * pseudo frames at the root or leaf). So a number always means the same frame.
 */
export class FunctionTable {
  readonly labels: string[];
  readonly paths: string[];
  readonly lines: number[];
  /** State of each function: 0 is running, others are 1 + the index in `stateNames`. */
  readonly states: Uint8Array;
  readonly stateNames: string[];
  /** Number of functions that come from the profile. */
  readonly real: number;
  private readonly firstThread: number;
  private readonly kinds: Kind[];
  private foundKinds: Set<Kind> | null = null;

  /** `threads`: the name of each thread, by its number. */
  constructor(document: Document, labels: LabelTable, threads: readonly string[]) {
    const { strings, functions } = document;
    this.labels = functions.label.map((index) => strings[index]);
    this.paths = functions.path.map((index) => strings[index]);
    this.lines = [...functions.line];
    this.real = this.labels.length;
    this.stateNames = document.states.map((state) => state.label);
    const names = document.states.map((state) => `${state.path}\n${state.label}`);
    this.states = Uint8Array.from(this.labels, (label, id) => names.indexOf(`${this.paths[id]}\n${label}`) + 1);
    this.kinds = this.labels.map((label, id) => stateKind(label, this.paths[id]) ?? codeKind(functions.origin[id]));
    for (const { key, value } of labels.labels) this.append(`${key}: ${value}`, LABEL_PATH);
    this.firstThread = this.labels.length;
    for (const name of threads) this.append(name, THREAD_PATH);
  }

  get size(): number {
    return this.labels.length;
  }

  /** Returns the pseudo frame of a label, given by its number in the label table. */
  ofLabel(label: number): number {
    return this.real + label;
  }

  /** Returns the pseudo frame of a thread. */
  ofThread(thread: number): number {
    return this.firstThread + thread;
  }

  /** Returns the name of a thread. */
  threadName(thread: number): string {
    return this.labels[this.ofThread(thread)] ?? defaultThreadName(thread);
  }

  /** Returns the name as it is shown. A function without a name is "(unknown)". */
  name(id: number): string {
    return this.labels[id] === "" ? "(unknown)" : this.labels[id];
  }

  kind(id: number): Kind {
    return this.kinds[id];
  }

  /** The kinds of code that the profile has. */
  get codeKinds(): Set<Kind> {
    return (this.foundKinds ??= new Set(this.kinds));
  }

  private append(label: string, path: string): void {
    this.labels.push(label);
    this.paths.push(path);
    this.lines.push(0);
    this.kinds.push("label");
  }
}

/** Returns the name of a thread that the profile does not describe. */
export function defaultThreadName(thread: number): string {
  return thread === 0 ? "Unknown thread" : `Thread ${thread}`;
}

function codeKind(origin: number): Kind {
  return origin === LABEL ? "label" : ORIGINS[origin];
}

/** Returns the kind of a frame that stands for a state of the VM; null for other frames. */
function stateKind(label: string, path: string): Kind | null {
  if (path === "<GC>") return "gc";
  if (path === "<CPU>") return "wait";
  return path === "<GVL>" ? (label === "[GVL wait]" ? "wait" : "blocked") : null;
}
