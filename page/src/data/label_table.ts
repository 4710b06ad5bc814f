import { Unit } from "../text/units";

/** A key with its value. */
export interface Label {
  key: string;
  value: string;
}

/** Key of the label that says what a thread waited for off the GVL. */
export const WAIT = "wait";

/** Keys of labels that rperf adds to those of the program. `pid` is the number of the process. */
const ADDED = [WAIT, "pid"];

/** The label sets of samples, as lists of the numbers of labels. */
export class LabelTable {
  /** All labels, each once, in the order in which sets name them first. */
  readonly labels: Label[] = [];
  /** The labels of each set. */
  readonly sets: number[][];
  /** All keys, in the order of the labels; those that rperf adds come last. */
  readonly keys: string[];
  private readonly units: Map<string, Unit>;

  /** `units`: units of labels that are numbers, by their keys; the first one of a key counts. */
  constructor(sets: [number, number][][], strings: string[], units: [string, string][] = []) {
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
    this.keys = keys.sort((a, b) => ADDED.indexOf(a) - ADDED.indexOf(b));
    this.units = new Map([...units].reverse().map(([key, unit]) => [key, new Unit(unit)]));
  }

  /** Whether the program has set a label. */
  get hasOwn(): boolean {
    return this.keys.some((key) => !ADDED.includes(key));
  }

  /** Returns a label's value as it is shown; null: the label is not set. */
  valueName({ key, value }: { key: string; value: string | null }): string {
    if (value === null || value === "") return value === null ? "(not set)" : "(empty)";
    return this.units.get(key)?.formatText(value) ?? value;
  }
}
