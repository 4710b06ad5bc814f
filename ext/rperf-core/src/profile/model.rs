//! The profile model: tables of functions, locations and label sets, and the samples that refer to
//! them. The names are those of pprof's `profile.proto`.

use std::sync::Arc;

use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::state::Mode;
use crate::time::Nanos;
use crate::work::Ledger;

use super::{Period, Process, Thread, ValueTypes};

/// A method, a block, the main program, or a synthetic frame such as `[GVL wait]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Function {
    /// Name as shown, such as `Integer#times`, in UTF-8; invalid bytes have been replaced. It
    /// contains no addresses or the like, so that equal names mean the same in different processes.
    pub label: String,
    /// Original name in (one of) the processes, if it differs from `label`; otherwise empty.
    pub raw_label: String,
    /// The source file, or a marker such as `<C method>`, `<GVL>` or `<GC>`.
    pub path: String,
    /// The line on which the definition starts; 0 where unknown.
    pub start_line: u32,
}

/// Name of a function without a name.
pub(crate) const UNKNOWN: &str = "<unknown>";

/// Returns the name under which a function with this label is shown and counted.
pub(crate) fn name_of(label: &str) -> &str {
    if label.is_empty() { UNKNOWN } else { label }
}

/// Whether a path may name a file, unlike a marker such as `<C method>`.
pub(crate) fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('<')
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
    /// Returns the text, or `None` for a number.
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

/// Measurement, for example of a time, of one stack on one thread under one label set.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Sample {
    /// The stack: `Profile::stacks[start..start + len]`, the leaf first.
    pub stack_start: u32,
    /// Number of locations in the stack.
    pub stack_len: u32,
    /// Weight of the sample: the chosen value. It is in nanoseconds if that value is a time.
    pub weight: Nanos,
    /// One value for each type if the profile [has several](Meta::value_types); otherwise empty.
    pub values: Box<[u64]>,
    /// Number of ticks that were merged into this sample. If the leaf is the frame of a state, the
    /// number of events (see [`Ticks`](super::Ticks)).
    pub count: u64,
    /// The thread.
    pub thread_seq: ThreadSeq,
    /// The labels.
    pub label_set: LabelSetId,
    /// Moment of the sample, since the profile's start: that of a tick, or the end of a time off
    /// the GVL or in the collector. It is 0 unless the profile [has moments](Meta::timeline).
    pub moment: Nanos,
}

/// Counters of the profiler's work and of the samples that it lost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Number of sampling callbacks that ran.
    pub sampling_count: u64,
    /// Total time of the sampling callbacks.
    pub sampling_time: Nanos,
    /// Time that hooks took on the program's threads.
    pub hook_time: Nanos,
    /// Number of ticks of the timer, or of objects that were allocated, sampled or not.
    pub trigger_count: u64,
    /// Number of threads seen.
    pub detected_thread_count: u64,
    /// Number of distinct frames (0 if samples were not aggregated).
    pub unique_frames: u64,
    /// Number of distinct stacks (0 if samples were not aggregated).
    pub unique_stacks: u64,
    /// Number of labellings beyond the limit of label sets. Their samples share the overflow set.
    pub label_overflow_count: u64,
    /// Lost samples: cause, number of samples, and their time. Sorted by cause, without zeros.
    pub drops: Vec<(String, u64, Nanos)>,
}

/// Metadata of a profile.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Meta {
    /// Mode of the session. In the modes of time, its clock weighs the samples.
    pub mode: Mode,
    /// Value types of the samples; none if the weight is the time of [`Meta::mode`]. Values whose
    /// unit is not `nanoseconds` are plain numbers.
    pub value_types: ValueTypes,
    /// Sampling frequency in Hz.
    pub frequency: u32,
    /// Whether the counts of ticks are estimated from the weights, since the file has none. It is
    /// for comparisons: no file contains it.
    pub ticks_are_estimated: bool,
    /// Distance between two samples, if it is not a time.
    pub period: Option<Period>,
    /// Start of the session, in nanoseconds since 1970 (`CLOCK_REALTIME`).
    pub start_time_ns: i64,
    /// Duration of the session.
    pub duration: Nanos,
    /// Whether equal stacks were merged while recording.
    pub aggregated: bool,
    /// Whether samples have moments. If so, equal samples were not merged.
    pub timeline: bool,
    /// How stacks were taken: at the tick (`poll`), at the safepoint after it (`safepoint`), when
    /// the VM reported an object (`event`), or when the program asked for it (empty).
    pub engine: String,
    /// Version of rperf that recorded the profile.
    pub rperf_version: String,
    /// `RUBY_DESCRIPTION` of the program's Ruby.
    pub ruby_version: String,
    /// Free comments, shown by `go tool pprof -comments` after rperf's own.
    pub comments: Vec<String>,
    /// Units that the producer gave to numbers in labels, by key. If it gave several units to one
    /// key, the first one.
    pub label_units: Vec<(String, String)>,
    /// Recordings of which this profile is the mean; empty for a single recording. They are for
    /// comparisons: no file contains them.
    pub recordings: Vec<Recording>,
    /// Line about idle time that the samples no longer have. Only texts and pages contain it.
    pub folded: Option<String>,
    /// Attributes that identify the process to an OpenTelemetry backend, such as `service.name`.
    /// Only OTLP contains them.
    pub resource: Vec<Label>,
    /// Globally unique id of this profile. Only OTLP contains it.
    pub profile_id: Option<[u8; 16]>,
    /// Figures about the process (the `:stat` hash), in the order in which they were added.
    pub stat: Vec<(String, serde_json::Value)>,
}

/// One of several recordings of which a profile is the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Recording {
    /// Number of the recording's last thread. The next recording begins with the next number.
    pub last_thread: ThreadSeq,
    /// Sum of the recording's weights, without the time in which threads waited for a processor.
    pub total: Nanos,
}

/// A profile: its samples, and the tables to which they refer.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Profile {
    /// Metadata of the profile.
    pub meta: Meta,
    /// Counters of the profiler's work and of lost samples.
    pub counters: Counters,
    /// Units of work that ended during the recording. Copies of the profile share the ledger, since
    /// each of its rows takes half a kilobyte.
    pub ledger: Arc<Ledger>,
    /// Functions; [`FunctionId`] is the index.
    pub functions: Vec<Function>,
    /// Locations; [`LocationId`] is the index.
    pub locations: Vec<Location>,
    /// Label sets; [`LabelSetId`] is the index. The first one always exists and is empty.
    pub label_sets: Vec<Vec<Label>>,
    /// Known threads, sorted by their numbers, each once. Threads of which nothing is known are
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
    /// Creates an empty profile, which has only the empty label set.
    pub fn new(meta: Meta) -> Self {
        Self { meta, label_sets: vec![Vec::new()], ..Self::default() }
    }

    /// Returns the number of recordings of which the times are the mean.
    pub(super) fn recording_count(&self) -> usize {
        self.meta.recordings.len().max(1)
    }

    /// Returns a copy with the same tables and figures, but other samples and their `stacks`.
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

    /// Returns the stack of a sample, the leaf first.
    pub fn stack(&self, sample: &Sample) -> &[LocationId] {
        let start = sample.stack_start as usize;
        &self.stacks[start..start + sample.stack_len as usize]
    }

    /// Returns the function of a location.
    pub fn function_at(&self, location: LocationId) -> &Function {
        &self.functions[self.locations[location.index()].function.index()]
    }

    /// Returns the sum of all weights.
    pub fn total(&self) -> Nanos {
        self.samples.iter().map(|sample| sample.weight).sum()
    }

    /// Names and units of the counts of samples (ticks and events), as sample types of pprof.
    pub const COUNTS: [(&'static str, &'static str); 2] = [("samples", "count"), ("events", "count")];
}
