//! Text that is handed on in parts, so that a long one is never in memory as a whole.

use std::io;
use std::ops::ControlFlow;

/// Takes a part of a text, which ends between two characters; says whether more is wanted.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&str) -> ControlFlow<()>;

/// How long a part is, about, in bytes.
const PART: usize = 1 << 18;

/// Collects text into parts of a good size.
pub(super) struct Parts<'a> {
    text: String,
    sink: Sink<'a>,
    flow: ControlFlow<()>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(sink: Sink<'a>) -> Self {
        Self { text: String::new(), sink, flow: ControlFlow::Continue(()) }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() >= PART {
            self.flush();
        }
    }

    /// Hands on what has come together.
    pub(super) fn flush(&mut self) {
        if self.flow.is_continue() && !self.text.is_empty() {
            self.flow = (self.sink)(&self.text);
        }
        self.text.clear();
    }

    /// Whether nobody wants any more.
    pub(super) fn are_unwanted(&self) -> bool {
        self.flow.is_break()
    }
}

/// For JSON, which is written in whole characters.
impl io::Write for Parts<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.are_unwanted() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.push(std::str::from_utf8(bytes).map_err(io::Error::other)?);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that a sink takes which wants this many.
    fn taken(wanted: usize, write: impl Fn(&mut Parts<'_>)) -> Vec<String> {
        let mut taken = Vec::new();
        let mut sink = |part: &str| {
            taken.push(part.to_owned());
            if taken.len() < wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        write(&mut Parts::new(&mut sink));
        taken
    }

    #[test]
    fn hands_on_what_has_come_together() {
        let long = "é".repeat(PART);
        let parts = taken(9, |parts| {
            ["a", "b", &long, "c"].into_iter().for_each(|text| parts.push(text));
            parts.flush();
            parts.flush();
        });
        assert_eq!(parts, [format!("ab{long}"), "c".to_owned()]);
    }

    #[test]
    fn nothing_comes_after_the_last_that_is_wanted() {
        let long = "a".repeat(PART);
        let parts = taken(1, |parts| {
            parts.push(&long);
            assert!(parts.are_unwanted());
            parts.push(&long);
            assert!(io::Write::write(parts, b"a").is_err());
        });
        assert_eq!(parts, [long]);
    }
}
