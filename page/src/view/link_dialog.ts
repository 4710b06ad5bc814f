import type { Links } from "../state/links";
import { fill, h } from "./dom";

/** Returns the dialog in which the user chooses where links of lines lead. */
export function linkDialog(links: Links, changed: () => void): HTMLDialogElement {
  const field = (name: string, example: string): HTMLInputElement => h("input", { type: "text", name, placeholder: example, spellcheck: "false", autocomplete: "off" });
  const editor = field("editor", "vscode://file{path}:{line}");
  const repository = field("repository", "…/blob/main/{path}#L{line}");
  const problem = h("p", { class: "problem", role: "alert" });
  const row = (title: string, input: HTMLInputElement): HTMLElement => h("label", { class: "field" }, h("span", {}, title), input);
  const save = (event: Event): void => {
    const wrong = links.choose({ editor: editor.value.trim(), repository: repository.value.trim() });
    fill(problem, wrong);
    if (wrong !== "") event.preventDefault();
    else changed();
  };
  const buttons = h("div", {}, h("button", { type: "submit", onclick: save }, "Save"), " ", h("button", { type: "submit", formnovalidate: true }, "Cancel"));
  const form = h("form", { method: "dialog" }, row("Editor (any file)", editor), row("Repository (files of the project)", repository), problem, buttons);
  const note = h("p", { class: "path" }, "{path} and {line} are put in; empty: no links. This browser remembers them.");
  const dialog = h("dialog", { class: "help links", "aria-label": "Links" }, h("h2", {}, "Links to lines"), note, form);
  dialog.addEventListener("toggle", () => {
    if (!dialog.open) return;
    fill(problem);
    [editor.value, repository.value] = [links.templates.editor, links.templates.repository];
  });
  return dialog;
}
