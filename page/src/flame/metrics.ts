/**
 * Lengths of the drawing in pixels. They follow the page's font size, as the rest of the page does.
 */
export interface Metrics {
  rowHeight: number;
  /** Space between a frame's edge and its name. */
  padding: number;
  /** Narrower frames have no name. */
  narrowestText: number;
  font: string;
}

/** The lengths where the page's rem has this many pixels. */
export function metricsFor(rem: number): Metrics {
  return {
    rowHeight: Math.round(2 * rem),
    padding: 0.5 * rem,
    narrowestText: 2.6 * rem,
    font: `${1.2 * rem}px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif`,
  };
}

/** The lengths for the page as it is now. */
export function currentMetrics(): Metrics {
  return metricsFor(parseFloat(getComputedStyle(document.documentElement).fontSize) || 10);
}
