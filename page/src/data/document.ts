// The document that rperf writes into the page: tables in columns that refer to each other by index.
// The layout is described where it is written (ext/rperf-core/src/page/document.rs).

export interface Document {
  page: number;
  title: string;
  normalise: boolean;
  strings: string[];
  states: { label: string; path: string }[];
  functions: { label: number[]; path: number[]; line: number[] };
  locations: { function: number[]; line: number[] };
  label_sets: [number, number][][];
  tree: { location: number[]; up: number[] };
  target: SideDocument;
  base: SideDocument | null;
  sources: SourceFile[];
}

export interface SideDocument {
  meta: Meta;
  counters: Counters;
  samples: { node: number[]; weight: number[]; count: number[]; thread: number[]; label_set: number[]; moment?: number[] };
}

export interface Meta {
  kind: string;
  unit: string;
  frequency: number;
  start_time_ns: number;
  duration_ns: number;
  engine: string;
  rperf_version: string;
  ruby_version: string;
  comments: string[];
  stat: [string, unknown][];
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
