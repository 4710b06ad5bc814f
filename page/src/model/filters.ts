import type { Origin } from "../data/document";

/** The filters: which samples count, and which labels become frames of their stacks. */
export interface Filters {
  /** Patterns: a sample counts only if each of them matches a frame of its stack. */
  focus: string[];
  /** Patterns: a sample does not count if one of them matches a frame of its stack. */
  ignore: string[];
  /** Labels that samples must have (values of one key are alternatives). */
  tagFocus: LabelFilter[];
  /** Labels that samples must not have. */
  tagIgnore: LabelFilter[];
  /** Keys whose values become frames at the root, the first outermost. */
  tagRoot: string[];
  /** Keys whose values become frames at the leaf, the first innermost. */
  tagLeaf: string[];
  /** Numbers of the threads whose samples count; if empty, samples of all threads count. */
  threads: number[];
  /** Names of states, see `stateName`; if empty, samples of all states count. */
  states: string[];
  /** Start and end of the part of the recording that counts; if empty, all of it counts. */
  range: number[];
  /** Kinds of code whose frames are folded into their nearest caller. */
  fold: Origin[];
}

export interface LabelFilter {
  key: string;
  /** null: the label is not set. */
  value: string | null;
}

export const NO_FILTERS: Filters = {
  focus: [],
  ignore: [],
  tagFocus: [],
  tagIgnore: [],
  tagRoot: [],
  tagLeaf: [],
  threads: [],
  states: [],
  range: [],
  fold: [],
};

export function sameLabel(a: LabelFilter, b: LabelFilter): boolean {
  return a.key === b.key && a.value === b.value;
}
