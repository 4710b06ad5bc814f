/** A regular expression that a user typed, or what is wrong with it. */
export type Pattern = { matches: (text: string) => boolean } | { problem: string };

/** The start of a pattern that respects case, as in Rust. `compile` reads it for the browser. */
const CASE = "(?-i)";

/** Compiles a pattern. It ignores case unless it has an upper-case letter, or begins with CASE. */
export function compile(text: string): Pattern {
  const respectsCase = text.startsWith(CASE) || /\p{Lu}/u.test(text);
  try {
    const expression = new RegExp(text.startsWith(CASE) ? text.slice(CASE.length) : text, respectsCase ? "u" : "iu");
    return { matches: (candidate) => expression.test(candidate) };
  } catch {
    return { problem: `'${text}' is not a regular expression` };
  }
}

/** Returns an expression that matches this name and no other. */
export function exactly(name: string): string {
  return `${/\p{Lu}/u.test(name) ? "" : CASE}^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`;
}
