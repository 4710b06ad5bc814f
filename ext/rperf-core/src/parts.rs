//! Output that is handed on in parts, so that long output is never in memory as a whole.

use std::io;
use std::ops::ControlFlow;

/// Receiver of the parts of an output. It returns whether more is wanted. A part of a text ends
/// between two characters.
pub type Sink<'a> = &'a mut dyn FnMut(Vec<u8>) -> ControlFlow<()>;

/// Approximate length of a part, in bytes.
const PART: usize = 1 << 18;

/// Bytes reserved for a part: most pieces that are pushed last fit, too.
const ROOM: usize = PART + (PART >> 4);

/// Writer that joins pieces of output into parts of a good size.
pub(crate) struct Parts<'a> {
    bytes: Vec<u8>,
    /// Number of bytes that have been handed on.
    gone: u64,
    sink: Sink<'a>,
    flow: ControlFlow<()>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(sink: Sink<'a>) -> Self {
        Self { bytes: Vec::new(), gone: 0, sink, flow: ControlFlow::Continue(()) }
    }

    /// Appends a piece. A piece of a text has whole characters.
    pub(crate) fn push(&mut self, piece: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(piece.as_ref());
        if self.bytes.len() >= PART {
            self.hand_on();
            // Only now, since most outputs are short and have no second part.
            self.bytes.reserve(ROOM);
        }
    }

    /// Appends a number.
    pub(crate) fn push_number(&mut self, number: impl itoa::Integer) {
        self.push(itoa::Buffer::new().format(number));
    }

    /// Appends, in one line, a document that can always be written as JSON. Writing ends early when
    /// the rest is not wanted.
    pub(crate) fn push_json(&mut self, document: &impl serde::Serialize) {
        if let Err(error) = serde_json::to_writer(&mut *self, document) {
            assert!(error.is_io(), "texts and numbers are always valid JSON: {error}");
        }
    }

    /// Hands on the bytes that have come together.
    pub(crate) fn hand_on(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.gone += bytes.len() as u64;
        if self.flow.is_continue() && !bytes.is_empty() {
            self.flow = (self.sink)(bytes);
        }
    }

    /// Returns the number of bytes that were pushed.
    pub(crate) fn len(&self) -> u64 {
        self.gone + self.bytes.len() as u64
    }

    /// Returns whether no more is wanted.
    pub(crate) fn are_unwanted(&self) -> bool {
        self.flow.is_break()
    }
}

/// Returns the whole output, for outputs that are short.
pub(crate) fn collected<E>(write: impl FnOnce(Sink<'_>) -> Result<(), E>) -> Result<Vec<u8>, E> {
    let mut all = Vec::new();
    write(&mut |mut part| {
        if all.is_empty() {
            all = part;
        } else {
            all.append(&mut part);
        }
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// Returns all pieces of an output, in one.
#[cfg(test)]
pub(crate) fn written(write: impl FnOnce(&mut Parts<'_>)) -> Vec<u8> {
    let all = collected(|sink| {
        let mut parts = Parts::new(sink);
        write(&mut parts);
        parts.hand_on();
        Ok::<_, std::convert::Infallible>(())
    });
    all.unwrap_or_else(|never| match never {})
}

/// Writing fails when no more is wanted.
impl io::Write for Parts<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.are_unwanted() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.push(bytes);
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(drop)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parts that are taken by a sink that wants `wanted` parts.
    fn taken(wanted: usize, write: impl Fn(&mut Parts<'_>)) -> Vec<String> {
        let mut taken = Vec::new();
        let mut sink = |part: Vec<u8>| {
            taken.push(String::from_utf8(part).expect("it is text"));
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
            parts.push_number(-12);
            parts.hand_on();
            parts.hand_on();
        });
        assert_eq!(parts, [format!("ab{long}"), "c-12".to_owned()]);
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

    #[test]
    fn collects_all_parts() {
        let all = written(|parts| (0..100_000).for_each(|number| parts.push_number(number)));
        let expected: String = (0..100_000).map(|number| number.to_string()).collect();
        assert_eq!(all, expected.into_bytes());
    }
}
