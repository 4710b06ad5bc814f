//! The frames of another thread as of the last look at it: what has not changed since need not be decoded again.
//!
//! Context: the worker. Words only, no memory.

use rperf_core::collect::TickFrame;

/// The frames of the last copy that was whole.
#[derive(Debug, Default)]
pub struct DecodedFrames {
    /// The outermost first.
    frames: Vec<TickFrame>,
    /// So many of the outermost have been the same since [`mark`](Self::mark).
    kept: usize,
}

impl DecodedFrames {
    /// None yet.
    pub fn new() -> Self {
        Self { frames: Vec::with_capacity(256), kept: 0 }
    }

    /// How many there are.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The frames, the leaf first.
    pub fn leaf_first(&self) -> impl Iterator<Item = TickFrame> + '_ {
        self.frames.iter().rev().copied()
    }

    /// The frames as they are now are what [`kept`](Self::kept) ones are compared with from now on.
    pub fn mark(&mut self) {
        self.kept = self.depth();
    }

    /// How many of the outermost frames have been the same at all looks since the mark.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// There are `depth` now; `decode` tells what the one at a position is (0 is the outermost). The first `unchanged` of
    /// them need it only where `stands` does not hold: their words are as they were. (Of a leaf, more counts than these.)
    pub fn update(
        &mut self,
        depth: usize,
        unchanged: usize,
        stands: impl Fn(&TickFrame) -> bool,
        decode: impl Fn(usize) -> TickFrame,
    ) {
        let callers = depth.min(self.depth()).saturating_sub(1);
        let unchanged = unchanged.min(callers);
        let mut same = depth.min(self.depth());
        self.frames.resize(depth, TickFrame::default());
        for (position, known) in self.frames.iter_mut().enumerate() {
            if position < unchanged && stands(known) {
                continue;
            }
            let frame = decode(position);
            if std::mem::replace(known, frame) != frame {
                same = same.min(position);
            }
        }
        self.kept = self.kept.min(same);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rperf_core::collect::TickFrame;

    use super::DecodedFrames;

    fn frame(number: usize) -> TickFrame {
        TickFrame { pc: number, iseq: number, method: number, ep: number }
    }

    /// Updates `frames`, and tells which positions were decoded.
    fn update(frames: &mut DecodedFrames, now: &[usize], unchanged: usize, limit: usize) -> Vec<usize> {
        let decoded = RefCell::new(Vec::new());
        let decode = |position: usize| {
            decoded.borrow_mut().push(position);
            frame(now[position])
        };
        frames.update(now.len(), unchanged, |frame| frame.ep < limit, decode);
        let leaf_first: Vec<_> = now.iter().rev().map(|number| frame(*number)).collect();
        assert_eq!(frames.leaf_first().collect::<Vec<_>>(), leaf_first);
        decoded.into_inner()
    }

    #[test]
    fn what_stands_is_not_decoded_again() {
        let mut frames = DecodedFrames::new();
        assert_eq!(update(&mut frames, &[1, 2, 3, 4], 0, 0), [0, 1, 2, 3]);
        assert_eq!(update(&mut frames, &[1, 2, 3, 5], 3, 9), [3]);
        assert_eq!(update(&mut frames, &[1, 2, 3, 5], 3, 2), [1, 2, 3]);
    }

    #[test]
    fn a_leaf_is_decoded_always() {
        let mut frames = DecodedFrames::new();
        update(&mut frames, &[1, 2, 3], 0, 0);
        assert_eq!(update(&mut frames, &[1, 2, 3, 4], 3, 9), [2, 3]);
        assert_eq!(update(&mut frames, &[1, 2], 2, 9), [1]);
    }

    #[test]
    fn kept_is_what_was_the_same_at_every_look_since_the_mark() {
        let mut frames = DecodedFrames::new();
        update(&mut frames, &[1, 2, 3, 4], 0, 0);
        assert_eq!(frames.kept(), 0);
        frames.mark();
        assert_eq!(frames.kept(), 4);
        update(&mut frames, &[1, 2, 3, 4, 5], 0, 0);
        assert_eq!(frames.kept(), 4);
        update(&mut frames, &[1, 7, 3, 4], 0, 0);
        assert_eq!(frames.kept(), 1);
        update(&mut frames, &[1, 2, 3, 4], 0, 0);
        assert_eq!(frames.kept(), 1);
        update(&mut frames, &[], 0, 0);
        assert_eq!(frames.kept(), 0);
    }
}
