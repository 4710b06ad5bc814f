import type { Session } from "../state/session";
import { choice } from "./dom";

/**
 * Returns the controls that the flame graph and the call tree have in common: the direction of
 * stacks, and the order of calls.
 */
export function treeControls(session: Session): HTMLElement[] {
  const { inverted, order } = session.route;
  return [
    choice("Stacks", [["calls", "Calls"], ["callers", "Inverted: who calls this"]], inverted ? "callers" : "calls", (value) =>
      session.navigate({ inverted: value === "callers", zoom: [] }),
    ),
    choice("Order", [["heavy", "Heaviest first"], ["name", "By name"]], order, (value) => session.navigate({ order: value })),
  ];
}
