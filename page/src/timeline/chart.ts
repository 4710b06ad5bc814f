import type { Point } from "../flame/graph";
import type { Span } from "../model/columns";
import { h } from "../view/dom";
import { type Track, trackAt } from "./layout";
import { Painter, type Scene, type Window, scaleOf } from "./painter";
import type { Scale } from "./scale";

/** Events that the chart reports to its owner. */
export interface ChartEvents {
  /** A part was chosen by dragging; null: a click cleared the choice. */
  choose: (span: Span | null) => void;
  /** The pointer is on a track at a moment; null: on none. */
  point: (place: { track: Track; moment: number } | null, at: Point) => void;
  /** The wheel was turned with Ctrl at a moment. `factor` scales the length of the visible part. */
  zoom: (factor: number, moment: number) => void;
  resize: () => void;
}

/** Maximum length of a drag that is a click, in pixels. */
const CLICK = 3;

/** A canvas that scrolls through the tracks. The pointer chooses a part on it. */
export class Chart {
  readonly element = h("div", { class: "timeline-scroller" });
  private readonly canvas = h("canvas", { class: "timeline-canvas" });
  private readonly space = h("div", { class: "timeline-space" });
  private readonly context = this.canvas.getContext("2d");
  /** The tracks without the shade. Drawing many ticks takes longer than a move of the pointer. */
  private readonly picture = h("canvas");
  private readonly painter: Painter | null;
  private readonly shader: Painter | null;
  private scene: Scene | null = null;
  /** The chosen part, which filters all views; null: all. */
  private chosen: Span | null = null;
  /** The x at which the current drag began; null: there is no drag. */
  private dragged: number | null = null;

  constructor(private readonly events: ChartEvents) {
    const context = this.picture.getContext("2d");
    this.painter = context && new Painter(context);
    this.shader = this.context && new Painter(this.context);
    this.element.append(this.canvas, this.space);
    this.element.addEventListener("scroll", () => this.paint());
    this.element.addEventListener("pointerdown", (event) => this.onDown(event));
    this.element.addEventListener("pointermove", (event) => this.onMove(event));
    this.element.addEventListener("pointerup", (event) => this.onUp(event));
    this.element.addEventListener("pointerleave", (event) => this.events.point(null, pointOf(event)));
    this.element.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    new ResizeObserver(() => this.events.resize()).observe(this.element);
  }

  get width(): number {
    return this.element.clientWidth;
  }

  get size(): [number, number] {
    return [this.element.clientWidth, this.element.clientHeight];
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.space.style.height = `${scene.places.height}px`;
    this.paint();
  }

  /** Shades everything but this part. */
  mark(chosen: Span | null): void {
    this.chosen = chosen;
    this.shade(chosen);
  }

  private paint(): void {
    if (!this.scene || !this.painter) return;
    const { width, height, ratio } = this.window;
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.space.style.marginTop = `${-height}px`;
    this.painter.paint(this.scene, this.window);
    this.shade(this.chosen);
  }

  private shade(chosen: Span | null): void {
    const { context, picture } = this;
    if (!this.scene || !context || !this.shader || picture.width === 0) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, picture.width, picture.height);
    context.drawImage(picture, 0, 0);
    if (chosen) this.shader.shade(this.scene, chosen, this.window);
  }

  private get window(): Window {
    const { clientWidth, clientHeight, scrollTop } = this.element;
    return { width: clientWidth, height: clientHeight, ratio: Math.max(1, devicePixelRatio || 1), scrolled: scrollTop };
  }

  private get scale(): Scale | null {
    return this.scene && scaleOf(this.scene, this.width);
  }

  private across(event: MouseEvent): number {
    return event.clientX - this.element.getBoundingClientRect().left;
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0 || !this.scene || this.across(event) < this.scene.places.gutter) return;
    this.dragged = this.across(event);
    this.element.setPointerCapture(event.pointerId);
  }

  private onMove(event: PointerEvent): void {
    const { scale, scene } = this;
    if (!scale || !scene) return;
    const x = this.across(event);
    if (this.dragged !== null) return this.shade(this.between(scale, this.dragged, x));
    const y = event.clientY - this.element.getBoundingClientRect().top + this.element.scrollTop;
    const track = trackAt(scene.places, y);
    this.events.point(track && x >= scale.left ? { track, moment: scale.moment(x) } : null, pointOf(event));
  }

  private onUp(event: PointerEvent): void {
    const { scale, dragged } = this;
    this.dragged = null;
    if (!scale || dragged === null) return;
    const x = this.across(event);
    this.events.choose(Math.abs(x - dragged) > CLICK ? this.between(scale, dragged, x) : null);
  }

  private between(scale: Scale, a: number, b: number): Span {
    return { from: Math.round(scale.moment(Math.min(a, b))), to: Math.round(scale.moment(Math.max(a, b))) };
  }

  /** Zooms when the wheel is turned with Ctrl. The wheel alone scrolls. */
  private onWheel(event: WheelEvent): void {
    const { scale } = this;
    if (!event.ctrlKey || !scale) return;
    event.preventDefault();
    this.events.zoom(event.deltaY > 0 ? 1.25 : 0.8, scale.moment(this.across(event)));
  }
}

function pointOf(event: MouseEvent): Point {
  return { x: event.clientX, y: event.clientY };
}
