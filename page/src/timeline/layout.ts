import type { Metrics } from "../flame/metrics";
import type { Lane } from "../model/timeline";

/** A track of the picture: the GVL's, or a thread's with the labels that it had. */
export interface Track {
  /** Null: the track of the GVL. */
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
export function place(lanes: Lane[], hasLabels: (lane: Lane) => boolean, { rowHeight }: Metrics, width: number): Places {
  const [axis, gap] = [rowHeight, rowHeight / 3];
  let top = axis + gap;
  const tracks = [null, ...lanes].map((lane): Track => {
    const strip = lane && hasLabels(lane) ? rowHeight * 0.7 : 0;
    const track = { lane, top, height: lane ? rowHeight * 1.3 : rowHeight * 0.8, strip };
    top += track.height + strip + gap;
    return track;
  });
  return { tracks, axis, gutter: Math.min(rowHeight * 8, width * 0.25), height: top };
}

/** The track at a height; undefined between tracks. */
export function trackAt({ tracks }: Places, y: number): Track | undefined {
  return tracks.find(({ top, height, strip }) => y >= top && y < top + height + strip);
}
