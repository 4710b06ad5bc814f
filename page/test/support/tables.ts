// Reads tables of an open page.

import type { Page } from "playwright-core";

/** Returns the texts of a column of the first table, from its first row on. */
export function column(page: Page, number: number): Promise<string[]> {
  return page.locator(`main table >> nth=0`).locator(`tbody tr td:nth-child(${number})`).allInnerTexts();
}

/** Returns the nanoseconds of a text such as "1.24 s 50.1 %". */
export function nanoseconds(text: string): number {
  const [, number, unit] = /([\d,.]+) (s|ms|µs|ns)/.exec(text) ?? [];
  return Number(number.replaceAll(",", "")) * { s: 1e9, ms: 1e6, "µs": 1e3, ns: 1 }[unit as "s" | "ms" | "µs" | "ns"];
}
