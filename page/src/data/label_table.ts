/** A key with its value. */
export interface Label {
  key: string;
  value: string;
}

/** The label sets of samples, as lists of the numbers of labels. */
export class LabelTable {
  /** All labels, each once, in the order in which sets name them first. */
  readonly labels: Label[] = [];
  /** The labels of each set. */
  readonly sets: number[][];
  /** All keys, in the order of the labels. */
  readonly keys: string[];

  constructor(sets: [number, number][][], strings: string[]) {
    const known = new Map<string, number>();
    const intern = ([key, value]: [number, number]): number => {
      const name = `${key} ${value}`;
      let id = known.get(name);
      if (id === undefined) {
        id = this.labels.push({ key: strings[key], value: strings[value] }) - 1;
        known.set(name, id);
      }
      return id;
    };
    this.sets = sets.map((set) => set.map(intern));
    this.keys = [...new Set(this.labels.map((label) => label.key))];
  }
}
