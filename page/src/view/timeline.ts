import type { Point } from "../flame/graph";
import { currentMetrics } from "../flame/metrics";
import { palette } from "../flame/palette";
import type { Span } from "../model/columns";
import { type LabelSpan, labelSpans } from "../model/label_spans";
import { type Lane, Timeline, firstAfter } from "../model/timeline";
import type { Session } from "../state/session";
import { Chart } from "../timeline/chart";
import { doing, holdsGvl, kindOf } from "../timeline/doing";
import { type Track, place } from "../timeline/layout";
import { moved, zoomed } from "../timeline/scale";
import { TIME, counted } from "../text/units";
import { chooser, fill, h } from "./dom";
import { definitionList } from "./figures";
import { keepFocus } from "./focus";
import { kindEntries } from "./legend";
import type { PageView } from "./page_view";
import { currentTheme } from "./theme";
import type { Tooltip } from "./tooltip";

/** The view of threads on a time axis. A part that is chosen here filters all views. */
export class TimelineView implements PageView {
  readonly element: HTMLElement;
  private readonly chart: Chart;
  private readonly controls = h("div", { class: "controls" });
  private readonly legend = h("ul", { class: "legend", "aria-label": "Colours" });
  private readonly status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  private made: Timeline | null = null;
  private readonly labelsOfLanes = new Map<string, LabelSpan[]>();
  /** The visible part; null: all. */
  private part: Span | null = null;
  /** The data for which the picture was drawn. Only other data make it be drawn again. */
  private drawn = "";
  /** Key of the label whose values are shown below each thread. */
  private labelKey: string;

  constructor(
    private readonly session: Session,
    private readonly tooltip: Tooltip,
  ) {
    this.labelKey = session.profile.labels.keys[0] ?? "";
    this.chart = new Chart({
      choose: (span) => this.choose(span),
      point: (found, at) => this.point(found, at),
      zoom: (factor, moment) => this.show(zoomed(this.shown, factor, moment, this.timeline.end)),
      resize: () => this.draw(),
    });
    const chart = this.chart.element;
    chart.tabIndex = 0;
    chart.setAttribute("role", "application");
    chart.setAttribute("aria-label", "Timeline. Drag to choose a part. Arrow keys move, + and - zoom, Enter chooses what is shown.");
    chart.addEventListener("keydown", (event) => this.key(event));
    const bar = h("div", { class: "flame-bar" }, this.controls, this.legend);
    this.element = h("section", { class: "timeline-view", "aria-label": "Timeline" }, bar, chart, this.status);
  }

  update(): void {
    this.updateControls();
    this.draw();
    fill(this.status, this.summary());
  }

  focus(): void {
    this.chart.element.focus();
  }

  key(event: KeyboardEvent): void {
    const middle = (this.shown.from + this.shown.to) / 2;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.show(moved(this.shown, -0.2, this.timeline.end)),
      ArrowRight: () => this.show(moved(this.shown, 0.2, this.timeline.end)),
      "+": () => this.show(zoomed(this.shown, 0.5, middle, this.timeline.end)),
      "-": () => this.show(zoomed(this.shown, 2, middle, this.timeline.end)),
      Enter: () => this.choose({ from: Math.round(this.shown.from), to: Math.round(this.shown.to) }),
    };
    const action = actions[event.key] as (() => void) | undefined;
    if (!action) return;
    action();
    event.preventDefault();
  }

  private get timeline(): Timeline {
    return (this.made ??= new Timeline(this.session.profile));
  }

  private get shown(): Span {
    return this.part ?? { from: 0, to: Math.max(1, this.timeline.end) };
  }

  private get chosen(): Span | null {
    const { range } = this.session.route.filters;
    return range.length === 0 ? null : { from: range[0], to: range[1] };
  }

  private choose(span: Span | null): void {
    this.session.filter({ range: span && span.to > span.from ? [span.from, span.to] : [] });
  }

  private show(span: Span | null): void {
    this.part = span;
    this.updateControls();
    this.draw();
  }

  private draw(): void {
    const { session, chart } = this;
    if (chart.width === 0) return;
    const { profile } = session;
    const metrics = currentMetrics();
    const drawn = JSON.stringify([this.part, this.labelKey, session.route.filters.fold, currentTheme(), chart.size, metrics.rowHeight]);
    if (drawn === this.drawn) return chart.mark(this.chosen);
    this.drawn = drawn;
    const colours = palette(currentTheme(), profile.functions);
    fill(this.legend, ...kindEntries(new Set([...profile.functions.codeKinds].filter((kind) => kind !== "label")), colours));
    chart.show({
      places: place(this.timeline.groups, (lane) => this.labelsOf(lane).length > 0, metrics, chart.width),
      span: this.shown,
      kindOf: (sample) => kindOf(profile, sample),
      nameOf: (lane) => profile.functions.threadName(lane.thread),
      labelsOf: (lane) => this.labelsOf(lane),
      holdsGvl: (sample) => holdsGvl(profile, sample),
      palette: colours,
      metrics,
    });
    chart.mark(this.chosen);
  }

  private labelsOf(lane: Lane): LabelSpan[] {
    const name = `${lane.thread} ${this.labelKey}`;
    const known = this.labelsOfLanes.get(name);
    if (known) return known;
    const found = this.labelKey === "" ? [] : labelSpans(this.session.profile, lane, this.labelKey);
    const spans = found.map((span) => ({ ...span, value: this.session.valueName({ key: this.labelKey, value: span.value }) }));
    this.labelsOfLanes.set(name, spans);
    return spans;
  }

  private updateControls(): void {
    const { keys } = this.session.profile.labels;
    const button = (text: string, act: () => void, disabled: boolean): HTMLElement => h("button", { type: "button", disabled, onclick: act }, text);
    const controls = [
      button("Zoom to the chosen part", () => this.chosen && this.show(this.chosen), this.chosen === null),
      button("Show all", () => this.show(null), this.part === null),
      button("Choose all", () => this.choose(null), this.chosen === null),
      keys.length > 0 && chooser("Labels", keys.map((key) => [key, key]), this.labelKey, (key) => {
        this.labelKey = key;
        this.update();
      }),
    ];
    keepFocus([this.controls], () => fill(this.controls, ...controls));
  }

  private summary(): string {
    const { chosen } = this;
    const { lanes, end } = this.timeline;
    const processes = this.timeline.groups.length > 1 ? ` of ${this.timeline.groups.length} processes` : "";
    const threads = `${counted(lanes.length, "thread")}${processes}`;
    if (!chosen) return `${threads} in ${TIME.format(end)}; drag to choose a part, which filters all views.`;
    return `Chosen: ${TIME.format(chosen.from)} to ${TIME.format(chosen.to)}, ${TIME.format(chosen.to - chosen.from)} long.`;
  }

  private point(found: { track: Track; moment: number } | null, at: Point): void {
    const lane = found && (found.track.lane ?? this.holder(found.track, found.moment));
    const rows = found && lane ? this.describe(lane, found.moment) : [];
    if (!lane || rows.length === 0) return this.tooltip.hide();
    this.tooltip.show(at, h("b", {}, this.session.profile.functions.threadName(lane.thread)), definitionList(rows, "figures"));
  }

  /** Returns the thread that held the GVL of a process at a moment. */
  private holder({ kind, group }: Track, moment: number): Lane | undefined {
    if (kind !== "gvl") return undefined;
    return group.lanes.find((lane) => {
      const sample = sampleAt(lane, moment);
      return sample >= 0 && holdsGvl(this.session.profile, sample);
    });
  }

  /** Describes what a thread did at a moment; empty if it has no sample there. */
  private describe(lane: Lane, moment: number): [string, string][] {
    const { profile } = this.session;
    const sample = sampleAt(lane, moment);
    if (sample < 0) return [];
    const labels = profile.labels.sets[profile.target.samples.labelSet[sample]].map((id) => profile.labels.labels[id]);
    return [
      ["At", TIME.format(moment)],
      ...doing(profile, sample),
      ...labels.map((label): [string, string] => [label.key, this.session.valueName(label)]),
    ];
  }
}

/** Returns the sample of a thread at a moment; -1: none. */
function sampleAt(lane: Lane, moment: number): number {
  const found = firstAfter(lane.end, moment);
  return found === lane.end.length || lane.start[found] > moment ? -1 : lane.sample[found];
}
