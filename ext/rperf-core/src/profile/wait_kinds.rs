//! Wait kinds that a program adds to the tables. The profile carries them as comments.

/// Beginning of each such comment. (pprof's reports show no comment that begins like this.)
const COMMENT: &str = "# wait: ";

/// Name for time off the GVL in a method, or in methods that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitKind<'a> {
    /// Name of the wait: one word, without a colon.
    pub kind: &'a str,
    /// Method, as reports name it. A text that ends in `#`, `.` or `:` stands for all methods that
    /// begin with it.
    pub method: &'a str,
}

impl<'a> WaitKind<'a> {
    /// Reads a comment; `None` if it is not about a wait kind.
    pub fn read(comment: &'a str) -> Option<Self> {
        let (kind, method) = comment.strip_prefix(COMMENT)?.split_once(": ")?;
        Some(Self { kind, method })
    }

    /// Returns the comment.
    pub fn write(self) -> String {
        let Self { kind, method } = self;
        format!("{COMMENT}{kind}: {method}")
    }

    /// Returns whether the wait kind is about this method.
    pub(super) fn is_about(self, label: &str) -> bool {
        label == self.method || self.method.ends_with(['#', '.', ':']) && label.starts_with(self.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_as_they_were_written() {
        for method in ["PG::Connection#exec", "A::", "Money#: #==", "Pool.with"] {
            let kind = WaitKind { kind: "database", method };
            assert_eq!(WaitKind::read(&kind.write()), Some(kind));
        }
        for comment in ["wait: a: b", "# wait: a", "# ledger: {}", ""] {
            assert_eq!(WaitKind::read(comment), None);
        }
    }

    #[test]
    fn a_class_stands_for_its_methods() {
        let is_about = |method, label| WaitKind { kind: "x", method }.is_about(label);
        assert!(is_about("A#b", "A#b") && !is_about("A#b", "A#bc"));
        assert!(is_about("A#", "A#b") && !is_about("A#", "A::B#b"));
        assert!(is_about("A::", "A::B#b") && is_about("A.", "A.b") && !is_about("A.", "A#b"));
    }
}
