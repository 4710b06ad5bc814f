import type { FunctionTable } from "../data/function_table";
import type { FrameTree } from "../model/frame_tree";
import { CROWD, type Row } from "./layout";
import { type Palette, changeOf } from "./palette";

export const ROW_HEIGHT = 20;
const GAP = 1;
const PADDING = 5;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
/** Narrower frames have no text. */
const NARROWEST_TEXT = 26;

/** What is drawn. */
export interface Scene {
  tree: FrameTree;
  rows: Row[];
  /** The depth of the frame that is zoomed on. */
  zoomDepth: number;
  /** Functions to mark; null marks none. */
  found: Uint8Array | null;
  comparing: boolean;
  palette: Palette;
}

/** Which part of the graph is on the canvas, in pixels of the page. */
export interface Window {
  width: number;
  height: number;
  /** The y of each row's upper edge on the canvas. */
  yOf: (row: number) => number;
}

/** Draws frames onto a canvas. */
export class Painter {
  private readonly widths = new Map<number, number>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly functions: FunctionTable,
  ) {}

  paint(scene: Scene, window: Window, ratio: number): void {
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, window.width, window.height);
    context.font = FONT;
    context.textBaseline = "middle";
    scene.rows.forEach((row, depth) => {
      const y = window.yOf(depth);
      if (y + ROW_HEIGHT > 0 && y < window.height) this.paintRow(scene, row, depth, y);
    });
  }

  private paintRow(scene: Scene, row: Row, depth: number, y: number): void {
    for (let index = 0; index < row.node.length; index++) {
      const node = row.node[index];
      const width = Math.max(row.width[index] - GAP, 0.6);
      this.context.globalAlpha = depth < scene.zoomDepth ? 0.55 : this.isFaded(scene, node) ? 0.42 : 1;
      this.context.fillStyle = colour(scene, node);
      this.context.fillRect(row.x[index], y, width, ROW_HEIGHT - GAP);
      if (node !== CROWD && scene.found?.[scene.tree.function[node]] === 1) this.underline(scene, row.x[index], y, width);
      if (node !== CROWD && width >= NARROWEST_TEXT) this.write(scene, node, row.x[index], y, width);
    }
    this.context.globalAlpha = 1;
  }

  private isFaded(scene: Scene, node: number): boolean {
    return scene.found !== null && (node === CROWD || scene.found[scene.tree.function[node]] !== 1);
  }

  private underline(scene: Scene, x: number, y: number, width: number): void {
    this.context.fillStyle = scene.palette.found;
    this.context.fillRect(x, y + ROW_HEIGHT - GAP - 3, width, 3);
  }

  private write(scene: Scene, node: number, x: number, y: number, width: number): void {
    const fn = scene.tree.function[node];
    const text = fn < 0 ? "all" : this.functions.name(fn);
    this.context.fillStyle = scene.palette.text;
    this.context.fillText(this.shortened(fn, text, width - 2 * PADDING), x + PADDING, y + ROW_HEIGHT / 2);
  }

  /** The text, or as much of its beginning as there is room for. */
  private shortened(fn: number, text: string, room: number): string {
    let full = this.widths.get(fn);
    if (full === undefined) {
      full = this.context.measureText(text.slice(0, 400)).width;
      this.widths.set(fn, full);
    }
    if (full <= room) return text;
    const length = Math.floor((Math.min(text.length, 400) * room) / full) - 1;
    return length < 1 ? "" : `${text.slice(0, length)}…`;
  }
}

function colour(scene: Scene, node: number): string {
  if (node === CROWD) return scene.palette.crowd;
  if (node === 0) return scene.palette.root;
  return scene.comparing ? scene.palette.change(changeOf(scene.tree, node)) : scene.palette.frame(scene.tree.function[node]);
}
