//! The file formats and their names. The caller decides which file names stand for which format.

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Gzipped protocol buffers, as `go tool pprof` reads them.
    #[default]
    Pprof,
    /// Collapsed stacks: one line for each stack, for flame graph tools.
    Collapsed,
    /// A text report for people.
    Text,
    /// JSON with everything that a profile holds.
    Json,
    /// The call graph, for Graphviz.
    Dot,
    /// Costs by function, line and call, for KCachegrind.
    Callgrind,
    /// The file format of speedscope.
    Speedscope,
    /// The processed format of the Firefox Profiler.
    Firefox,
    /// A compact report for language models.
    Markdown,
    /// A request of OpenTelemetry's protocol (OTLP).
    Otlp,
}

impl Format {
    /// All formats, with the names that users write, in the order in which messages list them.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Pprof, "pprof"),
        (Self::Collapsed, "collapsed"),
        (Self::Text, "text"),
        (Self::Json, "json"),
        (Self::Dot, "dot"),
        (Self::Callgrind, "callgrind"),
        (Self::Speedscope, "speedscope"),
        (Self::Firefox, "firefox"),
        (Self::Markdown, "markdown"),
        (Self::Otlp, "otlp"),
    ];

    /// Whether the format has all values of a sample. The others have only the weight.
    pub(super) const fn has_all_values(self) -> bool {
        matches!(self, Self::Pprof | Self::Json | Self::Callgrind | Self::Otlp)
    }

    /// Returns the format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(format, _)| format)
    }

    /// Returns the encoding of this format in gzip.
    pub const fn gzipped(self) -> Encoding {
        Encoding { format: self, gzipped: true, idle: false, columns: None, for_store: false }
    }
}

/// The encoding of a file: a format, with or without gzip. pprof is always in gzip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub(super) format: Format,
    pub(super) gzipped: bool,
    /// Whether reports for people have the time of threads waiting for work. Data always have it.
    pub(super) idle: bool,
    /// Width of the terminal to which the text report goes. `None`: names are whole.
    pub(super) columns: Option<usize>,
    /// Whether a pprof file is written in the shape that profile stores take.
    pub(super) for_store: bool,
}

impl Encoding {
    /// pprof as profile stores take it, in gzip: without threads and without the numbers of ticks
    /// and events, and always with a period. Where the weight is a time, it is the only value.
    pub const FOR_STORE: Self = Self { for_store: true, ..Format::Pprof.gzipped() };

    /// Returns the encoding with another value of `idle`.
    pub const fn with_idle(self, idle: bool) -> Self {
        Self { idle, ..self }
    }

    /// Returns the encoding of a text report whose rows fit on a terminal of this width.
    pub const fn with_columns(self, columns: Option<usize>) -> Self {
        Self { columns, ..self }
    }

    /// Whether the bytes are text in UTF-8.
    pub const fn is_text(self) -> bool {
        !self.gzipped && !matches!(self.format, Format::Otlp)
    }
}

impl From<Format> for Encoding {
    fn from(format: Format) -> Self {
        Self { gzipped: format == Format::Pprof, ..format.gzipped() }
    }
}
