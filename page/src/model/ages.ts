/** Age of objects in use: the collections survived, and the nanoseconds lived. */
export interface Age {
  collections: number;
  lived: number;
}

/** The ages of objects, each with its bytes. Computes the same sums as survivors.rs. */
export class Ages {
  private readonly found: { age: Age; bytes: number }[] = [];
  private middle: Age | null | undefined;

  add(age: Age, bytes: number): void {
    if (bytes > 0) this.found.push({ age, bytes });
    this.middle = undefined;
  }

  /** Median age: half of the bytes are as young or younger. Null without bytes. */
  get median(): Age | null {
    if (this.middle === undefined) this.middle = this.findMedian();
    return this.middle;
  }

  /**
   * Returns the bytes born in each third of a recording of `recording` nanoseconds. Bytes that are
   * older than the recording are in the first third.
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
