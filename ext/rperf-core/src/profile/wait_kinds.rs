//! What a program calls a wait: an addition to the tables, which the profile carries as a comment.

/// What each such comment begins with. (pprof shows no comment that begins so in its reports.)
const COMMENT: &str = "# wait: ";

/// Time off the GVL in a method, or in what it calls, is called `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitKind<'a> {
    /// One word, without a colon.
    pub kind: &'a str,
    /// The method as reports name it; one that ends in `#`, `.` or `:` stands for all that begin
    /// so.
    pub method: &'a str,
}

impl<'a> WaitKind<'a> {
    /// What a comment says, if it is one of these.
    pub fn read(comment: &'a str) -> Option<Self> {
        let (kind, method) = comment.strip_prefix(COMMENT)?.split_once(": ")?;
        Some(Self { kind, method })
    }

    /// The comment.
    pub fn write(self) -> String {
        let Self { kind, method } = self;
        format!("{COMMENT}{kind}: {method}")
    }

    /// Whether a method is meant.
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
