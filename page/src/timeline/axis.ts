import type { Span } from "../model/columns";

/**
 * Returns the moments of the marks of an axis. `most` is the maximum number of marks. Marks are 1,
 * 2 or 5 times a power of ten apart.
 */
export function marks({ from, to }: Span, most: number): { step: number; at: number[] } {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= least) ?? 10 * power;
  const at = [];
  for (let mark = Math.ceil(from / step) * step; mark <= to; mark += step) at.push(mark);
  return { step, at };
}

/**
 * Returns the text of a mark: the moment in the unit of the step, without decimals, which is enough
 * to distinguish two marks.
 */
export function markText(moment: number, step: number): string {
  const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${(moment / unit).toLocaleString("en-US", { maximumFractionDigits: 0 })} ${name}`;
}
