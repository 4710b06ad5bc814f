/** How old objects in use are: collections survived, and nanoseconds lived. */
export interface Age {
  collections: number;
  lived: number;
}

/** The ages of objects, with the bytes of each. The same sums as in survivors.rs. */
export class Ages {
  private readonly found: { age: Age; bytes: number }[] = [];
  private middle: Age | null | undefined;

  add(age: Age, bytes: number): void {
    if (bytes > 0) this.found.push({ age, bytes });
    this.middle = undefined;
  }

  /** Half of the bytes are as young or younger; null where there are none. */
  get median(): Age | null {
    if (this.middle === undefined) this.middle = this.findMedian();
    return this.middle;
  }

  /**
   * The bytes that were born in each third of a recording of this length; what is older is in the
   * first one.
   */
  thirds(recording: number): [number, number, number] {
    const born: [number, number, number] = [0, 0, 0];
    for (const { age: { lived }, bytes } of this.found) born[Number(lived * 3 < recording * 2) + Number(lived * 3 < recording)] += bytes;
    return born;
  }
  private findMedian(): Age | null {
    const sorted = this.found.sort((a, b) => a.age.lived - b.age.lived || a.age.collections - b.age.collections);
    let left = sorted.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
    return sorted.find(({ bytes }) => (left -= bytes) <= 0)?.age ?? null;
  }
}
