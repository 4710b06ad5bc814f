//! The formats, their names and the file names that stand for them.

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
    /// The same, gzipped.
    JsonGz,
}

impl Format {
    /// All formats, in the order in which messages list them.
    pub const ALL: [Self; 5] = [Self::Pprof, Self::Collapsed, Self::Text, Self::Json, Self::JsonGz];

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Collapsed => "collapsed",
            Self::Text => "text",
            Self::Json => "json",
            Self::JsonGz => "json.gz",
        }
    }

    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the name of an output file asks for; pprof where it asks for nothing else.
    pub fn from_path(path: &str) -> Self {
        const EXTENSIONS: [(&str, Format); 4] = [
            (".collapsed", Format::Collapsed),
            (".txt", Format::Text),
            (".json", Format::Json),
            (".json.gz", Format::JsonGz),
        ];
        EXTENSIONS
            .into_iter()
            .find(|(extension, _)| path.ends_with(extension))
            .map_or(Self::Pprof, |(_, it)| it)
    }

    /// The format for a file when the user asked for this one by name: JSON is gzipped when the file
    /// name ends in `.gz`.
    pub fn for_path(self, path: &str) -> Self {
        if self == Self::Json && path.ends_with(".gz") { Self::JsonGz } else { self }
    }

    /// Whether the bytes are text in UTF-8.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Collapsed | Self::Text | Self::Json)
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

    #[test]
    fn file_names_choose_the_format() {
        let chosen =
            ["rperf.data", "a.pb.gz", "a.collapsed", "a.txt", "a.json", "a.json.gz", "a.txt.gz", "", "txt"]
                .map(|path| Format::from_path(path).name());
        assert_eq!(
            chosen,
            ["pprof", "pprof", "collapsed", "text", "json", "json.gz", "pprof", "pprof", "pprof"]
        );
    }

    #[test]
    fn json_by_name_is_gzipped_for_a_gz_file() {
        assert_eq!(Format::Json.for_path("a.gz"), Format::JsonGz);
        assert_eq!(Format::Json.for_path("a.json"), Format::Json);
        assert_eq!(Format::Collapsed.for_path("a.gz"), Format::Collapsed);
    }
}
