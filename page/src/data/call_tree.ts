import type { Document } from "./document";
import type { FunctionTable } from "./function_table";

/**
 * All stacks of the document as a tree of locations. Node 0 is the root; a parent has a smaller number than its
 * children. "Outermost" flags keep recursion from counting twice in sums.
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
  readonly lines: { path: string; number: number }[] = [];

  constructor(document: Document, functions: FunctionTable) {
    const { location, up } = document.tree;
    const size = location.length + 1;
    this.parent = new Int32Array(size).fill(-1);
    this.function = new Int32Array(size).fill(-1);
    this.line = new Int32Array(size).fill(-1);
    this.outermostFunction = new Uint8Array(size);
    this.outermostLine = new Uint8Array(size);
    const lineOf = this.internLines(document, functions);
    const inFunction = new Int32Array(functions.size);
    const onLine = new Int32Array(this.lines.length);
    const path: number[] = [0];
    for (let node = 1; node < size; node++) {
      for (let levels = up[node - 1]; levels > 0; levels--) {
        const left = path.pop() ?? 0;
        inFunction[this.function[left]]--;
        onLine[this.line[left]]--;
      }
      const at = location[node - 1];
      this.parent[node] = path[path.length - 1];
      const fn = (this.function[node] = document.locations.function[at]);
      const line = (this.line[node] = lineOf[at]);
      this.outermostFunction[node] = inFunction[fn]++ === 0 ? 1 : 0;
      this.outermostLine[node] = onLine[line]++ === 0 ? 1 : 0;
      path.push(node);
    }
  }

  get size(): number {
    return this.parent.length;
  }

  /** The source line of each location. */
  private internLines(document: Document, functions: FunctionTable): number[] {
    const known = new Map<string, number>();
    const { function: of, line } = document.locations;
    return of.map((fn, location) => {
      const path = functions.paths[fn];
      const number = line[location];
      const name = `${number} ${path}`;
      let id = known.get(name);
      if (id === undefined) {
        id = this.lines.push({ path, number }) - 1;
        known.set(name, id);
      }
      return id;
    });
  }
}
