import { ORIGINS, type Origin } from "./document";

/**
 * Rules for the origin of code by its full path, of which the first that matches counts. For pages,
 * profile/roots.rs has them.
 */
const RULES: [RegExp, Origin][] = [
  [/^<internal:/, "ruby"],
  [/^</, "native"],
  [/\/gems\/[^/]+-[0-9a-f][^/]*\//, "gem"],
  [/\/lib(?:64)?\/(?:[^/]*-linux-[^/]*\/)?ruby\/(?:\d|site_ruby|vendor_ruby)|^\/usr\/(?:share\/ruby(?:gems)?|lib64\/ruby)\//, "ruby"],
  [/\.(?:so|dylib)(?:\.|$)/, "native"],
  // Commands that RubyGems has made, which only load a gem.
  [/\/bin\/bundle$|(?:^|\/)(?:bundle|(?:ruby|gems|versions)\/\d+(?:\.\w+)+|ruby-\d+(?:\.\w+)+(?:@[^/]*)?)\/bin\/[^/]+$/, "gem"],
];

/** Returns whose code the functions of a file are, as an index of ORIGINS. */
export function originOf(path: string): number {
  return ORIGINS.indexOf(RULES.find(([pattern]) => pattern.test(path))?.[1] ?? "app");
}
