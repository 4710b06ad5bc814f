//! Link of a unit of work to its span in a store of traces.

use std::fmt::Write as _;

/// A span, by OpenTelemetry's ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Id of the trace.
    pub trace: [u8; 16],
    /// Id of the span in the trace.
    pub span: [u8; 8],
}

impl Link {
    /// Keys of the labels that a linked sample has in a profile. Their values are unique, so they
    /// do not tell kinds of work apart.
    pub const KEYS: [&'static str; 2] = ["trace_id", "span_id"];

    /// Creates a link from binary ids; `None` where a length is wrong or an id is all 0 (no span).
    pub fn of(trace: &[u8], span: &[u8]) -> Option<Self> {
        let is_set = |id: &[u8]| id.iter().any(|byte| *byte != 0);
        let link = Self { trace: trace.try_into().ok()?, span: span.try_into().ok()? };
        (is_set(&link.trace) && is_set(&link.span)).then_some(link)
    }

    /// Returns the labels: keys, and ids in hexadecimal.
    pub fn labels(&self) -> [(&'static str, String); 2] {
        let [trace, span] = Self::KEYS;
        [(trace, hexadecimal(&self.trace)), (span, hexadecimal(&self.span))]
    }
}

fn hexadecimal(id: &[u8]) -> String {
    id.iter().fold(String::with_capacity(2 * id.len()), |mut text, byte| {
        // Writing to a String cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_shown_in_full() {
        let link = Link::of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255], &[15; 8]);
        let [trace, span] = link.expect("they have the right lengths").labels();
        assert_eq!(trace, ("trace_id", "000102030405060708090a0b0c0d0eff".to_owned()));
        assert_eq!(span, ("span_id", "0f0f0f0f0f0f0f0f".to_owned()));
    }

    #[test]
    fn what_is_no_span_has_no_link() {
        for (trace, span) in
            [(&[1; 15][..], &[1; 8][..]), (&[1; 16], &[1; 9]), (&[0; 16], &[1; 8]), (&[1; 16], &[0; 8])]
        {
            assert_eq!(Link::of(trace, span), None);
        }
    }
}
