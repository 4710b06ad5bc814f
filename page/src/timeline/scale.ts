import type { Span } from "../model/columns";

/** From moments to places on the canvas and back. */
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

  /** The moment at a place, inside of the span. */
  moment(x: number): number {
    const share = Math.min(1, Math.max(0, (x - this.left) / this.width));
    return this.span.from + share * (this.span.to - this.span.from);
  }
}

/**
 * The part that is `factor` times as long, with `fixed` at the same place on the screen, inside of
 * the whole.
 */
export function zoomed({ from, to }: Span, factor: number, fixed: number, end: number): Span {
  const length = Math.min(end, Math.max(SHORTEST, (to - from) * factor));
  const share = (fixed - from) / (to - from);
  return inside(fixed - share * length, length, end);
}

/** The part moved by so many of its lengths, inside of the whole. */
export function moved({ from, to }: Span, lengths: number, end: number): Span {
  return inside(from + lengths * (to - from), to - from, end);
}

/** Nanoseconds: nothing shorter is measured. */
const SHORTEST = 1_000;

function inside(from: number, length: number, end: number): Span {
  const begin = Math.min(Math.max(0, from), Math.max(0, end - length));
  return { from: begin, to: begin + length };
}
