import { type Lane, firstAfter } from "./timeline";

/** A part of the recording, in nanoseconds since its start. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Returns the part of each column that each category takes, from 0 to 1: a row of `width` values
 * for each category. Columns are equal parts of `span`. `categories` is the number of categories,
 * and `categoryOf` returns the category of a sample, or -1 for none.
 */
export function columns(lane: Lane, span: Span, width: number, categories: number, categoryOf: (sample: number) => number): Float32Array {
  const shares = new Float32Array(categories * width);
  const perColumn = (span.to - span.from) / width;
  for (let place = firstAfter(lane.end, span.from); place < lane.end.length && lane.start[place] < span.to; place++) {
    const category = categoryOf(lane.sample[place]);
    if (category < 0) continue;
    const first = Math.max(0, (lane.start[place] - span.from) / perColumn);
    const last = Math.min(width, (lane.end[place] - span.from) / perColumn);
    spread(shares, category * width, first, last);
  }
  return shares;
}

/** Adds the length between two places of a row, which are not whole numbers, to its columns. */
function spread(shares: Float32Array, row: number, first: number, last: number): void {
  let column = Math.floor(first);
  if (last <= column + 1) {
    shares[row + column] += last - first;
    return;
  }
  shares[row + column] += column + 1 - first;
  for (column += 1; column + 1 <= last; column++) shares[row + column] += 1;
  if (last > column) shares[row + column] += last - column;
}
