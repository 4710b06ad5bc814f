import type { FunctionTable, Kind } from "../data/function_table";
import type { FrameTree } from "../model/frame_tree";

export type Theme = "light" | "dark";

/** Hue (degrees), saturation and lightness (per cent). */
type Colour = [hue: number, saturation: number, lightness: number];

/**
 * The colour of each kind of code. A search found the colours with the largest minimum distance
 * between any two and from the background, for people with all cones and for people without one
 * kind of cones. Names have a contrast of at least 4.5.
 */
const COLOURS: Record<Theme, Record<Kind, Colour>> = {
  light: {
    app: [36, 88, 80],
    gem: [268, 47, 79],
    ruby: [44, 95, 46],
    native: [183, 39, 83],
    blocked: [205, 0, 59],
    wait: [12, 90, 62],
    gc: [300, 75, 65],
    label: [135, 36, 63],
  },
  dark: {
    app: [21, 60, 17],
    gem: [278, 94, 42],
    ruby: [50, 62, 27],
    native: [205, 70, 36],
    blocked: [220, 18, 36],
    wait: [345, 50, 36],
    gc: [323, 86, 24],
    label: [113, 76, 18],
  },
};

/**
 * Range of hues, in degrees, and of lightnesses, in per cent, of the names of a kind. It is smaller
 * than the distance between kinds.
 */
const SPREAD = 4;

export const KIND_NAMES: Record<Kind, string> = {
  app: "My code",
  gem: "Gems",
  ruby: "Ruby",
  native: "C",
  blocked: "GVL blocked",
  wait: "GVL or CPU wait",
  gc: "GC",
  label: "Labels, classes, code that is off",
};

export interface Palette {
  frame: (fn: number) => string;
  kind: (kind: Kind) => string;
  /** Returns the colour of a change, from -1 (gone) to 1 (new). */
  change: (change: number) => string;
  root: string;
  crowd: string;
  text: string;
  fadedText: string;
  found: string;
  background: string;
}

const palettes = new WeakMap<FunctionTable, Partial<Record<Theme, Palette>>>();

/** Returns the colours of a theme. The same name always has the same colour. */
export function palette(theme: Theme, functions: FunctionTable): Palette {
  const known = palettes.get(functions) ?? {};
  palettes.set(functions, known);
  return (known[theme] ??= makePalette(theme, functions));
}

function makePalette(theme: Theme, functions: FunctionTable): Palette {
  const known: string[] = [];
  const kind = (of: Kind, place: number): string => {
    const [hue, saturation, lightness] = COLOURS[theme][of];
    const shift = (place - 0.5) * SPREAD;
    return hexColour(hue + shift, saturation, lightness + shift);
  };
  const frame = (fn: number): string => (known[fn] ??= kind(functions.kind(fn), spread(functions.labels[fn])));
  return { frame, kind: (of) => kind(of, 0.5), change: (change) => changeColour(theme, change), ...PLAIN[theme] };
}

const PLAIN = {
  light: { root: "#d9dee7", crowd: "#d5d1cb", text: "#1b1f27", fadedText: "#6d7480", found: "#d6248f", background: "#ffffff" },
  dark: { root: "#333a47", crowd: "#34363c", text: "#eef1f6", fadedText: "#8d95a3", found: "#ff5fb8", background: "#14171d" },
};

/** Returns the colour of a change. New and missing frames differ clearly from large changes. */
function changeColour(theme: Theme, change: number): string {
  const size = Math.min(1, Math.abs(change));
  const hue = change > 0 ? 6 : 214;
  if (size < 0.002) return theme === "dark" ? "#2a2e36" : "#e6e8ec";
  if (size === 1) return theme === "dark" ? hexColour(hue, 74, 43) : hexColour(hue, 94, 64);
  const strength = size ** 0.7;
  return theme === "dark" ? hexColour(hue, 20 + 32 * strength, 29 + 7 * strength) : hexColour(hue, 38 + 40 * strength, 92 - 19 * strength);
}

/**
 * Returns the mark before the name of a new or missing frame, for people who cannot distinguish the
 * colours.
 */
export function changeMark(change: number): string {
  return change === 1 ? "+ " : change === -1 ? "− " : "";
}

/**
 * Returns the change of a frame as a part of the larger of its two weights: 1 if the frame is new,
 * -1 if it is gone.
 */
export function changeOf(tree: FrameTree, node: number): number {
  const [base, target] = [tree.baseTotal[node], tree.targetTotal[node]];
  const larger = Math.max(base, target);
  return larger === 0 ? 0 : (target - base) / larger;
}

/**
 * Returns a colour by hue (degrees), saturation and lightness (per cent) as "#rrggbb", which
 * canvases read fastest.
 */
export function hexColour(hue: number, saturation: number, lightness: number): string {
  const chroma = (saturation / 100) * Math.min(lightness, 100 - lightness);
  const channel = (shift: number): string => {
    const place = (shift + hue / 30 + 12) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round((value * 255) / 100).toString(16).padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Returns a number from 0 to 1 that depends on the name only. */
function spread(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) / 0xffffffff;
}
