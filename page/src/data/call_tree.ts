import type { Document } from "./document";
import type { FunctionTable } from "./function_table";

/**
 * All stacks of the document as a tree of locations. Node 0 is the root; a parent has a smaller
 * number than its children. "Outermost" flags keep recursion from counting twice in sums.
 */
export class CallTree {
  /** The parent of each node; -1 for the root. */
  readonly parent: Int32Array;
  /** The function of each node; -1 for the root. */
  readonly function: Int32Array;
  /** The source line (an index into `lines`) of each node; -1 for the root. */
  readonly line: Int32Array;
  /** 1 where no ancestor is in the same function. */
  readonly outermostFunction: Uint8Array;
  /** 1 where no ancestor is on the same source line. */
  readonly outermostLine: Uint8Array;
  /** Source lines: path and number, each once. */
  readonly lines: SourceLine[];

  /** Creates a tree of nodes in depth-first order. */
  constructor(columns: CallColumns, lines: SourceLine[]) {
    this.parent = columns.parent;
    this.function = columns.function;
    this.line = columns.line;
    this.lines = lines;
    this.outermostFunction = outermost(this.parent, this.function);
    this.outermostLine = outermost(this.parent, this.line);
  }

  /** Returns the tree of a document. */
  static of(document: Document, functions: FunctionTable): CallTree {
    const { location, up } = document.tree;
    const columns = noCalls(location.length + 1);
    const { lines, lineOf } = internLines(document, functions);
    const path = [0];
    for (let node = 1; node <= location.length; node++) {
      path.length -= up[node - 1];
      const at = location[node - 1];
      columns.parent[node] = path[path.length - 1];
      columns.function[node] = document.locations.function[at];
      columns.line[node] = lineOf[at];
      path.push(node);
    }
    return new CallTree(columns, lines);
  }

  get size(): number {
    return this.parent.length;
  }
}

/** A line of a file; the number is 0 if it is unknown. */
export interface SourceLine {
  path: string;
  number: number;
}

/** Columns of the nodes of a CallTree. */
export interface CallColumns {
  parent: Int32Array;
  function: Int32Array;
  line: Int32Array;
}

/** Returns columns for `size` nodes, the root included. */
export function noCalls(size: number): CallColumns {
  const column = (): Int32Array => new Int32Array(size).fill(-1);
  return { parent: column(), function: column(), line: column() };
}

/** Returns 1 for each node without an ancestor that has the same value. */
export function outermost(parent: Int32Array, value: Int32Array): Uint8Array {
  const flags = new Uint8Array(parent.length);
  const above = new Int32Array(value.reduce((most, one) => Math.max(most, one), 0) + 1);
  const path = [0];
  for (let node = 1; node < parent.length; node++) {
    while (path[path.length - 1] !== parent[node]) above[value[path.pop() ?? 0]]--;
    flags[node] = above[value[node]]++ === 0 ? 1 : 0;
    path.push(node);
  }
  return flags;
}

/** Returns all source lines, and the line of each location. */
function internLines(document: Document, functions: FunctionTable): { lines: SourceLine[]; lineOf: number[] } {
  const lines: SourceLine[] = [];
  const known = new Map<string, number>();
  const { function: of, line } = document.locations;
  const lineOf = of.map((fn, location) => {
    const path = functions.paths[fn];
    const number = line[location];
    const name = `${number} ${path}`;
    let id = known.get(name);
    if (id === undefined) {
      id = lines.push({ path, number }) - 1;
      known.set(name, id);
    }
    return id;
  });
  return { lines, lineOf };
}
