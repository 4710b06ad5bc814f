import type { SourceFile } from "../data/document";
import type { Session } from "../state/session";
import type { Weights } from "../model/weights";
import { percent } from "../text/units";
import { bar, h } from "./dom";

/** Lines of a file with the weights that were measured on them. */
export function listing(session: Session, path: string, from = 1, to = Infinity): HTMLElement {
  const weights = weightsByLine(session, path);
  const source = session.profile.sources.get(path);
  const texts = new Map(source?.lines ?? []);
  const numbers = [...new Set([...texts.keys(), ...weights.keys()])].filter((line) => line >= from && line <= to).sort((a, b) => a - b);
  const rows = numbers.flatMap((number, index) => {
    const gap = index > 0 && number > numbers[index - 1] + 1 ? [h("tr", { class: "gap" }, h("td", { colspan: 4 }, "…"))] : [];
    return [...gap, lineRow(session, number, weights.get(number), texts.get(number))];
  });
  const head = h("tr", {}, ...["Self", "Total", "Line", "Source"].map((title) => h("th", { scope: "col" }, title)));
  return h("div", { class: "table-frame" }, note(source), h("table", { class: "listing" }, h("caption", {}, path), h("thead", {}, head), h("tbody", {}, ...rows)));
}

/** The first and last line with weight or text, around a function's own lines. */
export function linesOf(session: Session, fn: number): [number, number] {
  const { functions, tree } = session.profile;
  const own = new Set<number>();
  for (let node = 1; node < tree.size; node++) if (tree.function[node] === fn) own.add(tree.lines[tree.line[node]].number);
  own.delete(0);
  const start = functions.lines[fn];
  const numbers = start > 0 ? [start, ...own] : [...own];
  return [Math.max(1, Math.min(...numbers) - 1), Math.max(...numbers) + 3];
}

function weightsByLine(session: Session, path: string): Map<number, Weights> {
  const found = new Map<number, Weights>();
  session.profile.tree.lines.forEach((line, id) => {
    const weights = session.lineWeights[id];
    if (line.path === path && line.number > 0 && weights.total + weights.baseTotal > 0) found.set(line.number, weights);
  });
  return found;
}

function lineRow(session: Session, number: number, weights: Weights | undefined, text: string | undefined): HTMLElement {
  const { unit, selection } = session;
  const cell = (weight: number | undefined): HTMLElement =>
    h("td", { class: "number" }, weight ? h("span", { class: "weight" }, bar(weight / (selection.targetTotal || 1)), h("span", {}, unit.format(weight)), h("small", {}, percent(weight, selection.targetTotal))) : "");
  const row = h("tr", {}, cell(weights?.self), cell(weights?.total), h("td", { class: "number" }, String(number)), h("td", {}, h("code", {}, text ?? "")));
  if (weights) row.style.setProperty("--heat", heat(Math.max(weights.total / (selection.targetTotal || 1), weights.baseTotal / (selection.baseTotal || 1))));
  return row;
}

/** How strongly a line is tinted: visible for any weight, and more where there is more. */
function heat(share: number): string {
  return `${Math.round(6 + 44 * Math.sqrt(Math.min(1, share)))}%`;
}

const NOTES: Partial<Record<string, string>> = {
  missing: "The file is not there (any more): the lines are shown without their text.",
  unread: "The file is no source code that can be shown: the lines are shown without their text.",
  "too much": "The profile names more source than a page can hold: this file's text was left out.",
  newer: "The file was changed after the profile was recorded: the lines may have moved.",
};

function note(source: SourceFile | undefined): HTMLElement | null {
  const text = source ? NOTES[source.state] : "Its source is not known: it has no file.";
  return text === undefined ? null : h("p", { class: "note" }, text);
}
