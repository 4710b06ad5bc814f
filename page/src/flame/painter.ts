import type { FunctionTable } from "../data/function_table";
import type { FrameTree } from "../model/frame_tree";
import { cutName } from "../text/fitting";
import { CROWD, type Row } from "./layout";
import type { Metrics } from "./metrics";
import { type Palette, changeOf, changeMark } from "./palette";

/** Gap between rows, and between frames that are wide enough, in pixels. */
const GAP = 1;

/** The content of the graph. */
export interface Scene {
  tree: FrameTree;
  rows: Row[];
  /** Depth of the frame to which the graph is zoomed. */
  zoomDepth: number;
  /** Functions to mark; null marks none. */
  found: Uint8Array | null;
  comparing: boolean;
  /** Whether chance explains the change of a frame. */
  isByChance: (node: number) => boolean;
  palette: Palette;
  metrics: Metrics;
}

/** The part of the graph that is on the canvas, in pixels of the page. */
export interface Window {
  width: number;
  height: number;
  /** Returns the y of a row's upper edge on the canvas. */
  yOf: (row: number) => number;
}

/** Draws frames onto a canvas. */
export class Painter {
  /** Texts of the frames of `painted`, by their room and name. */
  private readonly texts = new Map<string, string>();
  private painted: Scene | null = null;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly functions: FunctionTable,
  ) {}

  paint(scene: Scene, window: Window, ratio: number): void {
    const { context } = this;
    if (scene !== this.painted) this.texts.clear();
    this.painted = scene;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, window.width, window.height);
    context.font = scene.metrics.font;
    context.textBaseline = "middle";
    scene.rows.forEach((row, depth) => {
      const y = window.yOf(depth);
      if (y + scene.metrics.rowHeight > 0 && y < window.height) this.paintRow(scene, row, depth, y);
    });
  }

  private paintRow(scene: Scene, row: Row, depth: number, y: number): void {
    for (let index = 0; index < row.node.length; index++) {
      const node = row.node[index];
      const width = row.width[index] - gapAfter(row.width[index]);
      this.context.globalAlpha = depth < scene.zoomDepth ? 0.55 : this.isFaded(scene, node) ? 0.42 : 1;
      this.context.fillStyle = colour(scene, node);
      this.context.fillRect(row.x[index], y, width, scene.metrics.rowHeight - GAP);
      if (node !== CROWD && scene.found?.[scene.tree.function[node]] === 1) this.underline(scene, row.x[index], y, width);
      this.context.globalAlpha = (1 + this.context.globalAlpha) / 2; // Names of faded frames can be read.
      if (node !== CROWD && width >= scene.metrics.narrowestText) this.write(scene, node, row.x[index], y, width);
    }
    this.context.globalAlpha = 1;
  }

  private isFaded(scene: Scene, node: number): boolean {
    return scene.found !== null && (node === CROWD || scene.found[scene.tree.function[node]] !== 1);
  }

  private underline(scene: Scene, x: number, y: number, width: number): void {
    this.context.fillStyle = scene.palette.found;
    this.context.fillRect(x, y + scene.metrics.rowHeight - GAP - 3, width, 3);
  }

  private write(scene: Scene, node: number, x: number, y: number, width: number): void {
    const fn = scene.tree.function[node];
    const { padding, rowHeight } = scene.metrics;
    const mark = scene.comparing ? changeMark(changeOf(scene.tree, node)) : "";
    const name = fn < 0 ? "all" : this.functions.title(fn);
    this.context.fillStyle = scene.palette.text;
    this.context.fillText(this.shortened(mark, name, Math.floor(width - 2 * padding)), x + padding, y + rowHeight / 2);
  }

  /** Returns the mark and the name, or what fits of them into `room` pixels. */
  private shortened(mark: string, name: string, room: number): string {
    const key = `${room} ${mark}${name}`;
    let text = this.texts.get(key);
    if (text === undefined) {
      const widthOf = (part: string): number => this.context.measureText(part).width;
      text = mark + cutName(name, room - widthOf(mark), widthOf);
      this.texts.set(key, text);
    }
    return text;
  }
}

/** Returns the gap after a frame. Between narrow frames, a full gap would fade their colours. */
function gapAfter(width: number): number {
  return width >= 4 ? GAP : width >= 2 ? GAP / 2 : 0;
}

function colour(scene: Scene, node: number): string {
  if (node === CROWD) return scene.palette.crowd;
  if (node === 0) return scene.palette.root;
  return scene.comparing ? scene.palette.change(scene.isByChance(node) ? 0 : changeOf(scene.tree, node)) : scene.palette.frame(scene.tree.function[node]);
}
