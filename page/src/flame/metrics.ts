/**
 * Lengths of the drawing in pixels. They follow the page's font size, as the rest of the page does.
 */
export interface Metrics {
  rowHeight: number;
  /** Space between a frame's edge and its name. */
  padding: number;
  /** Minimum width of a frame that shows its name. */
  narrowestText: number;
  font: string;
}

/** Returns the lengths for a page whose rem has `rem` pixels. */
export function metricsFor(rem: number): Metrics {
  return {
    rowHeight: Math.round(2 * rem),
    padding: 0.5 * rem,
    narrowestText: 2.6 * rem,
    font: `${1.2 * rem}px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif`,
  };
}

/** Returns the lengths for the page's current font size. */
export function currentMetrics(): Metrics {
  return metricsFor(parseFloat(getComputedStyle(document.documentElement).fontSize) || 10);
}
