import type { Kind } from "../data/function_table";
import type { Metrics } from "../flame/metrics";
import { type Palette, hexColour } from "../flame/palette";
import { type Span, columns } from "../model/columns";
import type { LabelSpan } from "../model/label_spans";
import type { Lane } from "../model/timeline";
import { cutEnd } from "../text/fitting";
import { markText, marks } from "./axis";
import type { Places, Track } from "./layout";
import { Scale } from "./scale";

/** The content of the picture. */
export interface Scene {
  places: Places;
  span: Span;
  /** Returns the kind of code or state in which a sample was taken. */
  kindOf: (sample: number) => Kind;
  /** Returns whether the thread of a sample had the GVL. */
  holdsGvl: (sample: number) => boolean;
  nameOf: (lane: Lane) => string;
  labelsOf: (lane: Lane) => LabelSpan[];
  palette: Palette;
  metrics: Metrics;
}

/** Kinds from the bottom of a track to its top. */
const KINDS: Kind[] = ["app", "gem", "ruby", "native", "label", "gc", "wait", "blocked"];

/** The part of the picture that is on the canvas, in pixels of the page. */
export interface Window {
  width: number;
  height: number;
  ratio: number;
  /** Height of the picture above the canvas. */
  scrolled: number;
}

/** Draws tracks onto a canvas. */
export class Painter {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** Draws the tracks, and the axis, which stays in sight. */
  paint(scene: Scene, window: Window): void {
    const { context } = this;
    const { width, height, ratio, scrolled } = window;
    const scale = scaleOf(scene, width);
    context.setTransform(ratio, 0, 0, ratio, 0, -scrolled * ratio);
    context.clearRect(0, scrolled, width, height);
    context.font = scene.metrics.font;
    context.textBaseline = "middle";
    for (const track of scene.places.tracks) {
      const bottom = track.top + track.height + track.strip;
      if (bottom > scrolled && track.top < scrolled + height) this.paintTrack(scene, scale, track);
    }
    this.paintAxis(scene, scale, scrolled, width);
  }

  /** Shades everything but the chosen part. */
  shade(scene: Scene, { from, to }: Span, { width, height, ratio }: Window): void {
    const { context } = this;
    const { palette, places } = scene;
    const scale = scaleOf(scene, width);
    const end = scale.left + scale.width;
    const [left, right] = [from, to].map((moment) => Math.min(end, Math.max(scale.left, scale.x(moment))));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 0.7;
    context.fillStyle = palette.background;
    context.fillRect(scale.left, places.axis, left - scale.left, height);
    context.fillRect(right, places.axis, end - right, height);
    context.globalAlpha = 1;
    context.fillStyle = palette.found;
    for (const x of [left, right]) context.fillRect(x - 1, places.axis, 2, height);
  }

  private paintTrack(scene: Scene, scale: Scale, track: Track): void {
    const { lane, group } = track;
    const { padding } = scene.metrics;
    const [left, middle] = [padding, track.top + track.height / 2];
    if (track.kind === "process") return this.write(scene, group.title, left, middle, scale.left + scale.width - 2 * padding);
    this.write(scene, lane ? scene.nameOf(lane) : "GVL held by", left, middle, scale.left - 2 * padding);
    if (!lane) return group.lanes.forEach((holder) => this.paintHolder(scene, scale, track, holder));
    const numbers = new Map(KINDS.map((kind, number) => [kind, number]));
    const shares = columns(lane, scale.span, Math.ceil(scale.width), KINDS.length, (sample) => numbers.get(scene.kindOf(sample)) ?? -1);
    this.stack(shares, KINDS.map((kind) => scene.palette.kind(kind)), scale, track);
    if (track.strip > 0) this.paintLabels(scene, scale, track, lane);
  }

  /** Draws the times at which a thread held the GVL. */
  private paintHolder(scene: Scene, scale: Scale, track: Track, holder: Lane): void {
    const shares = columns(holder, scale.span, Math.ceil(scale.width), 1, (sample) => (scene.holdsGvl(sample) ? 0 : -1));
    this.stack(shares, [threadColour(holder.thread, scene.palette)], scale, track);
  }

  /**
   * Draws columns, in which each colour takes its part from the bottom up. Equal adjacent columns
   * are drawn at once.
   */
  private stack(shares: Float32Array, colours: string[], scale: Scale, track: Track): void {
    const width = Math.ceil(scale.width);
    const filled = new Float32Array(width);
    colours.forEach((colour, category) => {
      this.context.fillStyle = colour;
      for (let column = 0; column < width; ) {
        const [share, below] = [shares[category * width + column], filled[column]];
        const first = column;
        while (column < width && shares[category * width + column] === share && filled[column] === below) filled[column++] += share;
        const height = Math.min(share, 1 - below) * track.height;
        if (height > 0) this.context.fillRect(scale.left + first, track.top + track.height * (1 - below) - height, column - first, height);
      }
    });
  }

  private paintLabels(scene: Scene, scale: Scale, track: Track, lane: Lane): void {
    const top = track.top + track.height + 1;
    for (const { value, from, to } of scene.labelsOf(lane)) {
      if (to < scale.span.from || from > scale.span.to) continue;
      const [left, right] = [Math.max(scale.left, scale.x(from)), Math.min(scale.left + scale.width, scale.x(to))];
      this.context.fillStyle = scene.palette.kind("label");
      this.context.fillRect(left, top, Math.max(0.5, right - left - 0.5), track.strip - 2);
      const room = right - left - scene.metrics.padding;
      if (room > scene.metrics.narrowestText) this.write(scene, value, left + scene.metrics.padding / 2, top + track.strip / 2 - 1, room);
    }
  }

  private paintAxis({ places, palette, metrics }: Scene, scale: Scale, scrolled: number, width: number): void {
    const { context } = this;
    context.fillStyle = palette.background;
    context.fillRect(0, scrolled, width, places.axis);
    const { step, at } = marks(scale.span, scale.width / (metrics.narrowestText * 4));
    context.fillStyle = palette.fadedText;
    for (const moment of at) {
      const [x, text] = [scale.x(moment), markText(moment, step)];
      context.fillRect(x, scrolled + places.axis * 0.6, 1, places.axis * 0.4);
      if (x + 4 + context.measureText(text).width <= width) context.fillText(text, x + 4, scrolled + places.axis / 2);
    }
  }

  /** Writes a text, or the part of its beginning that fits into `room` pixels. */
  private write({ palette }: Scene, text: string, x: number, y: number, room: number): void {
    const { context } = this;
    context.fillStyle = palette.text;
    context.fillText(cutEnd(text, room, (part) => context.measureText(part).width), x, y);
  }
}

/** Returns the scale of a canvas of this width. */
export function scaleOf({ span, places }: Scene, width: number): Scale {
  return new Scale(span, places.gutter, Math.max(1, width - places.gutter));
}

/**
 * Returns the colour of a thread. The hues of successive threads differ by the golden angle, so
 * that adjacent threads have distant colours.
 */
export function threadColour(thread: number, palette: Palette): string {
  const isDark = palette.background < "#8";
  return hexColour((thread * 137.5) % 360, isDark ? 40 : 60, isDark ? 40 : 66);
}
