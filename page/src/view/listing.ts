import type { SourceFile } from "../data/document";
import type { Session } from "../state/session";
import { isFile } from "../model/source_files";
import type { Weights } from "../model/weights";
import { percent, relativeChange } from "../text/units";
import { h } from "./dom";
import { paged } from "./table";
import { changeClass, isByChance } from "./weight_columns";

/** Number of lines that are shown before the user asks for more. */
const PAGE = 2000;

/**
 * Returns the lines of a file with their weights. `ofLines`: the weights of all lines, by their
 * numbers in the call tree.
 */
export function listing(session: Session, path: string, ofLines: Weights[], from = 1, to = Infinity): HTMLElement {
  const weights = weightsByLine(session, path, ofLines);
  const source = session.profile.sources.get(path);
  const texts = new Map(source?.lines ?? []);
  const numbers = [...new Set([...texts.keys(), ...weights.keys()])].filter((line) => line >= from && line <= to).sort((a, b) => a - b);
  const head = h("tr", {}, ...columns(session).map(({ title }) => numberHead(title)), numberHead("Line"), h("th", { scope: "col" }, "Source"));
  const rows = (number: number, index: number): HTMLElement[] => {
    const gap = index > 0 && number > numbers[index - 1] + 1 ? [h("tr", { class: "gap" }, h("td", { colspan: head.childElementCount }, "…"))] : [];
    return [...gap, lineRow(session, number, weights.get(number), texts.get(number))];
  };
  if (numbers.length === 0) return h("div", { class: "table-frame" }, note(source, path, 0));
  const [body, more] = paged(numbers, rows, PAGE);
  return h("div", { class: "table-frame" }, note(source, path, numbers.length), h("table", { class: "listing" }, h("caption", {}, path), h("thead", {}, head), body), more);
}

function numberHead(title: string): HTMLElement {
  return h("th", { scope: "col", class: "number" }, title);
}

/** Returns the first and the last line to show for a function: its own lines and a few around. */
export function linesOf(session: Session, fn: number): [number, number] {
  const { functions, tree } = session.profile;
  const own = new Set<number>();
  for (let node = 1; node < tree.size; node++) if (tree.function[node] === fn) own.add(tree.lines[tree.line[node]].number);
  own.delete(0);
  const start = functions.lines[fn];
  if (start > 0) own.add(start);
  const numbers = [...own].sort((a, b) => a - b);
  return numbers.length === 0 ? [1, 0] : [Math.max(1, numbers[0] - 1), numbers[numbers.length - 1] + 3];
}

interface LineWeights extends Weights {
  /** Maximum size of a change of the line by chance alone; null without a comparison. */
  margin: number | null;
}

function weightsByLine(session: Session, path: string, ofLines: Weights[]): Map<number, LineWeights> {
  const found = new Map<number, LineWeights>();
  const margins = session.lineMargins;
  session.profile.tree.lines.forEach((line, id) => {
    const weights = ofLines[id];
    if (line.path === path && line.number > 0 && weights.total + weights.baseTotal > 0) found.set(line.number, { ...weights, margin: margins?.[id] ?? null });
  });
  return found;
}

function lineRow(session: Session, number: number, weights: LineWeights | undefined, text: string | undefined): HTMLElement {
  const cells = columns(session).map(({ cell }) => h("td", { class: "number" }, weights ? cell(weights) : ""));
  const row = h("tr", {}, ...cells, h("td", { class: "number line" }, String(number)), h("td", {}, h("code", {}, text ?? "")));
  if (weights) tint(session, row, weights);
  return row;
}

interface WeightCell {
  title: string;
  cell: (weights: LineWeights) => Node | string;
}

/** Returns the columns before a line: its weights, in a comparison with the change. */
function columns(session: Session): WeightCell[] {
  const { unit, selection, comparing } = session;
  const share = (weight: number, total: number): Node | string =>
    weight === 0 ? "" : h("span", { class: "weight" }, h("span", {}, unit.format(weight)), h("small", {}, percent(weight, total)));
  const total = { title: "Total", cell: (weights: LineWeights) => share(weights.total, selection.targetTotal) };
  if (!comparing) return [{ title: "Self", cell: (weights) => share(weights.self, selection.targetTotal) }, total];
  const change = ({ total: after, baseTotal: before, margin }: LineWeights): Node =>
    h("span", { class: isByChance(after - before, margin) ? "by-chance" : changeClass(after - before) }, unit.formatChange(after - before), " ", h("small", {}, relativeChange(before, after)));
  return [{ title: "Total before", cell: (weights) => share(weights.baseTotal, selection.baseTotal) }, { ...total, title: "Total after" }, { title: "Change", cell: change }];
}

/**
 * Tints a line by its part of the total; in a comparison, by the part that changed beyond chance.
 */
function tint(session: Session, row: HTMLElement, { total, baseTotal, margin }: LineWeights): void {
  if (isByChance(total - baseTotal, margin)) return;
  const { targetTotal, baseTotal: baseAll } = session.selection;
  const share = session.comparing ? Math.abs(total - baseTotal) / Math.max(targetTotal, baseAll) : total / targetTotal;
  row.classList.add("tinted");
  row.style.setProperty("--heat", heat(share || 0));
  if (session.comparing) row.style.setProperty("--heat-colour", `var(--${total > baseTotal ? "more" : "less"})`);
}

/** Returns the strength of a line's tint: visible for any weight, and larger for larger ones. */
function heat(share: number): string {
  return `${Math.round(6 + 44 * Math.sqrt(Math.min(1, share)))}%`;
}

const NOTES: Partial<Record<string, string>> = {
  missing: "The file is not there (any more): the lines are shown without their text.",
  unread: "The file is no source code that can be shown: the lines are shown without their text.",
  "too much": "The profile names more source than a page can hold: this file's text was left out.",
  newer: "The file was changed after the profile was recorded: the lines may have moved.",
};

/**
 * Returns a note if texts are missing or have changed. Files that were not looked for are markers,
 * libraries without lines, or beyond the limit of files.
 */
function note(source: SourceFile | undefined, path: string, lines: number): HTMLElement | null {
  const without = lines > 0 ? NOTES["too much"] : "Its source is not known: the profile has no line of it.";
  const text = source ? NOTES[source.state] : isFile(path) ? without : "Its source is not known: it has no file.";
  return text === undefined ? null : h("p", { class: "note" }, text);
}
