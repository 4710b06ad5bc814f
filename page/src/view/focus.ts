/**
 * Updates elements. If the update replaces the control with the focus, the control in its place
 * gets the focus, for users who press it again. `roots`: the elements, which stay.
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

/** Returns the control at a place, or the last one before it in a list that became shorter. */
function controlAt(root: Element, place: number[]): HTMLElement | null {
  const found = place.reduce<Element>((at, index) => at.children[Math.min(index, at.children.length - 1)] ?? at, root);
  return found.closest<HTMLElement>("a, button, select, input, [tabindex]");
}
