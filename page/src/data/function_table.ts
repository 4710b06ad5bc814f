import { type Document, LABEL, ORIGINS, type Origin } from "./document";
import type { LabelTable } from "./label_table";

/** The path of the frames that stand for a label. */
export const LABEL_PATH = "<label>";

/** The frame of stacks of which no frame is shown. */
const OFF = "(code that is off)";

/** What kind of code a function is, for colours and the legend. */
export type Kind = Origin | "blocked" | "wait" | "gc" | "label";

/**
 * The functions of frames: those of the profile, one for stacks of which no frame is shown, then
 * one for each label (as pseudo frames at the root or leaf). So a number always means the same
 * frame.
 */
export class FunctionTable {
  readonly labels: string[];
  readonly paths: string[];
  readonly lines: number[];
  /** State of each function: 0 is running, others are 1 + the index in `stateNames`. */
  readonly states: Uint8Array;
  readonly stateNames: string[];
  /** The function for stacks of which no frame is shown, which is the last one of the real ones. */
  readonly off: number;
  /** Number of functions that can have time: all but those of labels. */
  readonly real: number;
  private readonly kinds: Kind[];
  private foundKinds: Set<Kind> | null = null;

  /** `threads`: the names of the threads that the profile describes, by their numbers. */
  constructor(document: Pick<Document, "strings" | "functions" | "states">, labels: LabelTable, readonly threads: ReadonlyMap<number, string>) {
    const { strings, functions } = document;
    this.labels = [...functions.label.map((index) => strings[index]), OFF];
    this.paths = [...functions.path.map((index) => strings[index]), ""];
    this.lines = [...functions.line, 0];
    this.off = functions.label.length;
    this.real = this.labels.length;
    this.stateNames = document.states.map((state) => state.label);
    const names = document.states.map((state) => `${state.path}\n${state.label}`);
    this.states = Uint8Array.from(this.labels, (label, id) => names.indexOf(`${this.paths[id]}\n${label}`) + 1);
    this.kinds = this.labels.map((label, id) => stateKind(label, this.paths[id]) ?? codeKind(functions.origin[id] ?? LABEL));
    for (const label of labels.labels) this.append(`${label.key}: ${labels.valueName(label)}`, LABEL_PATH);
  }

  get size(): number {
    return this.labels.length;
  }

  /** Returns the pseudo frame of a label, given by its number in the label table. */
  ofLabel(label: number): number {
    return this.real + label;
  }

  /** Returns the name of a thread. */
  threadName(thread: number): string {
    return this.threads.get(thread) ?? (thread === 0 ? "Unknown thread" : `Thread ${thread}`);
  }

  /** Returns the name as it is shown. A function without a name is "(unknown)". */
  name(id: number): string {
    return this.labels[id] === "" ? "(unknown)" : this.labels[id];
  }

  /**
   * Returns the name with what tells it from others, as on a terminal: the main program and
   * required files have their path, blocks the line on which they start.
   */
  title(id: number): string {
    const name = this.name(id);
    if (/^<(?:main|top \(required\))>$/.test(name)) return `${name} ${this.paths[id]}`.trimEnd();
    return name.startsWith("block ") && this.lines[id] > 0 ? `${name}:${this.lines[id]}` : name;
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

function codeKind(origin: number): Kind {
  return origin === LABEL ? "label" : ORIGINS[origin];
}

/** Returns the kind of a frame that stands for a state of the VM; null for other frames. */
function stateKind(label: string, path: string): Kind | null {
  if (path === "<GC>") return "gc";
  if (path === "<CPU>") return "wait";
  return path === "<GVL>" ? (label === "[GVL wait]" ? "wait" : "blocked") : null;
}
