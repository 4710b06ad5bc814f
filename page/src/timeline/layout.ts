import type { Metrics } from "../flame/metrics";
import type { LaneGroup } from "../model/lane_groups";
import type { Lane } from "../model/timeline";

/**
 * A track of the picture: the name of a process, its GVL, or a thread with the labels that it had.
 */
export interface Track {
  kind: "process" | "gvl" | "thread";
  /** The process to which it belongs. */
  group: LaneGroup;
  /** The thread; null where it is none. */
  lane: Lane | null;
  top: number;
  /** Of what the thread did. */
  height: number;
  /** Of its labels, below that; 0 where none is shown. */
  strip: number;
}

export interface Places {
  tracks: Track[];
  /** Of the axis, above the first track. */
  axis: number;
  /** Of the names, beside the tracks. */
  gutter: number;
  height: number;
}

/** Where tracks stand, in pixels from the upper edge of all. */
export function place(groups: LaneGroup[], hasLabels: (lane: Lane) => boolean, { rowHeight }: Metrics, width: number): Places {
  const [axis, gap] = [rowHeight, rowHeight / 3];
  let top = axis + gap;
  const tracks = groups.flatMap(tracksOf).map(({ kind, group, lane }): Track => {
    const strip = lane && hasLabels(lane) ? rowHeight * 0.7 : 0;
    const track = { kind, group, lane, top, height: lane ? rowHeight * 1.3 : rowHeight * 0.8, strip };
    top += track.height + strip + gap;
    return track;
  });
  return { tracks, axis, gutter: Math.min(rowHeight * 8, width * 0.25), height: top };
}

/** The tracks of a process, its name only where there are several. */
function tracksOf(group: LaneGroup): Pick<Track, "kind" | "group" | "lane">[] {
  return [
    ...(group.title === "" ? [] : [{ kind: "process" as const, group, lane: null }]),
    { kind: "gvl" as const, group, lane: null },
    ...group.lanes.map((lane) => ({ kind: "thread" as const, group, lane })),
  ];
}

/** The track at a height; undefined between tracks. */
export function trackAt({ tracks }: Places, y: number): Track | undefined {
  return tracks.find(({ top, height, strip }) => y >= top && y < top + height + strip);
}
