type Child = Node | string | null | false;
type Listener = (event: never) => void;

type Properties = Record<string, string | number | boolean | null | Listener | undefined>;

/**
 * Creates an element. Texts become text nodes and never markup. Properties that begin with "on" are
 * listeners. True sets an attribute without a value; false, null and undefined set none.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== false));
}

/** A word, or a part of a long one, with the separators behind it. */
const PIECE = /(?:(?!::|[#./_]).){1,20}(?:::|[#./_]+)?|(?:::|[#./_]+)/gsu;

/**
 * Returns the nodes of a name or a path that breaks behind the separators of its parts, and in long
 * words. It breaks elsewhere only if there is no room.
 */
export function breakable(text: string): Node[] {
  return (text.match(PIECE) ?? []).flatMap((piece) => [document.createTextNode(piece), h("wbr")]).slice(0, -1);
}

/** Returns a bar whose length is a part of the whole, from 0 to 1. */
export function bar(share: number, className = "bar"): HTMLElement {
  const inner = h("i");
  inner.style.width = `${Math.min(100, Math.max(0, share * 100))}%`;
  return h("span", { class: className, "aria-hidden": "true" }, inner);
}

/** Returns a list with one chosen option. `options`: pairs of a value and a text. */
export function chooser(name: string, options: [string, string][], chosen: string, choose: (value: string) => void): HTMLElement {
  const items = options.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  const onchange = (event: Event): void => choose((event.target as HTMLSelectElement).value);
  return h("label", { class: "chooser" }, h("span", {}, name), h("select", { onchange }, ...items));
}

/** Returns a group of buttons of which one is pressed. */
export function choice<Value extends string>(
  name: string,
  options: [Value, string][],
  chosen: Value,
  choose: (value: Value) => void,
): HTMLElement {
  const buttons = options.map(([value, text]) =>
    h("button", { type: "button", "aria-pressed": String(value === chosen), "data-value": value, onclick: () => choose(value) }, text),
  );
  return h("div", { class: "choice", role: "group", "aria-label": name }, ...buttons);
}
