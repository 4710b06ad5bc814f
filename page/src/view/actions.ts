import type { Label } from "../data/label_table";
import type { Filters } from "../model/filters";
import { exactly } from "../model/pattern";
import type { Session } from "../state/session";
import type { MenuItem } from "./menu";

/** Returns the menu items for a function. `line`: the line to which links to its file lead. */
export function functionActions(session: Session, fn: number, line = session.profile.functions.lines[fn]): MenuItem[] {
  const { functions, labels, sources } = session.profile;
  const { filters } = session.route;
  const pattern = exactly(functions.name(fn));
  const items: MenuItem[] = [{ text: "Search for it", choose: () => session.navigate({ search: pattern }) }];
  if (fn !== functions.off) {
    const label = labels.labels[fn - functions.real] as Label | undefined;
    const [focus, ignore]: Partial<Filters>[] = label
      ? [{ tagFocus: [...filters.tagFocus, label] }, { tagIgnore: [...filters.tagIgnore, label] }]
      : [{ focus: [...filters.focus, pattern] }, { ignore: [...filters.ignore, pattern] }];
    items.unshift({ text: "Focus: only stacks with it", choose: () => session.filter(focus) }, { text: "Ignore: no stacks with it", choose: () => session.filter(ignore) });
  }
  if (fn < functions.real) {
    items.push({ text: "Callers, callees and source", choose: () => session.navigate({ view: "method", method: fn }) });
    if (sources.has(functions.paths[fn])) {
      items.push({ text: "The whole file", choose: () => session.navigate({ view: "source", source: functions.paths[fn] }) });
    }
  }
  if (fn < functions.real) items.push(...session.linksTo(fn, line).map(([text, address]) => ({ text, choose: () => follow(address) })));
  items.push({ text: "Copy the name", choose: () => copy(functions.name(fn)) });
  return items;
}

/** Opens an address: a web page in a tab of its own, a link to the editor by the browser. */
function follow(address: string): void {
  if (/^https?:/i.test(address)) window.open(address, "_blank", "noopener,noreferrer");
  else location.assign(address);
}

/** Copies a text. Pages that are not from this machine have no clipboard. */
function copy(text: string): void {
  void (navigator as Partial<Navigator>).clipboard?.writeText(text);
}
