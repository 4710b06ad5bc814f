import { type Share, byThread, sumOf } from "../model/breakdown";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { bar, fill, h } from "./dom";
import { emptyNote } from "./empty";
import type { PageView } from "./page_view";
import { stateBar } from "./state_bar";
import { paged } from "./table";

/** The view of threads: the time of each thread, and its states. */
export class ThreadsView implements PageView {
  readonly element = h("section", { class: "threads-view", "aria-label": "Threads" });

  constructor(private readonly session: Session) {}

  update(): void {
    if (this.session.empty) return fill(this.element, emptyNote(this.session));
    const threads = [...byThread(this.session.profile, this.session.selection)];
    const weight = (shares: Map<number, Share>): number => sumOf(shares.values(), "target");
    threads.sort((a, b) => weight(b[1]) - weight(a[1]) || a[0] - b[0]);
    const longest = threads.length === 0 ? 0 : weight(threads[0][1]);
    const [body, more] = paged(threads, ([thread, shares]) => [this.row(thread, shares, longest)]);
    const { unit, profile } = this.session;
    const head = h("tr", {}, ...["Thread", ...(unit.isTime ? ["Time", "States"] : [profile.target.meta.kind, ""]), ""].map((title) => h("th", { scope: "col" }, title)));
    const caption = h("caption", {}, `${threads.length} ${threads.length === 1 ? "thread" : "threads"}`);
    fill(this.element, h("div", { class: "table-frame" }, h("table", {}, caption, h("thead", {}, head), body), more));
  }

  private row(thread: number, shares: Map<number, Share>, longest: number): HTMLElement {
    const { session } = this;
    const weight = sumOf(shares.values(), "target");
    const states = session.unit.isTime ? stateBar(session, shares, weight) : bar(1);
    states.style.width = `${longest === 0 ? 0 : Math.max(0.5, (weight / longest) * 100)}%`;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, session.profile.functions.threadName(thread)),
      h("td", { class: "number" }, `${session.unit.format(weight)} `, h("small", {}, percent(weight, session.selection.targetTotal))),
      h("td", { class: "states-cell" }, states),
      h("td", { class: "actions" }, this.toggle(thread)),
    );
  }

  private toggle(thread: number): HTMLElement {
    const { session } = this;
    const { threads } = session.route.filters;
    const pressed = threads.includes(thread);
    const onclick = (): void => session.filter({ threads: pressed ? threads.filter((other) => other !== thread) : [...threads, thread] });
    const name = `Focus ${session.profile.functions.threadName(thread)}`;
    return h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": name, onclick }, "Focus");
  }
}
