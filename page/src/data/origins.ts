import { ORIGINS, type Origin } from "./document";

/**
 * What a full path says of whose code it is: the first rule that matches. See profile/roots.rs,
 * which does it for pages.
 */
const RULES: [RegExp, Origin][] = [
  [/^<internal:/, "ruby"],
  [/^<|\.(?:so|dylib)(?:\.|$)/, "native"],
  [/\/gems\/[^/]+-[0-9a-f][^/]*\//, "gem"],
  [/\/lib\/ruby\/(?:\d|site_ruby|vendor_ruby)/, "ruby"],
];

/** Whose code the functions of a file are, as an index of ORIGINS. */
export function originOf(path: string): number {
  return ORIGINS.indexOf(RULES.find(([pattern]) => pattern.test(path))?.[1] ?? "app");
}
