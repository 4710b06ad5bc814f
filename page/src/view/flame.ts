import { changeMark, palette } from "../flame/palette";
import { Graph, type Point } from "../flame/graph";
import { layOut } from "../flame/layout";
import { currentMetrics } from "../flame/metrics";
import type { Scene } from "../flame/painter";
import { type Step, walk } from "../flame/walk";
import type { Kind } from "../data/function_table";
import { callsTo, followCalls, pathTo } from "../model/frame_tree";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { functionActions } from "./actions";
import { choice, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { definitionList, describeFrame, placeOf } from "./figures";
import { kindEntries, legendEntry } from "./legend";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { currentTheme } from "./theme";
import type { Tooltip } from "./tooltip";
import { treeControls } from "./tree_controls";
import { isByChance } from "./weight_columns";

/** Steps of the arrow keys with the root at the top, and with the root at the bottom. */
const STEPS = new Map<string, [Step, Step]>([
  ["ArrowUp", ["out", "in"]],
  ["ArrowDown", ["in", "out"]],
  ["ArrowLeft", ["left", "left"]],
  ["ArrowRight", ["right", "right"]],
]);

/** The flame graph with its controls and a line about the frame under the pointer or cursor. */
export class FlameView implements PageView {
  readonly element: HTMLElement;
  private readonly graph: Graph;
  private readonly controls = h("div", { class: "controls" });
  private readonly legend = h("ul", { class: "legend", "aria-label": "Colours" });
  private readonly trail = h("nav", { class: "trail", "aria-label": "Frames above the zoomed one" });
  /** Replaces the graph when there is nothing to draw. */
  private readonly emptiness = h("div", { hidden: true });
  private readonly status = h("p", { class: "status", role: "status", "aria-live": "polite", id: "flame-status" });

  constructor(
    private readonly session: Session,
    private readonly tooltip: Tooltip,
    private readonly menu: Menu,
  ) {
    this.graph = new Graph(session.profile.functions, {
      zoom: (node) => this.zoom(node),
      point: (node, at) => this.point(node, at),
      menu: (node, at) => this.openMenu(node, at),
      resize: () => this.draw(),
    });
    const name = "Flame graph. Arrow keys move between frames, Enter zooms, Backspace zooms out, m opens the menu.";
    const graph = this.graph.element;
    graph.tabIndex = 0;
    graph.setAttribute("role", "application");
    graph.setAttribute("aria-label", name);
    graph.setAttribute("aria-describedby", "flame-status");
    graph.addEventListener("keydown", (event) => this.key(event));
    const bar = h("div", { class: "flame-bar" }, this.controls, this.legend);
    this.element = h("section", { class: "flame-view", "aria-label": "Flame graph" }, bar, this.trail, this.emptiness, graph, this.status);
  }

  update(): void {
    const { empty } = this.session;
    this.emptiness.hidden = !empty;
    this.graph.element.hidden = empty;
    fill(this.emptiness, empty && emptyNote(this.session));
    this.updateControls();
    this.updateTrail();
    this.draw();
    this.point(-1, null);
  }

  focus(): void {
    this.graph.element.focus();
  }

  /**
   * Puts the cursor on a frame that the search finds. Zooms to a frame that is too narrow to be
   * seen.
   */
  step(direction: 1 | -1): string {
    const { session, graph } = this;
    const node = session.hits.step(graph.cursorNode, direction);
    if (node < 0) return "";
    if (!graph.shows(node)) this.zoom(node);
    graph.setCursor(node);
    return session.hits.text;
  }

  private get zoomed(): number {
    return followCalls(this.session.tree, this.session.route.zoom);
  }

  private draw(): void {
    const { session } = this;
    const { tree } = session;
    const root = this.zoomed;
    if (this.graph.width === 0) return;
    const scene: Scene = {
      tree,
      rows: layOut(tree, root, this.graph.width),
      zoomDepth: tree.depth[root],
      found: session.found,
      comparing: session.comparing,
      isByChance: (node) => isByChance(tree.targetTotal[node] - tree.baseTotal[node], session.margins?.ofFrame(tree, node, "total", session.route.inverted) ?? null),
      palette: palette(currentTheme(), session.profile.functions),
      metrics: currentMetrics(),
    };
    this.graph.show(scene, session.route.upright);
    this.updateLegend(scene);
  }

  private updateControls(): void {
    const { session } = this;
    const { upright } = session.route;
    fill(
      this.controls,
      choice("Direction", [["icicle", "Icicle"], ["flame", "Flame"]], upright ? "flame" : "icicle", (value) =>
        session.navigate({ upright: value === "flame" }),
      ),
      ...treeControls(session),
      session.route.zoom.length > 0 && h("button", { type: "button", class: "reset", onclick: () => this.zoom(0) }, "Reset zoom"),
    );
  }

  private updateLegend(scene: Scene): void {
    const { palette: colours } = scene;
    if (this.session.comparing) {
      fill(this.legend, legendEntry(colours.change(1), `${changeMark(1)}new`), legendEntry(colours.change(0.4), "more"), legendEntry(colours.change(0), "same, or by chance"), legendEntry(colours.change(-0.4), "less"), legendEntry(colours.change(-1), `${changeMark(-1)}gone`));
      return;
    }
    const kinds = new Set<Kind>();
    const { functions } = this.session.profile;
    for (const row of scene.rows) for (const node of row.node) if (node > 0) kinds.add(functions.kind(scene.tree.function[node]));
    fill(this.legend, ...kindEntries(kinds, colours));
  }

  private updateTrail(): void {
    const { tree, profile } = this.session;
    const path = pathTo(tree, this.zoomed);
    const name = (node: number): string => (node === 0 ? "all" : profile.functions.title(tree.function[node]));
    const shown = path.length > 7 ? [...path.slice(0, 2), -1, ...path.slice(-4)] : path;
    fill(
      this.trail,
      ...(path.length === 1 ? [] : shown.map((node) =>
        node === -1 ? h("span", {}, "…") : h("button", { type: "button", onclick: () => this.zoom(node) }, name(node)),
      )),
    );
    this.trail.hidden = path.length === 1;
  }

  private zoom(node: number): void {
    this.tooltip.hide();
    this.session.navigate({ zoom: callsTo(this.session.tree, node) });
  }

  private point(node: number, at: Point | null): void {
    if (!at) this.tooltip.hide();
    if (node < 0) return fill(this.status, this.summary());
    const { session } = this;
    const fn = session.tree.function[node];
    const name = fn < 0 ? "all" : session.profile.functions.title(fn);
    const { depth, targetTotal } = session.tree;
    const root = this.zoomed;
    const rows = describeFrame(session, node, depth[node] >= depth[root] ? targetTotal[root] : undefined);
    fill(this.status, h("b", {}, name), ` ${rows.map(([key, text]) => `${key.toLowerCase()} ${text}`).join(", ")}`);
    if (at) {
      const place = fn < 0 ? "" : placeOf(session, fn);
      this.tooltip.show(at, h("b", {}, name), h("span", { class: "path" }, place), definitionList(rows, "figures"));
    }
  }

  private summary(): string {
    const { session } = this;
    const { selection, unit } = session;
    const all = session.selection.targetTotal;
    const found = session.found;
    if (session.empty) return "";
    if (!found) return `${unit.format(all)} in all. Click zooms, right-click filters.`;
    const weight = this.foundWeight(found);
    return `${unit.format(weight)} (${percent(weight, selection.targetTotal)}) in frames that '${session.route.search}' finds`;
  }

  /** Returns the weight of the stacks that have a marked frame. */
  private foundWeight(found: Uint8Array): number {
    const { tree } = this.session;
    const inside = new Uint8Array(tree.size);
    let weight = 0;
    for (let node = 1; node < tree.size; node++) {
      inside[node] = inside[tree.parent[node]] | found[tree.function[node]];
      if (inside[node] === 1) weight += tree.targetSelf[node];
    }
    return weight;
  }

  private openMenu(node: number, at: Point): void {
    this.tooltip.hide();
    const { session } = this;
    const zoom = { text: node === 0 ? "Reset zoom" : "Zoom", choose: () => this.zoom(node) };
    if (node === 0) return this.menu.open(at, "all", [zoom]);
    const fn = session.tree.function[node];
    this.menu.open(at, session.profile.functions.name(fn), [zoom, ...functionActions(session, fn)]);
  }

  key(event: KeyboardEvent): void {
    const scene = this.graph.shown;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = STEPS.get(event.key);
    if (steps) this.graph.setCursor(walk(scene, this.graph.cursorNode, steps[this.session.route.upright ? 1 : 0]));
    else if (event.key === "Backspace") this.zoom(Math.max(0, scene.tree.parent[this.zoomed]));
    else if (!this.onCursorKey(event.key)) return;
    event.preventDefault();
  }

  /** Handles a key that acts on the frame under the cursor. Returns whether it is such a key. */
  private onCursorKey(key: string): boolean {
    const node = this.graph.cursorNode;
    if (node < 0) return false;
    if (key === "Enter") this.zoom(node);
    else if (key === "m" || key === "ContextMenu") this.openMenu(node, this.graph.cursorPoint());
    else return false;
    return true;
  }
}
