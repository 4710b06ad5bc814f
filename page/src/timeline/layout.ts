import type { Metrics } from "../flame/metrics";
import type { LaneGroup } from "../model/lane_groups";
import type { Lane } from "../model/timeline";

/** A track of the picture: the name of a process, its GVL, or a thread with its labels. */
export interface Track {
  kind: "process" | "gvl" | "thread";
  /** The process of the track. */
  group: LaneGroup<Lane>;
  /** The thread; null for other tracks. */
  lane: Lane | null;
  top: number;
  /** Height of what the thread did, in pixels. */
  height: number;
  /** Height of its labels, below that; 0 if none are shown. */
  strip: number;
}

export interface Places {
  tracks: Track[];
  /** Height of the axis, above the first track. */
  axis: number;
  /** Width of the names, beside the tracks. */
  gutter: number;
  height: number;
}

/** Returns the places of tracks, in pixels from the upper edge of the picture. */
export function place(groups: LaneGroup<Lane>[], hasLabels: (lane: Lane) => boolean, { rowHeight }: Metrics, width: number): Places {
  const [axis, gap] = [rowHeight, rowHeight / 3];
  let top = axis + gap;
  const tracks = groups.flatMap(tracksOf).map(({ kind, group, lane }): Track => {
    const strip = lane && hasLabels(lane) ? rowHeight * 0.7 : 0;
    const track = { kind, group, lane, top, height: lane ? rowHeight * 1.3 : rowHeight * 0.8, strip };
    top += track.height + strip + gap;
    return track;
  });
  return { tracks, axis, gutter: Math.min(rowHeight * 10, width * 0.32), height: top };
}

/** Returns the tracks of a process; a track for its name only if there are several processes. */
function tracksOf(group: LaneGroup<Lane>): Pick<Track, "kind" | "group" | "lane">[] {
  return [
    ...(group.title === "" ? [] : [{ kind: "process" as const, group, lane: null }]),
    { kind: "gvl" as const, group, lane: null },
    ...group.lanes.map((lane) => ({ kind: "thread" as const, group, lane })),
  ];
}

/** Returns the track at a height; undefined between tracks. */
export function trackAt({ tracks }: Places, y: number): Track | undefined {
  return tracks.find(({ top, height, strip }) => y >= top && y < top + height + strip);
}
