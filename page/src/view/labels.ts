import { type LabelFilter, sameLabel } from "../model/filters";
import { type Share, byLabel, sumOf } from "../model/breakdown";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { bar, fill, h } from "./dom";
import { emptyNote } from "./empty";
import type { PageView } from "./page_view";

const MOST_VALUES = 200;

/** Labels: the weight of each value, and ways to filter by it. */
export class LabelsView implements PageView {
  readonly element = h("section", { class: "labels-view", "aria-label": "Labels" });

  constructor(private readonly session: Session) {}

  update(): void {
    const { keys } = this.session.profile.labels;
    if (keys.length === 0) {
      return fill(this.element, h("p", { class: "note" }, "The samples have no labels. In the program, Rperf.label(request: id) { ... } sets them."));
    }
    if (this.session.empty) return fill(this.element, emptyNote(this.session));
    fill(this.element, ...keys.map((key) => this.card(key)));
  }

  private card(key: string): HTMLElement {
    const shares = [...byLabel(this.session.profile, this.session.selection, key)].sort((a, b) => b[1].target - a[1].target || b[1].base - a[1].base);
    const total = sumOf(shares.map(([, share]) => share), "target");
    const rows = shares.slice(0, MOST_VALUES).map(([value, share]) => this.row(key, value, share, total));
    const rest = shares.length - rows.length;
    return h(
      "article",
      { class: "card" },
      h("header", {}, h("h2", {}, key), this.placement(key, "tagRoot", "At the root"), this.placement(key, "tagLeaf", "At the leaf")),
      h("table", {}, h("caption", { class: "hidden" }, `Values of ${key}`), h("tbody", {}, ...rows)),
      rest > 0 && h("p", { class: "note" }, `${rest.toLocaleString("en-US")} values with less time are not listed.`),
    );
  }

  /** Puts the values of a key into the stacks as frames. */
  private placement(key: string, place: "tagRoot" | "tagLeaf", text: string): HTMLElement {
    const { session } = this;
    const keys = session.route.filters[place];
    const pressed = keys.includes(key);
    const onclick = (): void => session.filter({ [place]: pressed ? keys.filter((other) => other !== key) : [...keys, key] });
    const name = `Values of ${key} ${text.toLowerCase()} of the stacks`;
    return h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": name, onclick }, text);
  }

  private row(key: string, value: string | null, share: Share, total: number): HTMLElement {
    const { unit, comparing } = this.session;
    const name = value === null ? h("em", {}, "(not set)") : h("span", {}, value === "" ? "(empty)" : value);
    const buttons = value === null ? [] : [this.toggle("tagFocus", { key, value }, "Focus"), this.toggle("tagIgnore", { key, value }, "Ignore")];
    return h(
      "tr",
      {},
      h("td", { class: "label-value" }, name),
      h("td", { class: "number" }, h("span", { class: "weight" }, bar(total === 0 ? 0 : share.target / total), h("span", {}, unit.format(share.target)), h("small", {}, percent(share.target, total)))),
      comparing && h("td", { class: "number" }, unit.formatChange(share.target - share.base)),
      h("td", { class: "actions" }, ...buttons),
    );
  }

  private toggle(list: "tagFocus" | "tagIgnore", label: LabelFilter, text: string): HTMLElement {
    const { session } = this;
    const labels = session.route.filters[list];
    const pressed = labels.some((other) => sameLabel(other, label));
    const others = labels.filter((other) => !sameLabel(other, label));
    const onclick = (): void => session.filter({ [list]: pressed ? others : [...others, label] });
    return h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": `${text} ${label.key}: ${label.value}`, onclick }, text);
  }
}
