//! Labels that are merged into a set, as one row of bytes: quick to hash, to compare and to use again.

/// Labels to set and to remove, in order.
#[derive(Clone, Debug, Default)]
pub struct LabelChange {
    bytes: Vec<u8>,
}

/// Stands for a label that is removed, in the place of its value's length.
const REMOVED: u32 = u32::MAX;

impl LabelChange {
    /// Bytes of a key or a value; the rest of a longer one is cut off.
    pub const MAX_TEXT: usize = 4096;

    /// Without labels; allocates nothing.
    pub const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Starts anew; memory is kept.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The label `key` gets this value, or is removed (`None`).
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        self.push_text(cut(key));
        match value {
            Some(value) => self.push_text(cut(value)),
            None => self.bytes.extend_from_slice(&REMOVED.to_ne_bytes()),
        }
    }

    fn push_text(&mut self, text: &[u8]) {
        // At most MAX_TEXT.
        self.bytes.extend_from_slice(&(text.len() as u32).to_ne_bytes());
        self.bytes.extend_from_slice(text);
    }

    /// All of it, the same for equal labels in the same order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The labels, in order.
    pub fn labels(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || Some((take_text(&mut rest)??, take_text(&mut rest)?)))
    }
}

/// The next text, or `None` in its place where a label is removed; `None` at the end.
fn take_text<'bytes>(rest: &mut &'bytes [u8]) -> Option<Option<&'bytes [u8]>> {
    let (length, after) = rest.split_first_chunk()?;
    let length = u32::from_ne_bytes(*length);
    if length == REMOVED {
        *rest = after;
        return Some(None);
    }
    let (text, after) = after.split_at_checked(length as usize)?;
    *rest = after;
    Some(Some(text))
}

/// At most the limit of a text, without half a character at the end.
fn cut(text: &[u8]) -> &[u8] {
    const LIMIT: usize = LabelChange::MAX_TEXT;
    if text.len() <= LIMIT {
        return text;
    }
    let begins_character = |index: &usize| text[*index] & 0xC0 != 0x80;
    let end = (LIMIT - 3..=LIMIT).rev().find(begins_character).unwrap_or(LIMIT);
    &text[..end]
}
