import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { percent, relativeChange } from "../text/units";
import { h } from "./dom";

/** Returns the weights of a frame of the tree. */
export function frameFigures({ tree }: Session, node: number): Weights {
  const { targetSelf, targetTotal, baseSelf, baseTotal } = tree;
  return { self: targetSelf[node], total: targetTotal[node], baseSelf: baseSelf[node], baseTotal: baseTotal[node] };
}

/** Describes a frame of the tree. In an inverted tree, frames have no time of their own. */
export function describeFrame(session: Session, node: number, zoomTotal?: number): [string, string][] {
  const rows = describe(session, frameFigures(session, node), zoomTotal);
  return session.route.inverted ? rows.filter(([name]) => !/self/i.test(name)) : rows;
}

/**
 * Describes a function, with all of its frames. The objects that it allocates are its own. Chance
 * is known of the classes that have them in stacks.
 */
export function describeFunction(session: Session, fn: number): [string, string][] {
  const { chance, unit, functionWeights, profile: { functions } } = session;
  const weights = functions.kind(fn) === "label" ? functionWeights[fn] : session.codeWeights[fn];
  const kinds: Partial<Record<string, "own" | "total">> = { "Change of total": "total", ...(hasObjects(weights, functionWeights[fn]) ? {} : { "Change of self": "own" }) };
  return describe(session, weights).map(([name, text]) => {
    const kind = kinds[name];
    return [name, chance && kind ? `${text} ±${unit.format(chance.margin(fn, kind))} by chance` : text];
  });
}

/** Whether a function has objects: their classes have the weights in stacks. */
function hasObjects(own: Weights, inStacks: Weights): boolean {
  return own.self !== inStacks.self || own.baseSelf !== inStacks.baseSelf;
}

/** Describes a frame or a function: pairs of a name and a text. */
function describe(session: Session, figures: Weights, zoomTotal?: number): [string, string][] {
  const { unit, selection } = session;
  const value = (weight: number, total: number): string => `${unit.format(weight)} (${percent(weight, total)})`;
  const rows: [string, string][] = [
    ["Total", value(figures.total, selection.targetTotal)],
    ["Self", value(figures.self, selection.targetTotal)],
  ];
  if (zoomTotal !== undefined && zoomTotal !== selection.targetTotal) rows.push(["Of the zoomed frame", percent(figures.total, zoomTotal)]);
  if (session.comparing) {
    const change = (base: number, target: number): string => `${unit.formatChange(target - base)} (${relativeChange(base, target)})`;
    rows.push(["Total before", value(figures.baseTotal, selection.baseTotal)], ["Change of total", change(figures.baseTotal, figures.total)]);
    rows.push(["Self before", value(figures.baseSelf, selection.baseTotal)], ["Change of self", change(figures.baseSelf, figures.self)]);
  }
  return rows;
}

/** Returns the place where a function is defined, such as "app.rb:12"; empty if unknown. */
export function placeOf(session: Session, fn: number): string {
  const { paths, lines } = session.profile.functions;
  return lines[fn] > 0 ? `${paths[fn]}:${lines[fn]}` : paths[fn];
}

export function definitionList(rows: [string, string][], className: string): HTMLElement {
  return h("dl", { class: className }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}
