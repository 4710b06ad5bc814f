//! Labels that a fiber keeps where another session goes on: in a forked child, in a daemon, and
//! where `exec` has failed. Its open blocks have tokens of the earlier session.
//!
//! Context: Ruby methods, on the thread that forks, or that is about to end the process.

use magnus::{Error, Ruby};
use rperf_core::collect::{Change, Labelling};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{Label, LabelValue};

use super::{LABELS, Labels, Token, label_sets, labelled_or_raise, token, works};
use crate::os::sync::Lock;
use crate::threads::fiber_labels;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::threads::RubyThread;

/// Labels, and the token of the block that returns to them.
pub type Block<L> = (Token, L);

/// The labels of the fiber that called [`carry`] last, and those to which its open blocks return.
static CARRIED: Lock<Vec<Block<Vec<Label>>>> = Lock::new(Vec::new());

/// A token that no block has: sessions are numbered from 1.
const NO_BLOCK: Token = 0;

/// Notes the labels of the running fiber for [`take_over`]. Without a session, does nothing.
pub fn carry(ruby: &Ruby) {
    let gvl = Gvl::of(ruby);
    let labels = LABELS.lock();
    let Some(Labels { table, works, .. }) = labels.as_ref() else { return };
    let Some(fiber) = fiber_labels::known(gvl, RubyThread::current(gvl), FLAGS.generation()) else {
        return CARRIED.lock().clear();
    };
    let now = fiber.current();
    let texts = |Labelling { set, work }| {
        label_sets::complete(table.labels(set), works.get(work).map(|work| &work.name))
    };
    let of_block = |set: LabelSetId| (token(set.0), texts(Labelling { set, ..now }));
    let of_work = |id| Some((works::token_of(id), texts(works.get(id)?.before)));
    let blocks = fiber.sets().into_iter().chain([LabelSetId::EMPTY]).map(of_block);
    let units = fiber.works().into_iter().filter_map(of_work);
    *CARRIED.lock() = [(NO_BLOCK, texts(now))].into_iter().chain(blocks).chain(units).collect();
}

/// Gives the running fiber the labels that it had in the session before, and its open blocks
/// theirs.
pub fn take_over(ruby: &Ruby) -> Result<(), Error> {
    let blocks = std::mem::take(&mut *CARRIED.lock());
    if blocks.is_empty() {
        return Ok(());
    }
    let Some(running) = labelled_or_raise(ruby)? else { return Ok(()) };
    if let Some(Labels { table, carried, .. }) = LABELS.lock().as_mut() {
        for (token, labels) in &blocks {
            carried.push((*token, table.merge(LabelSetId::EMPTY, labels.iter().filter_map(change)).id()));
        }
        running.fiber.set(carried[0].1);
    }
    let mut raised = None;
    running.show(ruby, &mut raised);
    raised.map_or(Ok(()), Err)
}

fn change(Label { key, value }: &Label) -> Option<(&[u8], Change<'_>)> {
    let LabelValue::Text(text) = value else { return None };
    Some((key.as_bytes(), Change::Text(text.as_bytes())))
}

/// Returns the label set to which a block of the session before returns.
pub fn set(token: Token) -> Option<LabelSetId> {
    let labels = LABELS.lock();
    labels.as_ref()?.carried.iter().find(|(of_block, _)| *of_block == token).map(|(_, set)| *set)
}
