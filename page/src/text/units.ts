const TIMES: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
/** The units of the terminal's reports, which are those of pprof. */
const BYTES: [number, string][] = [
  [2 ** 40, "TB"],
  [2 ** 30, "GB"],
  [2 ** 20, "MB"],
  [2 ** 10, "kB"],
  [1, "B"],
];

/** Formats weights of one unit for people. */
export class Unit {
  constructor(private readonly unit: string) {}

  /** Whether weights are times. */
  get isTime(): boolean {
    return this.unit === "nanoseconds";
  }

  /** Returns a text such as "1.24 s", "350.8 ms" or "12". */
  format(value: number): string {
    if (this.isTime) return scaled(value, TIMES);
    if (this.unit === "bytes") return scaled(value, BYTES);
    return this.unit === "" || this.unit === "count" ? grouped(value) : `${grouped(value)} ${this.unit}`;
  }

  /** Returns the text of a label's value. A value that is no number stays as it is. */
  formatText(value: string): string {
    return /^-?\d+$/.test(value) ? this.format(Number(value)) : value;
  }

  /** Returns a change with its sign: "+1.24 s", "−3 ms", "0". */
  formatChange(value: number): string {
    if (value === 0) return "0";
    return `${value > 0 ? "+" : "−"}${this.format(Math.abs(value))}`;
  }
}

/** The unit of moments and of lengths of time, whatever is the weight. */
export const TIME = new Unit("nanoseconds");

function scaled(value: number, scale: [number, string][]): string {
  const size = Math.abs(value);
  const [factor, name] = scale.find(([least]) => size >= least) ?? scale[scale.length - 1];
  const number = value / factor;
  return `${grouped(number, factor === 1 ? 0 : digitsOf(number))} ${name}`;
}

/** Returns the number of decimals: 1 for numbers from 100 on, else 2. */
function digitsOf(number: number): number {
  const size = Math.abs(number);
  return size >= 100 ? 1 : 2;
}

export function grouped(value: number, digits = 0): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns a number of things by their name in the singular, such as "1 thread", "2 threads". */
export function counted(value: number, name: string): string {
  return `${grouped(value)} ${name}${value === 1 ? "" : "s"}`;
}

/** Returns a share of a total, such as "12.3 %". */
export function percent(part: number, total: number): string {
  return total === 0 ? "0.0 %" : `${((part / total) * 100).toFixed(1)} %`;
}

/**
 * Returns a relative change, such as "+12.3 %", or "×12" from ten times on; "new" or "gone" if one
 * side is 0. No change is "0.0 %": `±` stands before the change that chance explains.
 */
export function relativeChange(base: number, target: number): string {
  if (base === 0) return target === 0 ? percent(0, 1) : "new";
  if (target === 0) return "gone";
  if (target >= 10 * base) return `×${grouped(target / base)}`;
  const change = ((target - base) / base) * 100;
  return Math.abs(change) < 0.05 ? percent(0, 1) : `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(1)} %`;
}
