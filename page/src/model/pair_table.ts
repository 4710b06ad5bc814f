/** A hash table from pairs of small numbers to numbers: many times as fast as a Map with made-up keys. */
export class PairTable {
  private first = new Int32Array(1024).fill(-1);
  private second = new Int32Array(1024);
  private value = new Int32Array(1024);
  private used = 0;

  /** The value of the pair; -1 when there is none. Both numbers are 0 or more. */
  get(first: number, second: number): number {
    return this.first[this.slot(first, second)] === -1 ? -1 : this.value[this.slot(first, second)];
  }

  set(first: number, second: number, value: number): void {
    const slot = this.slot(first, second);
    if (this.first[slot] === -1) this.used++;
    this.first[slot] = first;
    this.second[slot] = second;
    this.value[slot] = value;
    if (this.used * 2 > this.first.length) this.grow();
  }

  private slot(first: number, second: number): number {
    const mask = this.first.length - 1;
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (this.first[slot] !== -1 && (this.first[slot] !== first || this.second[slot] !== second)) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { first, second, value } = this;
    const size = first.length * 2;
    this.first = new Int32Array(size).fill(-1);
    this.second = new Int32Array(size);
    this.value = new Int32Array(size);
    this.used = 0;
    for (let slot = 0; slot < first.length; slot++) {
      if (first[slot] !== -1) this.set(first[slot], second[slot], value[slot]);
    }
  }
}
