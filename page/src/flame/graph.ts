import type { FunctionTable } from "../data/function_table";
import { h } from "../view/dom";
import { CROWD, type Row, indexAt } from "./layout";
import { currentMetrics } from "./metrics";
import { Painter, type Scene } from "./painter";

/** Events that the graph reports to its owner. */
export interface GraphEvents {
  zoom: (node: number) => void;
  /** A node came under the pointer or the cursor; -1: none. */
  point: (node: number, at: Point | null) => void;
  menu: (node: number, at: Point) => void;
  resize: () => void;
}

/** A place on the screen. */
export interface Point {
  x: number;
  y: number;
}

/** Space above the first and below the last row, in pixels. */
const MARGIN = 4;

/**
 * A canvas that scrolls through the rows of a flame graph. Marks show the frame under the pointer
 * and the keyboard's cursor.
 */
export class Graph {
  readonly element: HTMLElement;
  private readonly scroller = h("div", { class: "flame-scroller", tabindex: -1 });
  private readonly space = h("div", { class: "flame-space" });
  private readonly canvas = h("canvas", { class: "flame-canvas" });
  private readonly hover = h("div", { class: "flame-mark flame-hover", hidden: true });
  private readonly cursorMark = h("div", { class: "flame-mark flame-cursor", hidden: true });
  private readonly painter: Painter | null;
  private scene: Scene | null = null;
  private upright = false;
  /** The node with the keyboard's cursor; -1: none. */
  private cursor = -1;

  constructor(
    functions: FunctionTable,
    private readonly events: GraphEvents,
  ) {
    const context = this.canvas.getContext("2d", { alpha: true });
    this.painter = context && new Painter(context, functions);
    this.space.append(this.hover, this.cursorMark);
    this.scroller.append(this.canvas, this.space);
    this.element = h("div", { class: "flame-graph" }, this.scroller);
    this.scroller.addEventListener("scroll", () => this.paint());
    this.scroller.addEventListener("pointermove", (event) => this.onPointer(event));
    this.scroller.addEventListener("pointerleave", () => this.leave());
    this.scroller.addEventListener("click", (event) => this.onClick(event));
    this.scroller.addEventListener("contextmenu", (event) => this.onMenu(event));
    new ResizeObserver(() => this.events.resize()).observe(this.scroller);
  }

  /** Width of a row, in pixels. */
  get width(): number {
    return this.scroller.clientWidth;
  }

  /** The scene that is on the canvas now. */
  get shown(): Scene | null {
    return this.scene;
  }

  show(scene: Scene, upright: boolean): void {
    const turned = this.upright !== upright || this.scene === null;
    this.scene = scene;
    this.upright = upright;
    this.space.style.height = `${this.contentHeight}px`;
    if (turned) this.scroller.scrollTop = upright ? this.contentHeight : 0;
    this.hover.hidden = true;
    this.placeCursor();
    this.paint();
  }

  /** Puts the keyboard's cursor on a node and scrolls to it. */
  setCursor(node: number): void {
    this.cursor = node;
    this.placeCursor();
    const place = this.placeOf(node);
    if (!place) return this.events.point(-1, null);
    const [top, bottom] = [this.scroller.scrollTop, this.scroller.scrollTop + this.scroller.clientHeight];
    if (place.y < top) this.scroller.scrollTop = place.y - this.rowHeight;
    else if (place.y + this.rowHeight > bottom) this.scroller.scrollTop = place.y + 2 * this.rowHeight - this.scroller.clientHeight;
    this.events.point(node, null);
  }

  get cursorNode(): number {
    return this.cursor;
  }

  /** Returns whether the node is drawn as a frame of its own. */
  shows(node: number): boolean {
    return this.placeOf(node) !== null;
  }

  /** Returns the place of the cursor on the screen. */
  cursorPoint(): Point {
    const place = this.placeOf(this.cursor);
    const box = this.scroller.getBoundingClientRect();
    if (!place) return { x: box.left, y: box.top };
    return { x: box.left + place.x + 8, y: box.top + place.y - this.scroller.scrollTop + this.rowHeight };
  }

  private get rowHeight(): number {
    return (this.scene?.metrics ?? currentMetrics()).rowHeight;
  }

  private get contentHeight(): number {
    return Math.max((this.scene?.rows.length ?? 0) * this.rowHeight + 2 * MARGIN, this.scroller.clientHeight);
  }

  /** Returns the upper edge of a row in the scrolled space, in pixels. */
  private top(row: number): number {
    return this.upright ? this.contentHeight - MARGIN - (row + 1) * this.rowHeight : MARGIN + row * this.rowHeight;
  }

  private paint(): void {
    if (!this.scene || !this.painter) return;
    const [width, height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    this.resizeCanvas(width, height, ratio);
    const scrolled = this.scroller.scrollTop;
    this.painter.paint(this.scene, { width, height, yOf: (row) => this.top(row) - scrolled }, ratio);
  }

  /** Resizes the canvas only if needed, since a resized canvas is cleared and allocated again. */
  private resizeCanvas(width: number, height: number, ratio: number): void {
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width === columns && this.canvas.height === rows) return;
    this.canvas.width = columns;
    this.canvas.height = rows;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.space.style.marginTop = `${-height}px`;
  }

  /** Returns the row at a place on the screen, the index in it and its depth; null: no frame. */
  private find(event: MouseEvent): { row: Row; index: number; depth: number } | null {
    if (!this.scene) return null;
    const box = this.scroller.getBoundingClientRect();
    const y = event.clientY - box.top + this.scroller.scrollTop;
    const depth = Math.floor((this.upright ? this.contentHeight - MARGIN - y : y - MARGIN) / this.rowHeight);
    const row = this.scene.rows[depth] as Row | undefined;
    const index = indexAt(row, event.clientX - box.left);
    return row && index >= 0 && row.node[index] !== CROWD ? { row, index, depth } : null;
  }

  private onPointer(event: MouseEvent): void {
    const found = this.find(event);
    this.hover.hidden = !found;
    this.scroller.classList.toggle("pointing", found !== null);
    if (!found) return this.events.point(-1, null);
    this.mark(this.hover, found.row, found.index, found.depth);
    this.events.point(found.row.node[found.index], { x: event.clientX, y: event.clientY });
  }

  private leave(): void {
    this.hover.hidden = true;
    this.events.point(-1, null);
  }

  private onClick(event: MouseEvent): void {
    const found = this.find(event);
    if (!found) return;
    this.cursor = found.row.node[found.index];
    this.events.zoom(this.cursor);
  }

  private onMenu(event: MouseEvent): void {
    const found = this.find(event);
    if (!found) return;
    event.preventDefault();
    this.events.menu(found.row.node[found.index], { x: event.clientX, y: event.clientY });
  }

  private placeOf(node: number): { x: number; y: number; row: Row; index: number; depth: number } | null {
    if (!this.scene || node < 0 || node >= this.scene.tree.size) return null;
    const depth = this.scene.tree.depth[node];
    const row = this.scene.rows[depth] as Row | undefined;
    const index = row ? row.node.indexOf(node) : -1;
    return row && index >= 0 ? { x: row.x[index], y: this.top(depth), row, index, depth } : null;
  }

  private placeCursor(): void {
    const place = this.placeOf(this.cursor);
    this.cursorMark.hidden = !place;
    if (place) this.mark(this.cursorMark, place.row, place.index, place.depth);
  }

  private mark(element: HTMLElement, row: Row, index: number, depth: number): void {
    element.style.left = `${row.x[index]}px`;
    element.style.width = `${Math.max(2, row.width[index] - 1)}px`;
    element.style.top = `${this.top(depth)}px`;
    element.style.height = `${this.rowHeight - 1}px`;
  }
}
