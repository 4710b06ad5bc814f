const CONTROLS = "a, button:not(:disabled), select, input, [tabindex]";

/**
 * Updates elements. If the update replaces the control with the focus, the control in its place
 * gets the focus, for users who press it again; if it has vanished, the nearest one. `roots`: the
 * elements, which stay.
 */
export function keepFocus(roots: Element[], update: () => void): void {
  const focused = document.activeElement;
  const root = roots.find((candidate) => candidate !== focused && candidate.contains(focused));
  const place = root && focused ? placeIn(root, focused) : [];
  update();
  if (root && focused && !focused.isConnected) controlAt(root, place)?.focus({ preventScroll: true });
}

/** Returns the indexes of an element and of those around it, the outermost first. */
function placeIn(root: Element, element: Element): number[] {
  const place = [];
  for (let at = element; at !== root && at.parentElement; at = at.parentElement) place.unshift([...at.parentElement.children].indexOf(at));
  return place;
}

/**
 * Returns the control at a place, or at the last one of a list that became shorter. If there is
 * none, returns the nearest control that can be used: inside of that place, before it, or after it.
 */
function controlAt(root: Element, place: number[]): HTMLElement | null {
  const found = place.reduce<Element>((at, index) => at.children[Math.min(index, at.children.length - 1)] ?? at, root);
  const controls = [...root.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.getClientRects().length > 0);
  const own = controls.filter((control) => control.contains(found)).at(-1);
  const inside = controls.find((control) => found.contains(control));
  const before = controls.filter((control) => (control.compareDocumentPosition(found) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0).at(-1);
  return own ?? inside ?? before ?? controls.at(0) ?? null;
}
