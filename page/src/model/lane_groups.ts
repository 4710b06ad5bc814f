import type { Side } from "../data/profile";

/** The lanes of one process, which has a GVL of its own. */
export interface LaneGroup<Lane> {
  /** Title of the process; "" if there is only one process. */
  title: string;
  lanes: Lane[];
}

const UNKNOWN = "Unknown process";

/** Groups the lanes by process, in the order of their first threads. */
export function byProcess<Lane extends { thread: number }>({ processes, processOf }: Side, lanes: Lane[]): LaneGroup<Lane>[] {
  const groups = new Map<number | null, LaneGroup<Lane>>();
  for (const lane of lanes) {
    const process = processOf.get(lane.thread) ?? null;
    const group = groups.get(process);
    if (group) group.lanes.push(lane);
    else groups.set(process, { title: process === null ? UNKNOWN : processes[process].title, lanes: [lane] });
  }
  return groups.size > 1 ? [...groups.values()] : [{ title: "", lanes }];
}
