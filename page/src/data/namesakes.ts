/** A function as profiles of different machines know it. */
export interface Named {
  label: string;
  path: string;
  origin: number;
}

/**
 * The functions of one profile, by which another one finds its own in another checkout, release or
 * Ruby.
 */
export class Namesakes {
  private readonly byLabel = new Map<string, Named[]>();
  private readonly taken = new Set<Named>();

  constructor(known: Named[]) {
    for (const one of known) {
      const others = this.byLabel.get(one.label);
      if (others) others.push(one);
      else this.byLabel.set(one.label, [one]);
    }
  }

  /**
   * The path under which each of these functions is known; its own where it is not. Equal labels,
   * and equal paths, or paths that end alike (at least in the file's name), each with one; what
   * Ruby brings may lie anywhere.
   */
  pathsOf(functions: Named[]): string[] {
    const same = functions.map((one) => this.take(one, (other) => other.path === one.path));
    return functions.map((one, index) => (same[index] ?? this.nearest(one) ?? one).path);
  }

  private nearest(one: Named): Named | null {
    const candidates = this.byLabel.get(one.label) ?? [];
    const longest = candidates.reduce((most, other) => (this.taken.has(other) ? most : Math.max(most, commonEnd(one.path, other.path))), 0);
    const byEnd = longest > 0 ? this.take(one, (other) => commonEnd(one.path, other.path) === longest) : null;
    return byEnd ?? this.take(one, (other) => one.origin >= RUBY && other.origin >= RUBY);
  }

  private take(one: Named, fits: (other: Named) => boolean): Named | null {
    const found = this.byLabel.get(one.label)?.find((other) => !this.taken.has(other) && fits(other)) ?? null;
    if (found) this.taken.add(found);
    return found;
  }
}

/** From here on origins are Ruby's and what is compiled. */
const RUBY = 2;

/** How many of the last components are equal. */
function commonEnd(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => path.split("/").reverse());
  const different = a.findIndex((part, index) => part !== b[index]);
  return different < 0 ? a.length : different;
}
