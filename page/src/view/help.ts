import { h } from "./dom";

const KEYS: [string, string][] = [
  ["1 … 9", "the views, from left to right"],
  ["/", "search (a regular expression)"],
  ["n, N", "the next hit of the search, the previous one; in the search field Enter and Shift+Enter"],
  ["Arrow keys", "in the flame graph and in the call tree: from frame to frame; → and ← open and close a call"],
  ["Enter", "zoom to the frame; in the call tree: its callers and callees"],
  ["Backspace", "zoom out by one frame"],
  ["+, -", "in the timeline: zoom; the arrow keys move, Enter chooses the part that is shown"],
  ["m", "the menu of the frame: focus, ignore, callers and callees"],
  ["Escape", "close, or reset the zoom"],
  ["t", "light or dark"],
  ["?", "this help"],
];

/** Returns the dialog with the keys of the page. */
export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, text)));
  const close = h("button", { type: "submit" }, "Close");
  return h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"), h("table", {}, h("tbody", {}, ...rows)), h("form", { method: "dialog" }, close));
}
