//! Looking at sampled objects: which live, and how large they are.
//!
//! Context: a Ruby method, with no lock held: collecting and asking for sizes may run Ruby code.

use hashbrown::HashMap;
use magnus::Ruby;
use rperf_core::state::Mode;

use super::StartError;
use crate::config::SessionConfig;
use crate::hooks::gc;
use crate::sampler::{Objects, Sampler, sampler};
use crate::vm::context::Gvl;
use crate::vm::marks::Marks;
use crate::vm::{collections, gc_events, marks, object_size};

/// Finds out whether the VM says which objects are dead, where a session needs to know. No session
/// may run.
pub fn prepare(ruby: &Ruby, config: &SessionConfig) -> Result<(), StartError> {
    if !config.samples(Mode::Heap) {
        return Ok(());
    }
    gc_events::enable(ruby, gc::on_gc);
    let proved = marks::prove(ruby);
    if !super::is_running() {
        gc_events::disable(ruby);
    }
    if proved? { Ok(()) } else { Err(StartError::NoMarks) }
}

/// Creates the list of watched objects; `None` where the session samples none, keeps each sample,
/// or needs no more than their slots.
pub fn objects(ruby: &Ruby, config: &SessionConfig) -> Option<Objects> {
    let looks = config.malloc.is_none() || config.samples(Mode::Heap);
    if config.watches().is_none() || !config.aggregate || !looks {
        return None;
    }
    collections::prepare(ruby);
    object_size::prepare(ruby);
    let marks = Marks::proved().filter(|_| config.samples(Mode::Heap));
    Some(Objects::new(config, marks, collections::count(Gvl::of(ruby))))
}

/// Looks at the objects of a session. `collects`: whether a full collection comes first, so that
/// objects to which nothing refers are not in use.
pub fn look(ruby: &Ruby, config: &SessionConfig, collects: bool) {
    let is_heap = config.samples(Mode::Heap);
    if sampler().as_mut().is_some_and(Sampler::missed_collections) {
        gc_events::renew(ruby, gc::on_gc);
    }
    if collects && is_heap {
        gc::collect(ruby);
    }
    let Some(objects) = sampler().as_mut().map(|sampler| sampler.begin_looking()) else { return };
    // An object that has just been born may not be built yet.
    let asks = |age| config.data_sizes && is_heap && age > 0;
    let size = |(word, age)| match asks(age) {
        _ if config.malloc.is_some() => (word, object_size::slot(word)),
        true => (word, object_size::with_data(ruby, word)),
        false => (word, object_size::in_method(Gvl::of(ruby), word)),
    };
    let sizes: HashMap<_, _> = objects.into_iter().map(size).collect();
    if let Some(sampler) = sampler().as_mut() {
        sampler.end_looking(&sizes, collects);
    }
}
