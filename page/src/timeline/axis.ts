import type { Span } from "../model/columns";
import { grouped } from "../text/units";

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

/** Returns the text of a mark: the moment with the decimals that distinguish it from the next. */
export function markText(moment: number, step: number): string {
  const size = Math.max(moment, step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${grouped(moment / unit, Math.max(0, Math.ceil(Math.log10(unit / step))))} ${name}`;
}
