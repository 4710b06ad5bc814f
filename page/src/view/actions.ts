import { exactly } from "../model/pattern";
import type { Session } from "../state/session";
import type { MenuItem } from "./menu";

/** What can be done with a function, from a menu. */
export function functionActions(session: Session, fn: number): MenuItem[] {
  const { functions, sources } = session.profile;
  const { filters } = session.route;
  const pattern = exactly(functions.name(fn));
  const items: MenuItem[] = [
    { text: "Focus: only stacks with it", choose: () => session.filter({ focus: [...filters.focus, pattern] }) },
    { text: "Ignore: no stacks with it", choose: () => session.filter({ ignore: [...filters.ignore, pattern] }) },
    { text: "Search for it", choose: () => session.navigate({ search: pattern }) },
  ];
  if (fn < functions.real) {
    items.push({ text: "Callers, callees and source", choose: () => session.navigate({ view: "method", method: fn }) });
    if (sources.has(functions.paths[fn])) {
      items.push({ text: "The whole file", choose: () => session.navigate({ view: "source", source: functions.paths[fn] }) });
    }
  }
  items.push({ text: "Copy the name", choose: () => copy(functions.name(fn)) });
  return items;
}

/** Pages that are not from this machine have no clipboard. */
function copy(text: string): void {
  void (navigator as Partial<Navigator>).clipboard?.writeText(text);
}
