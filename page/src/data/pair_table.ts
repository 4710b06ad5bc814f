/**
 * Interns pairs of numbers, 0 or more, and numbers the pairs in the order of their arrival. It is
 * many times as fast as a Map with composed keys.
 */
export class PairTable {
  /** Slots of the hash table: 0 is free, else 1 + the number of a pair. */
  private slots: Int32Array;
  private first: Int32Array;
  private second: Int32Array;
  private count = 0;

  /** Creates a table with room for `expected` pairs. It grows when there are more. */
  constructor(expected = 1024) {
    this.first = new Int32Array(expected);
    this.second = new Int32Array(expected);
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(expected * 2 + 2)));
  }

  /** Number of pairs. */
  get size(): number {
    return this.count;
  }

  /** The first number of each pair. */
  get firsts(): Int32Array {
    return this.first.subarray(0, this.count);
  }

  /** The second number of each pair. */
  get seconds(): Int32Array {
    return this.second.subarray(0, this.count);
  }

  /** Returns the number of a pair. A new pair has the number that was `size`. */
  intern(first: number, second: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let slot = hash(first, second) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] - 1;
      if (found === -1) return this.add(slot, first, second);
      if (this.first[found] === first && this.second[found] === second) return found;
    }
  }

  private add(slot: number, first: number, second: number): number {
    if (this.count === this.first.length) {
      this.grow();
      return this.intern(first, second);
    }
    this.first[this.count] = first;
    this.second[this.count] = second;
    this.slots[slot] = ++this.count;
    return this.count - 1;
  }

  private grow(): void {
    const { first, second, count } = this;
    this.first = new Int32Array(count * 2);
    this.second = new Int32Array(count * 2);
    this.slots = new Int32Array(this.slots.length * 2);
    this.count = 0;
    for (let pair = 0; pair < count; pair++) this.intern(first[pair], second[pair]);
  }
}

function hash(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
