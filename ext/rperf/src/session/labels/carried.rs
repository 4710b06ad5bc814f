//! Labels that a fiber keeps where another session goes on: in a forked child, in a daemon, and
//! where `exec` has failed. Its open blocks have tokens of the earlier session. Its thread stays in
//! blocks of `Rperf.profile`.
//!
//! Context: Ruby methods, on the thread that forks, or that is about to end the process.

use magnus::{Error, Ruby};
use rperf_core::collect::{Change, Labelling};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{Label, LabelValue};

use super::{LABELS, Labels, Token, label_sets, labelled_or_raise, token, works};
use crate::os::sync::Lock;
use crate::session::{defer, known_record};
use crate::threads::fiber_labels;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::threads::RubyThread;

/// Labels, and the token of the block that returns to them.
pub type Block<L> = (Token, L);

/// The labels of the fiber that called [`carry`] last, and those to which its open blocks return,
/// where these are not the empty set; and the blocks of its thread.
static CARRIED: Lock<Option<Carried>> = Lock::new(None);

struct Carried {
    /// The first of the sessions in which the blocks began.
    since: u64,
    now: Vec<Label>,
    blocks: Vec<Block<Vec<Label>>>,
    /// Number of blocks of `Rperf.profile` that the thread is in.
    profiled: u32,
}

/// Notes the labels of the running fiber, and its thread's blocks, for [`take_over`]. Without a
/// session, does nothing.
pub fn carry(ruby: &Ruby) {
    let gvl = Gvl::of(ruby);
    let labels = LABELS.lock();
    let Some(Labels { table, works, carried, .. }) = labels.as_ref() else { return };
    let fiber = fiber_labels::known(gvl, RubyThread::current(gvl), FLAGS.generation());
    let now = fiber.as_ref().map_or_else(Labelling::default, |fiber| fiber.current());
    let texts = |Labelling { set, work }| {
        label_sets::complete(table.labels(set), works.get(work).map(|work| &work.name))
    };
    let of_set = |set: LabelSetId| texts(Labelling { set, ..now });
    let earlier = carried.iter().map(|(token, set)| (*token, of_set(*set)));
    let of_fiber = fiber.iter().flat_map(|fiber| {
        let blocks = fiber.outer().into_iter().map(|set| (token(set.0), of_set(set)));
        let unit = |id| Some((works::token_of(id), texts(works.get(id)?.before)));
        blocks.chain(fiber.works().into_iter().filter_map(unit))
    });
    let blocks = earlier.chain(of_fiber).collect();
    let profiled = known_record(ruby).map_or(0, |record| record.accounts().blocks);
    *CARRIED.lock() = Some(Carried { since: FLAGS.since(), now: texts(now), blocks, profiled });
}

/// Gives the running fiber the labels that it had in the session before, and its open blocks
/// theirs; its thread is in the blocks in which it was.
pub fn take_over(ruby: &Ruby) -> Result<(), Error> {
    let Some(Carried { since, now, blocks, profiled }) = CARRIED.lock().take() else { return Ok(()) };
    (0..profiled).for_each(|_| defer::enter(ruby, FLAGS.generation()));
    FLAGS.go_on(since);
    let Some(running) = labelled_or_raise(ruby)? else { return Ok(()) };
    if let Some(Labels { table, carried, .. }) = LABELS.lock().as_mut() {
        let mut set =
            |labels: &[Label]| table.merge(LabelSetId::EMPTY, labels.iter().filter_map(change)).id();
        carried.extend(blocks.iter().map(|(token, labels)| (*token, set(labels))));
        running.fiber.set(set(&now));
    }
    let mut raised = None;
    running.show(ruby, &mut raised);
    raised.map_or(Ok(()), Err)
}

fn change(Label { key, value }: &Label) -> Option<(&[u8], Change<&[u8]>)> {
    let LabelValue::Text(text) = value else { return None };
    Some((key.as_bytes(), Change::Text(text.as_bytes())))
}

/// Returns the label set to which a block of an earlier session returns; `None` if the running one
/// does not go on from that session.
pub fn set(token: Token) -> Option<LabelSetId> {
    if !FLAGS.includes(token >> u32::BITS) {
        return None;
    }
    let labels = LABELS.lock();
    let block = labels.as_ref()?.carried.iter().find(|(of_block, _)| *of_block == token);
    Some(block.map_or(LabelSetId::EMPTY, |(_, set)| *set))
}
