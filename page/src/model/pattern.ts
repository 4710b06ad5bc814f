/** A regular expression that a user typed, or what is wrong with it. */
export type Pattern = { matches: (text: string) => boolean } | { problem: string };

/** Compiles a pattern. It ignores case unless the text has an upper-case letter. */
export function compile(text: string): Pattern {
  try {
    const expression = new RegExp(text, /\p{Lu}/u.test(text) ? "u" : "iu");
    return { matches: (candidate) => expression.test(candidate) };
  } catch {
    return { problem: `'${text}' is not a regular expression` };
  }
}

/** Returns an expression that matches this name and no other. */
export function exactly(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`;
}
