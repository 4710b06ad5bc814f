// Texts of a document that can be seen, and whether they can be read.

import type { Page } from "playwright-core";

/**
 * A text that an element shows by itself, with its place, the size of its letters (pixels) and its
 * contrast (1 to 21).
 */
export interface ShownText {
  text: string;
  box: { left: number; right: number; top: number; bottom: number };
  size: number;
  contrast: number;
}

/** Returns all texts of the document that are laid out. */
export async function shownTexts(page: Page): Promise<ShownText[]> {
  const found = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const behind: string[] = [];
      for (let element = walker.currentNode.parentElement; element !== null; element = element.parentElement) behind.push(getComputedStyle(element).backgroundColor);
      const { color, fontSize } = getComputedStyle(walker.currentNode.parentElement ?? document.body);
      texts.push({ text: walker.currentNode.nodeValue ?? "", box: { left, right, top, bottom }, size: parseFloat(fontSize), color, behind });
    }
    return texts;
  });
  return found.filter(({ text, box }) => text.trim() !== "" && box.right > box.left).map(({ color, behind, ...shown }) => ({ ...shown, contrast: contrast(color, behind) }));
}

/**
 * Returns the words that are on two lines. A word is a run of letters and digits. Code is left out,
 * because it is scrolled and not broken.
 */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      if (node.parentElement?.closest("script, style, select, code, .hidden, caption") !== null || node.parentElement.offsetParent === null) continue;
      for (const word of node.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word[0]);
      }
    }
    return broken;
  });
}

/**
 * Returns WCAG 2's contrast ratio of the edges of all elements that a selector finds, and that are
 * laid out, to what is behind them; 1 for an element without an edge.
 */
export async function edges(page: Page, selector: string): Promise<number[]> {
  const found = await page.locator(selector).evaluateAll((elements) =>
    elements.filter((element) => element.getClientRects().length > 0).map((element) => {
      const { borderTopColor, borderTopStyle, borderTopWidth } = getComputedStyle(element);
      const behind: string[] = [];
      for (let above = element.parentElement; above !== null; above = above.parentElement) behind.push(getComputedStyle(above).backgroundColor);
      return { color: borderTopStyle === "solid" && parseFloat(borderTopWidth) >= 1 ? borderTopColor : "rgba(0, 0, 0, 0)", behind };
    }),
  );
  return found.map(({ color, behind }) => contrast(color, behind));
}

/** Returns WCAG 2's contrast ratio of letters and of the backgrounds, the nearest one first. */
function contrast(color: string, backgrounds: string[]): number {
  const background = backgrounds.reduceRight((behind, next) => over(channels(next), behind), [1, 1, 1]);
  const [dark, light] = [luminance(over(channels(color), background)), luminance(background)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns a colour, which may be translucent, as it is seen on another one. */
function over([red, green, blue, opacity = 1]: number[], behind: number[]): number[] {
  return [red, green, blue].map((value, channel) => opacity * value + (1 - opacity) * behind[channel]);
}

function luminance(color: number[]): number {
  const [red, green, blue] = color.map((value) => (value <= 0.04 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the parts, 0 to 1, of "rgb(1, 2, 3)", "rgba(1, 2, 3, 0)" or "color(srgb 0 1 1)". */
function channels(color: string): number[] {
  const numbers = (color.match(/[\d.]+(?:e-\d+)?/g) ?? []).map(Number);
  return color.startsWith("rgb") ? numbers.map((value, channel) => (channel < 3 ? value / 255 : value)) : numbers;
}
