//! Units of work: blocks whose name is known only when they have run for a while, as the endpoint
//! of a request that has to be routed first.
//!
//! A label whose value is left open has the name that the unit of work has in the end, in all of
//! its samples. These are kept apart until then.

use std::sync::Arc;

use magnus::{Error, Ruby};
use rperf_core::collect::{LabelTable, Work};
use rperf_core::ids::WorkId;

use super::{Labels, Running, Token, is_of_session, labelled_or_raise, labels, of_records, token};
use crate::sampler::sampler;
use crate::session::known_record;

/// A unit of work begins on the running fiber, called `name` by now: returns what [`leave`] needs,
/// or `None` when no session runs.
pub fn enter(ruby: &Ruby, name: &str) -> Result<Option<Token>, Error> {
    Ok(labelled_or_raise(ruby)?.and_then(|running| begin(&running, name)))
}

fn begin(running: &Running, name: &str) -> Option<Token> {
    let mut labels = labels();
    let labels = labels.as_mut()?;
    if labels.works.is_full() {
        labels.forget_works();
    }
    let Running { record, fiber } = running;
    let outer = fiber.current().work;
    let (name, before) = (LabelTable::text(name.as_bytes()), fiber.enter_block());
    let id = labels.works.begin(Work { name, before, outer, creator: record.creator() });
    fiber.set_work(id);
    record.set_labels(fiber.current());
    Some(token(id.0))
}

/// The unit of work is called `name` from now on. Any thread may say so.
pub fn rename(token: Token, name: &str) {
    if let Some(labels) = labels().as_mut().filter(|_| is_of_session(token)) {
        labels.works.rename(id(token), name);
    }
}

/// The unit of work has ended, on the running fiber, and is called `name` for good: labels are
/// those of before. Nothing happens when its session has ended, too.
pub fn leave(ruby: &Ruby, token: Token, name: &str) -> Result<(), Error> {
    let mut raised = None;
    let record = known_record(ruby).filter(|_| is_of_session(token));
    if let Some(running) = Running::find(ruby, record, &mut raised) {
        let work = labels().as_ref().and_then(|labels| labels.works.get(id(token)).cloned());
        if let Some(Work { before, outer, .. }) = work {
            running.fiber.leave_block(before);
            running.fiber.set_work(outer);
            running.show(ruby, &mut raised);
        }
    }
    rename(token, name);
    if let Some(labels) = labels().as_mut().filter(|_| is_of_session(token)) {
        labels.settle(id(token));
    }
    raised.map_or(Ok(()), Err)
}

/// Whether it is known, and the thread with this number as a creator of fibers began it. What is
/// none is every thread's.
pub fn is_of(work: WorkId, creator: u32) -> bool {
    let began = |labels: &Labels| labels.works.get(work).is_some_and(|work| work.creator == creator);
    work == WorkId::NONE || labels().as_ref().is_some_and(began)
}

fn id(token: Token) -> WorkId {
    WorkId(token as u32)
}

impl Labels {
    /// The unit of work is called what it is called for good: its samples are like all others.
    fn settle(&mut self, id: WorkId) {
        if let Some(name) = self.works.get(id).map(|work| Arc::clone(&work.name)) {
            self.settle_as(id, &name);
        }
    }

    fn settle_as(&mut self, id: WorkId, name: &Arc<str>) {
        if let Some(sampler) = sampler().as_mut() {
            sampler.settle(id, |set| self.table.named(set, name).id());
        }
    }

    /// Forgets those that no fiber has, and no thread is still to be charged with: of a server that
    /// runs for weeks nothing is left.
    fn forget_works(&mut self) {
        let last = sampler().as_ref().and_then(|sampler| sampler.last_labels());
        let in_use = of_records().chain(self.fibers.labels()).chain(last);
        let forgotten = self.works.forget(in_use.map(|labels| labels.work));
        for (id, name) in forgotten {
            self.settle_as(id, &name);
        }
    }
}
