import type { Document, SideDocument, SourceFile, Terms } from "./document";
import { PairTable } from "./pair_table";

/** Builds a document. Equal names, locations and beginnings of stacks are stored once. */
export class DocumentBuilder {
  private readonly strings: string[] = [];
  private readonly functions: Document["functions"] = { label: [], path: [], line: [], origin: [] };
  private readonly labelSets: [number, number][][] = [];
  private readonly known = new Map<string, number>();
  /** Function and line of each location. */
  private readonly locations = new PairTable();
  /** Caller and location of each call but the root, which is call 0. */
  private readonly calls = new PairTable();

  /** Returns the number of a function. Its line is the first one that is known. */
  function(label: string, path: string, line: number, origin: number): number {
    const { functions } = this;
    const id = this.intern(`function ${label}\n${path}`, () => {
      functions.label.push(this.string(label));
      functions.path.push(this.string(path));
      functions.origin.push(origin);
      return functions.line.push(line) - 1;
    });
    functions.line[id] ||= line;
    return id;
  }

  location(fn: number, line: number): number {
    return this.locations.intern(fn, line);
  }

  /** Returns the number of the call of a location by another call; `caller` 0 is the root. */
  call(caller: number, location: number): number {
    return this.calls.intern(caller, location) + 1;
  }

  labelSet(labels: [string, string][]): number {
    const set = labels.map(([key, value]): [number, number] => [this.string(key), this.string(value)]);
    return this.intern(`set ${set.join(" ")}`, () => this.labelSets.push(set) - 1);
  }

  /** Returns the document. The samples of both sides have the builder's numbers of calls. */
  build(title: string, { states, chance }: Terms, target: SideDocument, base: SideDocument | null, sources: SourceFile[]): Document {
    const { strings, functions, locations, labelSets } = this;
    const { tree, position } = this.preorder();
    const placed = (side: SideDocument): SideDocument => ({ ...side, samples: { ...side.samples, node: side.samples.node.map((call) => position[call]) } });
    return {
      page: 1,
      title,
      normalise: false,
      strings,
      states,
      chance,
      functions,
      locations: { function: [...locations.firsts], line: [...locations.seconds] },
      label_sets: labelSets,
      added_labels: [],
      tree,
      target: placed(target),
      base: base && placed(base),
      folded: null,
      idle: null,
      sources,
      local: null,
    };
  }

  private string(text: string): number {
    return this.intern(`string ${text}`, () => this.strings.push(text) - 1);
  }

  private intern(name: string, add: () => number): number {
    let id = this.known.get(name);
    if (id === undefined) this.known.set(name, (id = add()));
    return id;
  }

  /** Returns the calls in depth-first order, and the place of each of them there. */
  private preorder(): { tree: Document["tree"]; position: Uint32Array } {
    const { firsts, seconds, size } = this.calls;
    const children = new Map<number, number[]>();
    firsts.forEach((caller, pair) => {
      const known = children.get(caller);
      if (known) known.push(pair + 1);
      else children.set(caller, [pair + 1]);
    });
    const tree: Document["tree"] = { location: [], up: [] };
    const position = new Uint32Array(size + 1);
    const waiting = (children.get(0) ?? []).map((call) => ({ call, depth: 1 })).reverse();
    let before = 0;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { call, depth } = next;
      tree.up.push(before + 1 - depth);
      position[call] = tree.location.push(seconds[call - 1]);
      before = depth;
      for (const child of (children.get(call) ?? []).reverse()) waiting.push({ call: child, depth: depth + 1 });
    }
    return { tree, position };
  }
}
