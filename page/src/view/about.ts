import { countOf } from "../chance/precision";
import type { Side } from "../data/profile";
import type { Session } from "../state/session";
import { TIME, Unit, grouped } from "../text/units";
import { fill, h } from "./dom";
import { definitionList } from "./figures";
import type { PageView } from "./page_view";

/** The view of what the profile says about itself: its recording, drops and comments. */
export class AboutView implements PageView {
  readonly element = h("section", { class: "about-view", "aria-label": "About the profile" });

  constructor(private readonly session: Session) {}

  update(): void {
    const { target, base } = this.session.profile;
    fill(this.element, this.card(base ? "Target" : "Recording", target), base && this.card("Base", base));
  }

  private card(title: string, side: Side): HTMLElement {
    const { comments, stat } = side.meta;
    return h(
      "article",
      { class: "card" },
      h("h2", {}, title),
      definitionList(this.recording(side), "figures wide"),
      h("h3", {}, "Drops"),
      this.drops(side),
      comments.length > 0 && h("h3", {}, "Comments"),
      comments.length > 0 && h("ul", { class: "comments" }, ...comments.map((comment) => h("li", {}, comment))),
      stat.length > 0 && h("h3", {}, "Process"),
      stat.length > 0 && definitionList(processRows(stat), "figures wide"),
    );
  }

  private recording(side: Side): [string, string][] {
    const { meta, counters, samples } = side;
    const { unit } = this.session;
    const weight = samples.weight.reduce((sum, value) => sum + value, 0);
    const rows: [string, string | null][] = [
      ["Measures", `${meta.kind} (${meta.unit})`],
      ["Total", unit.format(weight)],
      ["Samples", `${grouped(countOf(side))} in ${grouped(samples.weight.length)} rows`],
      ["Started", meta.start_time_ns === 0 ? null : new Date(meta.start_time_ns / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC")],
      ["Duration", meta.duration_ns === 0 ? null : TIME.format(meta.duration_ns)],
      ["Frequency", meta.frequency === 0 ? null : `${grouped(meta.frequency)} Hz`],
      ["Interval", meta.period ? periodText(meta.period) : null],
      ["Engine", meta.engine || null],
      ["Threads", counters.detected_thread_count === 0 ? null : grouped(counters.detected_thread_count)],
      ["Time for sampling", counters.sampling_time_ns === 0 ? null : TIME.format(counters.sampling_time_ns)],
      ["rperf", meta.rperf_version || null],
      ["Ruby", meta.ruby_version || null],
    ];
    return rows.filter((row): row is [string, string] => row[1] !== null);
  }

  private drops({ counters }: Side): HTMLElement {
    if (counters.drops.length === 0) return h("p", {}, "Nothing that is known was lost.");
    const { unit } = this.session;
    const head = h("tr", {}, ...["Cause", "Samples", ...(unit.isTime ? ["Time"] : [])].map((name, index) => h("th", { scope: "col", class: index > 0 ? "number" : null }, name)));
    const rows = counters.drops.map(([cause, samples, weight]) =>
      h("tr", {}, h("td", {}, cause), h("td", { class: "number" }, grouped(samples)), unit.isTime && h("td", { class: "number" }, unit.format(weight))),
    );
    return h("table", { class: "drops" }, h("caption", { class: "hidden" }, "What was lost"), h("thead", {}, head), h("tbody", {}, ...rows));
  }
}

/** Returns a text such as "500 objects" or "512.0 kB space". */
function periodText([kind, unit, length]: [string, string, number]): string {
  return `${new Unit(unit).format(length)} ${kind}`;
}

/**
 * Returns the figures about the process that are known, as they are shown. The end on the monotonic
 * clock is for `rperf stat` alone.
 */
export function processRows(stat: [string, unknown][]): [string, string][] {
  const words = (name: string): string => name.replace(/_(ns|bytes)$/, "").replaceAll("_", " ");
  return stat.filter(([name, value]) => name !== "ended_ns" && value !== null).map(([name, value]) => [words(name), figure(name, value)]);
}

function figure(name: string, value: unknown): string {
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (name === "pid") return String(value);
  if (name.endsWith("_bytes")) return new Unit("bytes").format(value);
  return name.endsWith("_ns") ? TIME.format(value) : grouped(value, Number.isInteger(value) ? 0 : 3);
}
