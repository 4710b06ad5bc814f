/** A key with its value. */
export interface Label {
  key: string;
  value: string;
}

const PID = "pid";

/** The label sets of samples, as lists of the numbers of labels. */
export class LabelTable {
  /** All labels, each once, in the order in which sets name them first. */
  readonly labels: Label[] = [];
  /** The labels of each set. */
  readonly sets: number[][];
  /** All keys, in the order of the labels, and then the number of the process, which rperf adds. */
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
    const keys = [...new Set(this.labels.map((label) => label.key))];
    this.keys = keys.sort((a, b) => Number(a === PID) - Number(b === PID));
  }
}
