import type { LabelTable } from "../data/label_table";
import type { Profile } from "../data/profile";
import type { Lane } from "./timeline";

/** A span in which a thread had a value of a label, in nanoseconds since the start. */
export interface LabelSpan {
  value: string;
  from: number;
  to: number;
}

/**
 * Returns the spans in which the thread of a lane had a value of a label. A span reaches from the
 * first to the last of successive samples with the value.
 */
export function labelSpans(profile: Profile, lane: Lane, key: string): LabelSpan[] {
  const { labelSet } = profile.target.samples;
  const values = valuesOf(profile.labels, key);
  const spans: LabelSpan[] = [];
  let before: string | null = null;
  lane.sample.forEach((sample, place) => {
    const value = values[labelSet[sample]];
    if (value !== null && value === before) spans[spans.length - 1].to = lane.end[place];
    else if (value !== null) spans.push({ value, from: lane.start[place], to: lane.end[place] });
    before = value;
  });
  return spans;
}

/** Returns the value of the key in each label set; null where a set does not have the key. */
function valuesOf(labels: LabelTable, key: string): (string | null)[] {
  return labels.sets.map((set) => {
    const label = set.map((id) => labels.labels[id]).find((candidate) => candidate.key === key);
    return label ? label.value : null;
  });
}
