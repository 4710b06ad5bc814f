import type { Span } from "../model/columns";

/** Converts moments to places on the canvas and back. */
export class Scale {
  constructor(
    readonly span: Span,
    /** Where `span` begins on the canvas, and how wide it is, in pixels. */
    readonly left: number,
    readonly width: number,
  ) {}

  x(moment: number): number {
    return this.left + ((moment - this.span.from) / (this.span.to - this.span.from)) * this.width;
  }

  /** Returns the moment at a place, limited to the span. */
  moment(x: number): number {
    const share = Math.min(1, Math.max(0, (x - this.left) / this.width));
    return this.span.from + share * (this.span.to - this.span.from);
  }
}

/**
 * Returns the part with `factor` times the length of this one and with `fixed` at the same place on
 * the screen, within the recording, which ends at `end`.
 */
export function zoomed({ from, to }: Span, factor: number, fixed: number, end: number): Span {
  const length = Math.min(end, Math.max(SHORTEST, (to - from) * factor));
  const share = (fixed - from) / (to - from);
  return inside(fixed - share * length, length, end);
}

/** Returns the part moved by `lengths` times its length, within the recording. */
export function moved({ from, to }: Span, lengths: number, end: number): Span {
  return inside(from + lengths * (to - from), to - from, end);
}

/** Minimum length of a part, in nanoseconds. Shorter times are not measured. */
const SHORTEST = 1_000;

function inside(from: number, length: number, end: number): Span {
  const begin = Math.min(Math.max(0, from), Math.max(0, end - length));
  return { from: begin, to: begin + length };
}
