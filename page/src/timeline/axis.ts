import type { Span } from "../model/columns";

/**
 * The moments at which an axis of so many marks at most has one: 1, 2 or 5 times a power of ten
 * apart.
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
 * A moment as the axis names it: in the unit of the step, with as many digits as tell two marks
 * apart.
 */
export function markText(moment: number, step: number): string {
  const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${(moment / unit).toLocaleString("en-US", { maximumFractionDigits: 0 })} ${name}`;
}
