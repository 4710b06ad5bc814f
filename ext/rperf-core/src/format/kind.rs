//! The formats and their names. Which file names stand for them is the caller's business.

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Gzipped protocol buffers, as `go tool pprof` reads them.
    #[default]
    Pprof,
    /// One line for each stack, for flame graph tools.
    Collapsed,
    /// A report for people.
    Text,
    /// Everything that a profile holds, as JSON.
    Json,
    /// The call graph, for Graphviz.
    Dot,
    /// Costs by function, line and call, for KCachegrind.
    Callgrind,
    /// For speedscope.
    Speedscope,
    /// For the Firefox Profiler.
    Firefox,
    /// A compact report for language models.
    Markdown,
    /// A request of OpenTelemetry's protocol.
    Otlp,
}

impl Format {
    /// All formats, in the order in which messages list them.
    pub const ALL: [Self; 10] = [
        Self::Pprof,
        Self::Collapsed,
        Self::Text,
        Self::Json,
        Self::Dot,
        Self::Callgrind,
        Self::Speedscope,
        Self::Firefox,
        Self::Markdown,
        Self::Otlp,
    ];

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Collapsed => "collapsed",
            Self::Text => "text",
            Self::Json => "json",
            Self::Dot => "dot",
            Self::Callgrind => "callgrind",
            Self::Speedscope => "speedscope",
            Self::Firefox => "firefox",
            Self::Markdown => "markdown",
            Self::Otlp => "otlp",
        }
    }

    /// Whether it has room for all values of a sample; the others show the weight.
    pub(super) const fn has_all_values(self) -> bool {
        matches!(self, Self::Pprof | Self::Json | Self::Callgrind | Self::Otlp)
    }

    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format in gzip.
    pub const fn gzipped(self) -> Encoding {
        Encoding { format: self, gzipped: true, idle: false, for_store: false }
    }
}

/// What the bytes of a file are: a format, perhaps in gzip. pprof always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub(super) format: Format,
    pub(super) gzipped: bool,
    /// Whether texts for people count the time in which threads waited for work; data always does.
    pub(super) idle: bool,
    /// Whether a pprof file is one for profile stores.
    pub(super) for_store: bool,
}

impl Encoding {
    /// pprof as profile stores take it, in gzip: without threads, with all values but the number of
    /// ticks, or the one that is a time, and always with a period.
    pub const FOR_STORE: Self = Self { format: Format::Pprof, gzipped: true, idle: false, for_store: true };

    /// The same, with or without the time in which threads waited for work in texts for people.
    pub const fn with_idle(self, idle: bool) -> Self {
        Self { idle, ..self }
    }

    /// Whether the bytes are text in UTF-8.
    pub const fn is_text(self) -> bool {
        !self.gzipped && !matches!(self.format, Format::Otlp)
    }
}

impl From<Format> for Encoding {
    fn from(format: Format) -> Self {
        Self { format, gzipped: format == Format::Pprof, idle: false, for_store: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_format() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("PPROF"), None);
    }
}
