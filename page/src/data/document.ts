// The document that rperf writes into the page: tables in columns that refer to each other by
// index. The layout is described where it is written (ext/rperf-core/src/page/document.rs).

/** What all pages of a version of rperf have in common. */
export interface Terms {
  states: { label: string; path: string }[];
  chance: ChanceTerms;
}

export interface Document extends Terms {
  page: number;
  title: string;
  normalise: boolean;
  strings: string[];
  /** `origin`: whose code it is, an index of ORIGINS; or LABEL. */
  functions: { label: number[]; path: number[]; line: number[]; origin: number[] };
  locations: { function: number[]; line: number[] };
  label_sets: [number, number][][];
  tree: { location: number[]; up: number[] };
  target: SideDocument;
  base: SideDocument | null;
  /** What a comparison leaves out of both profiles, in a line. */
  folded: string | null;
  sources: SourceFile[];
  local: Local | null;
}

/** Constants of what chance explains; chance.rs and certainty.rs say what they are. */
export interface ChanceTerms {
  confidence: number;
  speed: number;
  unevenness: number;
  speed_part: number;
  least_ticks: number;
  tick_ns: number;
  states: number;
  moved: number;
  instruction_path: string;
}

/** What only a page has that stays on the machine on which it was made. */
export interface Local {
  /** Addresses of profiles, relative to the page's, and what they are. */
  downloads: [string, string][];
  /** Addresses of a line in the user's editor and in the repository, with `{path}` and `{line}`. */
  editor: string | null;
  repository: string | null;
  /** Full paths by those that are shown. */
  files: Record<string, string>;
}

/** Whose code a function is. */
export const ORIGINS = ["app", "gem", "ruby", "native"] as const;
export type Origin = (typeof ORIGINS)[number];

/** The origin of a frame that stands for a label, such as the class of an object. */
export const LABEL = ORIGINS.length;

export interface SideDocument {
  meta: Meta;
  counters: Counters;
  threads: ThreadDocument[];
  processes: ProcessDocument[];
  samples: { node: number[]; weight: number[]; count: number[]; thread: number[]; label_set: number[]; moment?: number[]; values?: number[][] };
}

/** What is known of a thread; `title` tells it from all others, and `process` is an index. */
export interface ThreadDocument {
  seq: number;
  name: string;
  title: string;
  native_id: number;
  process: number | null;
}

export interface ProcessDocument {
  pid: number;
  ppid: number;
  command: string;
  title: string;
}

export interface Meta {
  kind: string;
  unit: string;
  /** Kind and unit of each value of a sample; the weight is one of them. */
  value_types: [string, string][];
  /** The units of labels that are numbers, by their keys. */
  label_units?: [string, string][];
  frequency: number;
  /** Kind, unit and amount of what lies between two samples, where that is no time. */
  period?: [string, string, number] | null;
  start_time_ns: number;
  duration_ns: number;
  engine: string;
  rperf_version: string;
  ruby_version: string;
  comments: string[];
  stat: [string, unknown][];
  /** Last thread and total of each recording of which this is the mean, where there are several. */
  recordings?: [number, number][];
}

export interface Counters {
  sampling_count: number;
  sampling_time_ns: number;
  trigger_count: number;
  detected_thread_count: number;
  drops: [string, number, number][];
}

export interface SourceFile {
  path: string;
  state: string;
  lines: [number, string][];
}
