//! Units of work: blocks whose name is known only when they have run for a while, such as a request
//! that has to be routed before its endpoint is known.
//!
//! An open label has the final name of the unit of work as its value, in all samples of the unit.
//! These samples are kept apart until the unit ends, and then get the labels of its verdict. The
//! figures of each unit go into the ledger.

use std::cell::LazyCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use magnus::{Error, Ruby};
use rperf_core::collect::{LabelTable, Labelling, Work};
use rperf_core::ids::WorkId;
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Link, Verdict};

use super::{IS_WORK, LABELS, Labels, Running, Token, is_of_session, labelled_or_raise, of_records, token};
use crate::os::clock;
use crate::sampler::{Sampler, sampler};
use crate::session::{known_record, ledgers};
use crate::threads::record::ThreadRecord;
use crate::vm::fiber_storage::Raised;

/// Begins a unit of work on the running fiber, called `name` by now. `is_late`: its name may
/// change. Returns the token for [`leave`] and the fiber, or `None` when no session runs.
///
/// Most units with a known name leave their samples to the unit around them. A request within jobs
/// has its own verdict, so its samples are kept apart.
pub fn enter(ruby: &Ruby, name: &str, kind: Kind, is_late: bool) -> Result<Option<(Token, Running)>, Error> {
    let running = labelled_or_raise(ruby)?;
    Ok(running.and_then(|running| Some((begin(&running, name, kind, is_late)?, running))))
}

fn begin(running: &Running, name: &str, kind: Kind, is_late: bool) -> Option<Token> {
    let mut labels = LABELS.lock();
    let labels = labels.as_mut()?;
    if labels.works.is_full() {
        labels.forget_works();
    }
    let outer = running.fiber.innermost();
    let has_samples =
        is_late || outer == WorkId::NONE || kind == Kind::Request && labels.works.are_jobs(outer);
    let (name, before) = (LabelTable::text(name.as_bytes()), Labelling::default());
    let (began, spent, creator) = (None, Figures::default(), 0);
    let work = Work { name, before, outer, kind, has_samples, link: None, began, spent, creator };
    let id = labels.works.begin(work);
    labels.begin_part(running, id)?;
    Some(token_of(id))
}

/// Ends a part of the unit of work, on the fiber that runs it, whose labels are those of before
/// again. The unit goes on with [`resume`], or ends with [`leave`].
pub fn pause(ruby: &Ruby, token: Token) -> Result<(), Error> {
    let mut raised = None;
    let id = id(token);
    let record = known_record(ruby).filter(|_| is_of_session(token));
    let paused = record.and_then(|record| LABELS.lock().as_mut()?.pause_work(record, id));
    if let Some(work) = paused {
        restore(ruby, record, id, &work, &mut raised);
    }
    raised.map_or(Ok(()), Err)
}

/// Begins another part of a paused unit of work, on the running fiber of any thread. Returns false
/// when its session has ended.
pub fn resume(ruby: &Ruby, token: Token) -> Result<bool, Error> {
    let running = labelled_or_raise(ruby)?.filter(|_| is_of_session(token));
    let begun = running.and_then(|running| LABELS.lock().as_mut()?.begin_part(&running, id(token)));
    Ok(begun.is_some())
}

/// Renames the unit of work from now on. Any thread may call this.
pub fn rename(token: Token, name: &str) {
    if let Some(labels) = LABELS.lock().as_mut().filter(|_| is_of_session(token)) {
        labels.works.rename(id(token), name);
    }
}

/// Gives this link to the running fiber's unit of work, unless that has one already. Returns
/// whether there is such a unit.
pub fn link(ruby: &Ruby, link: Link) -> Result<bool, Error> {
    let Some(running) = labelled_or_raise(ruby)? else { return Ok(false) };
    let work = running.fiber.current().work;
    LABELS.lock().as_mut().into_iter().for_each(|labels| labels.works.link(work, link));
    Ok(work != WorkId::NONE)
}

/// Name and result of a unit of work that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// Its final name.
    pub name: &'a str,
    /// The key of the label that has the name.
    pub label: &'a str,
    /// Whether it failed.
    pub failed: bool,
}

/// Ends the unit of work. If the running fiber is in it, its labels are those of before again.
/// Returns its duration; `None` when its session has ended, which is then without effect but for
/// labels that the running session has taken over.
pub fn leave(ruby: &Ruby, token: Token, ending: Ending<'_>) -> Result<Option<Nanos>, Error> {
    let mut raised = None;
    let id = id(token);
    if !is_of_session(token) {
        return super::leave(ruby, token).map(|()| None);
    }
    let record = known_record(ruby);
    let ended = record.and_then(|record| LABELS.lock().as_mut()?.end_work(record, id, ending));
    let Some(Ended { work, unit, is_part }) = ended else { return Ok(None) };
    restore(ruby, record, id, &work, &mut raised);
    // From here on the unit gets only time that the thread's last stacks are still charged with.
    if let Some(labels) = LABELS.lock().as_mut().filter(|_| work.has_samples) {
        let slow = labels.measures.slow;
        labels.settle(id, &work, record, || ledgers::verdict(work.kind, &work.name, &unit, slow));
    }
    if !is_part {
        ledgers::add(work.kind, &work.name, ending.label, &unit);
    }
    raised.map_or(Ok(Some(unit.wall)), Err)
}

/// Restores the labels from before a unit of work, or its part, if the running fiber is in it.
fn restore(ruby: &Ruby, record: Option<&'static ThreadRecord>, id: WorkId, work: &Work, raised: &mut Raised) {
    let Some(running) = Running::find(ruby, record, raised) else { return };
    if !running.fiber.leave_work(id) {
        return;
    }
    running.fiber.leave_block(work.before.set);
    if work.has_samples {
        running.fiber.set_work(work.before.work);
    }
    running.show(ruby, raised);
}

/// A unit of work that has ended.
struct Ended {
    work: Work,
    /// Figures of the unit.
    unit: Figures,
    /// Whether it is not counted by itself: see [`Kind::is_part_of`].
    is_part: bool,
}

/// A unit of work that has begun and has not ended.
#[derive(Clone, Debug)]
pub struct Open {
    /// The system's number of the native thread that runs it.
    pub native_id: i32,
    /// Its kind.
    pub kind: Kind,
    /// Its name by now.
    pub name: Arc<str>,
    /// How long it has run.
    pub age: Nanos,
}

/// Returns the units of work that threads run now; of nested ones, the one that the samples have.
pub fn open() -> Vec<Open> {
    let (records, now) = (ThreadRecord::all_known(), clock::monotonic());
    let labels = LABELS.lock();
    let Some(Labels { works, .. }) = labels.as_ref() else { return Vec::new() };
    let of_record = |record: &&ThreadRecord| {
        let work = works.get(record.labels().work)?;
        let (native_id, name) = (record.tid.load(Ordering::Relaxed), Arc::clone(&work.name));
        Some(Open { native_id, kind: work.kind, name, age: work.age(now) })
    };
    records.iter().filter_map(of_record).collect()
}

/// Returns whether a unit of work is known, and was begun by the thread with this number as a
/// creator of fibers. `WorkId::NONE` belongs to every thread.
pub fn is_of(work: WorkId, creator: u32) -> bool {
    let began = |labels: &Labels| labels.works.get(work).is_some_and(|work| work.creator == creator);
    work == WorkId::NONE || LABELS.lock().as_ref().is_some_and(began)
}

/// Returns the token of a unit of work. None of the tokens of label blocks equals it.
pub fn token_of(WorkId(id): WorkId) -> Token {
    token(IS_WORK | id)
}

fn id(token: Token) -> WorkId {
    WorkId(token as u32 & WorkId::MAX)
}

impl Labels {
    /// Begins a part of a unit of work on the running fiber.
    fn begin_part(&mut self, Running { record, fiber }: &Running, id: WorkId) -> Option<()> {
        let work = self.works.get_mut(id)?;
        work.before = Labelling { set: fiber.enter_block(), ..fiber.current() };
        (work.creator, work.began) = (record.creator(), Some(self.measures.read(record)));
        fiber.enter_work(id);
        if work.has_samples {
            fiber.set_work(id);
            record.set_labels(fiber.current());
        }
        Some(())
    }

    /// Ends the running part of a unit of work on the thread of `record`, the calling one.
    fn pause_work(&mut self, record: &ThreadRecord, id: WorkId) -> Option<Work> {
        let now = self.measures.read(record);
        let work = self.works.get_mut(id)?;
        work.pause(&now);
        Some(work.clone())
    }

    /// Ends a unit of work. `record` is that of the calling thread. If another one runs the unit's
    /// last part, the figures of that part are unknown.
    fn end_work(&mut self, record: &ThreadRecord, id: WorkId, ending: Ending<'_>) -> Option<Ended> {
        let now = self.measures.read(record);
        self.works.rename(id, ending.name);
        let work = self.works.get_mut(id)?;
        if work.creator != record.creator() {
            work.began = None;
        }
        let work = self.works.get(id)?;
        let is_part_of = |outer: &Work| work.kind.is_part_of(&work.name, outer.kind, &outer.name);
        let is_part = self.works.around(work.outer).any(is_part_of);
        Some(Ended { unit: work.figures(&now, ending.failed), work: work.clone(), is_part })
    }

    /// Gives the samples of a unit of work their final labels: its name, and, if it has samples,
    /// its verdict. From here on they are like all other samples. The last stacks of `record`, the
    /// thread that ends the unit, get them, too.
    fn settle(
        &mut self,
        id: WorkId,
        work: &Work,
        record: Option<&ThreadRecord>,
        verdict: impl Fn() -> Verdict,
    ) {
        let verdict = LazyCell::new(verdict);
        let link = work.link.filter(|_| self.links.has_room());
        let mut has_samples = false;
        if let Some(sampler) = sampler().as_mut() {
            let mut settled = |set| {
                // The sample had the number of the unit, and not its labels yet.
                if set == work.before.set && !self.table.is_open(set) {
                    return set.into();
                }
                has_samples = true;
                let set = self.table.settled(set, &work.name, *verdict).id();
                Labelling { set, work: link.map_or(WorkId::NONE, |_| id) }
            };
            sampler.settle(id, &mut settled);
            if let Some(record) = record {
                record.accounts().settle(id, settled);
            }
        }
        match link {
            Some(link) if has_samples => self.links.add(id, link),
            None if has_samples && work.link.is_some() => self.links.lost += 1,
            _ => {}
        }
    }

    /// Forgets the units of work that no fiber has, and that no thread may still be charged with:
    /// in a server that runs for weeks nothing is left of them.
    fn forget_works(&mut self) {
        let last = sampler().as_ref().map(Sampler::last_labels).unwrap_or_default();
        let in_use = of_records().chain(last).map(|labels| labels.work);
        let forgotten = self.works.forget(in_use.chain(self.fibers.works()));
        for (id, work) in forgotten {
            self.settle(id, &work, None, Verdict::default);
        }
    }
}
