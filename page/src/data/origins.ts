import { ORIGINS, type Origin } from "./document";

/**
 * Rules for the origin of code by its full path, of which the first that matches counts. For pages,
 * profile/roots.rs has them.
 */
const RULES: [RegExp, Origin][] = [
  [/^<internal:/, "ruby"],
  [/^<|\.(?:so|dylib)(?:\.|$)/, "native"],
  [/\/gems\/[^/]+-[0-9a-f][^/]*\//, "gem"],
  [/\/lib\/ruby\/(?:\d|site_ruby|vendor_ruby)/, "ruby"],
];

/** Returns whose code the functions of a file are, as an index of ORIGINS. */
export function originOf(path: string): number {
  return ORIGINS.indexOf(RULES.find(([pattern]) => pattern.test(path))?.[1] ?? "app");
}
