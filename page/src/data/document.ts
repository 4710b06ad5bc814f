// The document that rperf writes into the page: tables in columns that refer to each other by
// index. The layout is described where it is written (ext/rperf-core/src/page/document.rs).

/** Data that all pages of a version of rperf have in common. */
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
  /** Keys of the labels that rperf has added to those of the profile. */
  added_labels: string[];
  tree: { location: number[]; up: number[] };
  target: SideDocument;
  base: SideDocument | null;
  /** A line that says which time was left out before filters of the command line. */
  folded: string | null;
  /** The time in which threads waited for work; null if there is none, or if it was left out. */
  idle: IdleDocument | null;
  sources: SourceFile[];
  local: Local | null;
}

/** Which samples are idle time stands with the samples. See idle.rs. */
export interface IdleDocument {
  /** The idle time and its threads in words. */
  fact: string;
  /** Whether long sleeps and waits for the whole session count as idle. */
  with_sleep: boolean;
  /** Whether the page begins with this time. */
  shown: boolean;
}

/** Constants for the changes that chance explains. chance.rs and certainty.rs define them. */
export interface ChanceTerms {
  confidence: number;
  speed: number;
  time_part: number;
  unevenness: number;
  speed_part: number;
  least_ticks: number;
  tick_ns: number;
  /** The kind of values that their file does not name. */
  no_kind: string;
  states: number;
  moved: number;
  instruction_path: string;
  /** Beginnings of names of methods that wait for other threads, and of others that wait. */
  waiting_methods: [string[], string[]];
}

/** Data of a page that stays on the machine on which it was made; null in other pages. */
export interface Local {
  /** Addresses of profiles, relative to the page's, and their names. */
  downloads: [string, string][];
  /** Addresses of a line in the user's editor and in the repository, with `{path}` and `{line}`. */
  editor: string | null;
  repository: string | null;
  /** Full paths by shown paths. */
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
  samples: SampleColumns;
}

/** `idle`: lengths of runs of samples: first of busy ones, then of idle ones, and so on. */
export interface SampleColumns {
  node: number[];
  weight: number[];
  count: number[];
  thread: number[];
  label_set: number[];
  moment?: number[];
  values?: number[][];
  idle?: number[];
}

/** A thread. `title` distinguishes it from all others; `process` is an index. */
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

/** What a value measures, and its unit. */
export interface Quantity {
  kind: string;
  unit: string;
}

export interface Meta extends Quantity {
  /** Kind and unit of each value of a sample; the weight is one of them. */
  value_types: [string, string][];
  /** Units of the labels that are numbers, by their keys. */
  label_units?: [string, string][];
  frequency: number;
  /** Whether the counts of ticks are estimated from the weights. */
  ticks_are_estimated?: boolean;
  /** Kind, unit and amount of the distance between two samples, if it is not a time. */
  period?: [string, string, number] | null;
  start_time_ns: number;
  duration_ns: number;
  engine: string;
  rperf_version: string;
  ruby_version: string;
  comments: string[];
  stat: [string, unknown][];
  /** Last thread and total of each recording, if the profile is the mean of several recordings. */
  recordings?: [number, number][];
  /** Units of work by name; `key` is the label that has the name. */
  units?: UnitFigures[];
}

/** Units of work of one name, such as the requests of an endpoint. */
export interface UnitFigures {
  key: string;
  name: string;
  units: number;
  errors: number;
  mean_ns: number;
  p95_ns: number;
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
