//! The profile model: tables of functions, locations and label sets, and the samples that refer to
//! them. The words are those of pprof's `profile.proto`.

use std::sync::Arc;

use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::state::Mode;
use crate::time::Nanos;
use crate::work::Ledger;

use super::{Period, Process, Thread, ValueTypes};

/// A method, a block, the main program, or a synthetic frame such as `[GVL wait]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Function {
    /// The name as shown, such as `Integer#times`. UTF-8; other bytes have been replaced. Without
    /// addresses and the like, so that it means the same in other processes.
    pub label: String,
    /// The name as it was in (one of) the processes, where it is another; else empty.
    pub raw_label: String,
    /// The source file, or a marker such as `<C method>`, `<GVL>` or `<GC>`.
    pub path: String,
    /// The line on which the definition starts; 0 where unknown.
    pub start_line: u32,
}

/// A place in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Location {
    /// The function.
    pub function: FunctionId,
    /// The line that ran; 0 where unknown.
    pub line: u32,
}

/// The value of a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelValue {
    /// Text.
    Text(String),
    /// A number without a unit.
    Number(i64),
}

impl LabelValue {
    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }
}

/// A key with its value, attached to samples.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// The key.
    pub key: String,
    /// The value.
    pub value: LabelValue,
}

/// What was measured in one stack, time for example, on one thread, under one set of labels.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Sample {
    /// The stack: `Profile::stacks[start..start + len]`, the leaf first.
    pub stack_start: u32,
    /// How many locations the stack has.
    pub stack_len: u32,
    /// What it weighs: the chosen value, in nanoseconds where that is a time.
    pub weight: Nanos,
    /// The value of each type, where the profile [has several](Meta::value_types); else empty.
    pub values: Box<[u64]>,
    /// How many ticks were merged into this one; where the leaf is the frame of a state, how many
    /// events (see [`Ticks`](super::Ticks)).
    pub count: u64,
    /// The thread.
    pub thread_seq: ThreadSeq,
    /// The labels.
    pub label_set: LabelSetId,
    /// When it was taken, where the profile [has moments](Meta::timeline): a tick's moment, or the
    /// end of a time off the GVL or in the collector. Since the profile's start; 0 elsewhere.
    pub moment: Nanos,
}

/// What the profiler did and what it lost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Sampling callbacks that ran.
    pub sampling_count: u64,
    /// The time that they took in all.
    pub sampling_time: Nanos,
    /// What hooks took of the program's threads.
    pub hook_time: Nanos,
    /// Ticks of the timer; or objects that were allocated, of which some were sampled.
    pub trigger_count: u64,
    /// Threads seen.
    pub detected_thread_count: u64,
    /// Distinct frames (0 when samples were not aggregated).
    pub unique_frames: u64,
    /// Distinct stacks (0 when samples were not aggregated).
    pub unique_stacks: u64,
    /// Labellings beyond the limit of label sets: what they labelled shares the overflow set.
    pub label_overflow_count: u64,
    /// Samples that were lost: cause, number of samples, their time. Sorted by cause, no zeros.
    pub drops: Vec<(String, u64, Nanos)>,
}

/// What a profile says about itself.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Meta {
    /// Which clock weighs the samples.
    pub mode: Mode,
    /// What the values of samples measure where that is not the time of [`Meta::mode`]. Values
    /// whose unit is not `nanoseconds` are plain numbers.
    pub value_types: ValueTypes,
    /// The sampling frequency in Hz.
    pub frequency: u32,
    /// What lies between two samples where that is no time.
    pub period: Option<Period>,
    /// When the session started, in nanoseconds since 1970 (`CLOCK_REALTIME`).
    pub start_time_ns: i64,
    /// How long it lasted.
    pub duration: Nanos,
    /// Whether equal stacks were merged while recording.
    pub aggregated: bool,
    /// Whether samples have moments. (They were not merged, then.)
    pub timeline: bool,
    /// How stacks were taken: at the tick (`poll`), at the safepoint after it (`safepoint`), when
    /// the VM told of an object (`event`), or when the program asked for it (empty).
    pub engine: String,
    /// The version of rperf that recorded it.
    pub rperf_version: String,
    /// `RUBY_DESCRIPTION` of the program's Ruby.
    pub ruby_version: String,
    /// Free comments, shown by `go tool pprof -comments` after rperf's own.
    pub comments: Vec<String>,
    /// The units that a producer gave to numbers in labels, by key; the first one where it gave
    /// several to one key.
    pub label_units: Vec<(String, String)>,
    /// The recordings of which this profile is the mean; empty where it is one recording. It is for
    /// comparisons: no file keeps it.
    pub recordings: Vec<Recording>,
    /// What tells the process from others for an OpenTelemetry backend, such as `service.name`.
    /// Only OTLP keeps it.
    pub resource: Vec<Label>,
    /// The number of this profile in the world, for OTLP, which other formats do not have.
    pub profile_id: Option<[u8; 16]>,
    /// Figures about the process (the `:stat` hash), in the order in which they were added.
    pub stat: Vec<(String, serde_json::Value)>,
}

/// One of several recordings of which a profile is the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Recording {
    /// The number of its last thread; the next number is that of the next recording's first one.
    pub last_thread: ThreadSeq,
    /// What it weighs.
    pub total: Nanos,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Profile {
    /// What it says about itself.
    pub meta: Meta,
    /// What the profiler did and lost.
    pub counters: Counters,
    /// The units of work that ended while it was recorded. Copies share it: each of its rows takes
    /// half a kilobyte.
    pub ledger: Arc<Ledger>,
    /// Functions; [`FunctionId`] is the index.
    pub functions: Vec<Function>,
    /// Locations; [`LocationId`] is the index.
    pub locations: Vec<Location>,
    /// Label sets; [`LabelSetId`] is the index. The first is always there and empty.
    pub label_sets: Vec<Vec<Label>>,
    /// What is known of threads, by their numbers, each once; threads of which nothing is known are
    /// missing.
    pub threads: Vec<Thread>,
    /// The processes of the threads; [`ProcessId`](crate::ids::ProcessId) is the index.
    pub processes: Vec<Process>,
    /// All stacks, one behind the other, each with its leaf first.
    pub stacks: Vec<LocationId>,
    /// The samples, in the order in which they were added.
    pub samples: Vec<Sample>,
}

impl Profile {
    /// An empty profile, with the empty label set.
    pub fn new(meta: Meta) -> Self {
        Self { meta, label_sets: vec![Vec::new()], ..Self::default() }
    }

    /// The same tables and figures with other samples and the stacks that these refer to.
    pub(crate) fn with_samples(&self, samples: Vec<Sample>, stacks: Vec<LocationId>) -> Self {
        Self {
            meta: self.meta.clone(),
            counters: self.counters.clone(),
            ledger: self.ledger.clone(),
            functions: self.functions.clone(),
            locations: self.locations.clone(),
            label_sets: self.label_sets.clone(),
            threads: self.threads.clone(),
            processes: self.processes.clone(),
            stacks,
            samples,
        }
    }

    /// The stack of a sample, the leaf first.
    pub fn stack(&self, sample: &Sample) -> &[LocationId] {
        let start = sample.stack_start as usize;
        &self.stacks[start..start + sample.stack_len as usize]
    }

    /// The function that a location lies in.
    pub fn function_at(&self, location: LocationId) -> &Function {
        &self.functions[self.locations[location.index()].function.index()]
    }

    /// The sum of all weights.
    pub fn total(&self) -> Nanos {
        self.samples.iter().map(|sample| sample.weight).sum()
    }

    /// The names and the unit of what samples count, ticks and events, as sample types of pprof.
    pub const COUNTS: [(&'static str, &'static str); 2] = [("samples", "count"), ("events", "count")];
}
