/** A function, by the properties that profiles of different machines have in common. */
export interface Named {
  label: string;
  path: string;
  origin: number;
}

/**
 * The functions of one profile. Another profile, from another checkout, release or Ruby, finds its
 * own functions among them.
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
   * Returns the path of each function's match, or its own path without a match. A match has an
   * equal label, and an equal path or one that ends alike (at least in the file's name). Ruby's
   * code and compiled code may have any path. A known function matches one function only.
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

/** First origin of Ruby's code and compiled code. */
const RUBY = 2;

/** Returns the number of equal components at the end of two paths. */
function commonEnd(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => path.split("/").reverse());
  const different = a.findIndex((part, index) => part !== b[index]);
  return different < 0 ? a.length : different;
}
