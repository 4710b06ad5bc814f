import { type Share, byThread, sumOf } from "../model/breakdown";
import { type Weights, noWeights } from "../model/weights";
import type { Session } from "../state/session";
import { counted } from "../text/units";
import { fill, h } from "./dom";
import { emptyNote } from "./empty";
import type { PageView } from "./page_view";
import { stateBar } from "./state_bar";
import { type Column, table } from "./table";
import { weightColumn } from "./weight_columns";

interface Row {
  thread: number;
  weights: Weights;
  states: Map<number, Share>;
}

/** The view of threads: the time of each thread, and its states. */
export class ThreadsView implements PageView {
  readonly element = h("section", { class: "threads-view", "aria-label": "Threads" });

  constructor(private readonly session: Session) {}

  update(): void {
    const { session } = this;
    if (session.empty) return fill(this.element, emptyNote(session));
    const { functions, target } = session.profile;
    const { isTime } = session.unit;
    const threads = [...byThread(session.profile, session.selection)].sort(([a], [b]) => a - b);
    const rows = threads.map(([thread, states]): Row => ({ thread, states, weights: { ...noWeights(), total: sumOf(states.values(), "target") } }));
    const states: Column<Row> = { name: "states", title: "States", numeric: true, value: (row) => row.states.get(0)?.target ?? 0, cell: (row) => stateBar(session, row.states, row.weights.total) };
    const content = table<Row>(rows, {
      caption: counted(rows.length, "thread"),
      columns: [
        { name: "name", title: "Thread", value: ({ thread }) => functions.threadName(thread), cell: ({ thread }) => this.name(thread) },
        weightColumn<Row>(session, "total", isTime ? "Time" : target.meta.kind),
        ...(isTime ? [states] : []),
      ],
      sort: session.route.sort,
      first: "total",
      onSort: (sort) => session.navigate({ sort }, true),
    });
    fill(this.element, content);
  }

  private name(thread: number): HTMLElement {
    const { session } = this;
    const { threads } = session.route.filters;
    const name = session.profile.functions.threadName(thread);
    const pressed = threads.includes(thread);
    const onclick = (): void => session.filter({ threads: pressed ? threads.filter((other) => other !== thread) : [...threads, thread] });
    const focus = h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": `Focus ${name}`, onclick }, "Focus");
    return h("span", { class: "label-cell" }, h("span", { class: "label-value" }, name), h("span", { class: "actions" }, focus));
  }
}
