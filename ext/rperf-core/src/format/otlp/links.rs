//! Spans: labels with their ids in hexadecimal, and OTLP's links for them.

use super::message::Link;
use crate::profile::{Label, LabelValue};

/// Label with the id of the trace, 32 hexadecimal digits.
pub(super) const TRACE_ID: &str = "trace_id";
/// Label with the id of the span, 16 hexadecimal digits.
pub(super) const SPAN_ID: &str = "span_id";

const TRACE_BYTES: usize = 16;
const SPAN_BYTES: usize = 8;

/// Returns the link for these ids, if both are valid by OpenTelemetry's rules.
pub(super) fn link(trace_id: &str, span_id: &str) -> Option<Link> {
    let (trace_id, span_id) = (bytes(trace_id, TRACE_BYTES)?, bytes(span_id, SPAN_BYTES)?);
    Some(Link { trace_id, span_id })
}

/// Decodes `count` hexadecimal bytes; `None` if the text is not of that kind or all bytes are 0.
fn bytes(hex: &str, count: usize) -> Option<Vec<u8>> {
    let is_hex = hex.len() == 2 * count && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |index: usize| u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok();
    let bytes: Vec<u8> = (0..count).filter(|_| is_hex).map_while(byte).collect();
    bytes.iter().any(|byte| *byte != 0).then_some(bytes)
}

/// Returns the labels for a link's ids, without empty ids. `Err` has a description of the damage.
pub(super) fn labels(trace_id: &[u8], span_id: &[u8]) -> Result<Vec<Label>, String> {
    let ids = [(TRACE_ID, trace_id, TRACE_BYTES), (SPAN_ID, span_id, SPAN_BYTES)];
    let mut labels = Vec::new();
    for (key, id, count) in ids {
        if !id.is_empty() && id.len() != count {
            return Err(format!("a link has a {key} of {} bytes instead of {count}", id.len()));
        }
        if id.iter().any(|byte| *byte != 0) {
            let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            labels.push(Label { key: key.to_owned(), value: LabelValue::Text(hex) });
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn a_link_leads_back_to_its_labels() {
        let link = link(TRACE, SPAN).expect("both are valid");
        let labels = labels(&link.trace_id, &link.span_id).expect("they have the right lengths");
        let text = |value: &str| LabelValue::Text(value.to_owned());
        assert_eq!(labels.iter().map(|label| &label.value).collect::<Vec<_>>(), [&text(TRACE), &text(SPAN)]);
    }

    #[test]
    fn only_ids_make_a_link() {
        let wrong = ["", "b7ad6b716920333", "b7ad6b716920333ü", "+7ad6b7169203331", "0000000000000000"];
        assert!(wrong.iter().all(|span| link(TRACE, span).is_none()));
        assert!(link(SPAN, SPAN).is_none());
    }

    #[test]
    fn only_whole_ids_are_read() {
        assert_eq!(labels(&[], &[0; 8]), Ok(Vec::new()));
        let sentence = "a link has a span_id of 3 bytes instead of 8";
        assert_eq!(labels(&[1; 16], &[1; 3]), Err(sentence.to_owned()));
    }
}
