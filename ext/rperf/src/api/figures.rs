//! Figures of a profile, for closing lines, statistics and `rperf stat`.

use magnus::{Error, Module, RArray, RClass, RHash, Ruby, method};
use rperf_core::profile::{Counters, Meta, Period, Profile, ShortPaths, ValueType, state_totals, totals};
use rperf_core::state::VmState;

use super::json_value;
use super::native_profile::NativeProfile;
use crate::vm::slices::Pace;
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("figures", method!(figures, 0))?;
    class.define_method("tick_count", method!(NativeProfile::tick_count, 0))?;
    class.define_method("event_count", method!(NativeProfile::event_count, 0))?;
    class.define_method("weight", method!(NativeProfile::weight, 0))?;
    class.define_method("value_sum", method!(NativeProfile::value_sum, 1))?;
    class.define_method("idle", method!(idle, 0))?;
    class.define_method("without_idle", method!(without_idle, 1))?;
    class.define_method("without_idle_of", method!(without_idle_of, 1))?;
    class.define_method("by_state", method!(by_state, 0))?;
    class.define_method("self_times", method!(self_times, 0))?;
    class.define_method("with_short_paths", method!(with_short_paths, 0))
}

impl NativeProfile {
    /// `profile.tick_count`: returns the number of ticks that the samples stand for.
    fn tick_count(&self) -> u64 {
        self.0.tick_count()
    }

    /// `profile.event_count`: returns the number of suspensions and collector steps in the samples.
    fn event_count(&self) -> u64 {
        self.0.event_count()
    }

    /// `profile.weight`: returns the weight of all samples.
    fn weight(&self) -> u64 {
        self.0.total().0
    }

    /// `profile.value_sum(name)`: returns the sum of the values of this name; nil if samples have
    /// only their weight, or no value of this name.
    fn value_sum(&self, name: String) -> Option<u64> {
        let types = &self.0.meta.value_types;
        let index = types.all().iter().position(|known| types.are_several() && known.kind == name)?;
        Some(self.0.samples.iter().map(|sample| sample.values[index]).sum())
    }
}

/// `profile.figures`: returns the data hash without samples and labels.
fn figures(ruby: &Ruby, profile: &NativeProfile) -> Result<RHash, Error> {
    hash(ruby, &profile.0)
}

/// `profile.idle`: returns `[line, threads, idle]`: the line of a summary about threads that waited
/// for work, their number, and the time in which they waited. Returns nil if no thread did, or if
/// almost nothing else happened.
fn idle(ruby: &Ruby, profile: &NativeProfile) -> Result<Option<(String, u64, u64)>, Error> {
    let idle = without_gvl(ruby, || profile.0.idle())?;
    Ok(idle.map(|idle| (idle.line(&profile.0.value_type().unit), idle.threads, idle.time.0)))
}

/// `profile.without_idle(base)`: returns `[profile, base]` without idle time, where `base` may be
/// nil. If no time is left out, these are the given ones.
fn without_idle(
    ruby: &Ruby,
    profile: &NativeProfile,
    base: Option<&NativeProfile>,
) -> Result<(NativeProfile, Option<NativeProfile>), Error> {
    let rest = without_gvl(ruby, || profile.0.folded(base.map(|base| &**base.0)))?;
    Ok(match rest {
        Some((rest, base)) => (NativeProfile::new(rest), base.map(NativeProfile::new)),
        None => (profile.clone(), base.cloned()),
    })
}

/// `profile.without_idle_of(whole)`: returns this part of a whole without idle time. The whole
/// decides whether time is left out, and which.
fn without_idle_of(
    ruby: &Ruby,
    profile: &NativeProfile,
    whole: &NativeProfile,
) -> Result<NativeProfile, Error> {
    Ok(NativeProfile::new(without_gvl(ruby, || profile.0.without_idle_of(&whole.0))?))
}

/// `profile.by_state`: returns the weight by the label of the synthetic leaf frame ("[GVL wait]").
/// The key nil has the time in which Ruby ran.
fn by_state(ruby: &Ruby, profile: &NativeProfile) -> Result<RHash, Error> {
    let totals = without_gvl(ruby, || state_totals(&profile.0))?;
    let by_state = ruby.hash_new();
    for state in VmState::ALL {
        by_state.aset(state.label(), totals[state as usize].0)?;
    }
    Ok(by_state)
}

/// `profile.self_times`: returns `[[path, label, weight], ...]` of the leaf frames, the heaviest
/// first, equal ones in the order of their labels. Blocks have their lines, and paths are short.
fn self_times(ruby: &Ruby, profile: &NativeProfile) -> Result<RArray, Error> {
    let profile = without_gvl(ruby, || Profile::clone(&profile.0).with_block_lines())?;
    let times = without_gvl(ruby, || totals(&profile).by_self_time())?;
    let paths = ShortPaths::of(&profile);
    let rows = times.into_iter();
    let rows = rows.map(|it| (paths.shorten(it.path).into_owned(), it.label, it.self_time.0));
    Ok(ruby.ary_from_iter(rows))
}

/// `profile.with_short_paths`: returns a profile with short paths.
fn with_short_paths(ruby: &Ruby, profile: &NativeProfile) -> Result<NativeProfile, Error> {
    let shortened = || {
        let mut profile = Profile::clone(&profile.0);
        profile.shorten_paths();
        profile
    };
    Ok(NativeProfile::new(without_gvl(ruby, shortened)?))
}

/// Returns the pace of work on all samples of a profile.
pub fn pace(profile: &Profile) -> Pace {
    let stacks = profile.samples.iter().map(|sample| 1 + profile.stack(sample).len());
    Pace::Sliced.for_stacks(stacks.chain(profile.label_sets.iter().map(|_| 1)))
}

/// Returns the data hash of a profile without samples and labels.
pub fn hash(ruby: &Ruby, profile: &Profile) -> Result<RHash, Error> {
    let counts = || (profile.known_counters(), profile.tick_count(), profile.event_count());
    let (counters, ticks, events) = pace(profile).aside(ruby, counts)?;
    let figures = Figures { ruby, hash: ruby.hash_new() };
    figures.add(&profile.meta, &counters)?;
    figures.set("tick_count", ticks)?;
    figures.set("event_count", events)?;
    Ok(figures.hash)
}

/// Data hash that is being built.
struct Figures<'a> {
    ruby: &'a Ruby,
    hash: RHash,
}

impl Figures<'_> {
    fn add(&self, meta: &Meta, counters: &Counters) -> Result<(), Error> {
        self.set("mode", self.ruby.to_symbol(meta.mode.name()))?;
        self.set("frequency", meta.frequency)?;
        self.set("sampling_count", counters.sampling_count)?;
        self.set("sampling_time_ns", counters.sampling_time.0)?;
        self.set("hook_time_ns", counters.hook_time.0)?;
        self.set("trigger_count", counters.trigger_count)?;
        self.set("detected_thread_count", counters.detected_thread_count)?;
        self.set("start_time_ns", meta.start_time_ns)?;
        self.set("duration_ns", meta.duration.0)?;
        if meta.timeline {
            self.set("timeline", true)?;
        }
        if meta.aggregated {
            self.set("unique_frames", counters.unique_frames)?;
            self.set("unique_stacks", counters.unique_stacks)?;
        }
        if counters.label_overflow_count > 0 {
            self.set("label_overflow_count", counters.label_overflow_count)?;
        }
        self.set("engine", self.ruby.to_symbol(meta.engine.as_str()))?;
        self.set("dropped", self.drops(counters)?)?;
        self.set("rperf_version", meta.rperf_version.as_str())?;
        self.set("ruby_version", meta.ruby_version.as_str())?;
        if !meta.comments.is_empty() {
            self.set("comments", self.ruby.ary_from_iter(meta.comments.iter().map(String::as_str)))?;
        }
        if !meta.label_units.is_empty() {
            let units = self
                .ruby
                .hash_from_iter(meta.label_units.iter().map(|(key, unit)| (key.as_str(), unit.as_str())));
            self.set("label_units", units)?;
        }
        if let Some(chosen) = meta.value_types.chosen() {
            self.set("value_type", self.value_type(chosen))?;
            let all = meta.value_types.all().iter().map(|it| self.value_type(it));
            self.set("value_types", self.ruby.ary_from_iter(all))?;
        }
        if let Some(Period { value_type, length }) = &meta.period {
            let period = self.value_type(value_type);
            period.push(*length)?;
            self.set("period", period)?;
        }
        if !meta.stat.is_empty() {
            self.set("stat", self.stat(meta)?)?;
        }
        Ok(())
    }

    fn set(&self, key: &str, value: impl magnus::IntoValue) -> Result<(), Error> {
        self.hash.aset(self.ruby.to_symbol(key), value)
    }

    /// Returns `[kind, unit]`.
    fn value_type(&self, ValueType { kind, unit }: &ValueType) -> RArray {
        self.ruby.ary_from_iter([kind.as_str(), unit.as_str()])
    }

    fn drops(&self, counters: &Counters) -> Result<RHash, Error> {
        let drops = self.ruby.hash_new();
        for (cause, samples, weight) in &counters.drops {
            let entry = self.ruby.hash_new();
            entry.aset(self.ruby.to_symbol("samples"), *samples)?;
            entry.aset(self.ruby.to_symbol("weight_ns"), weight.0)?;
            drops.aset(cause.as_str(), entry)?;
        }
        Ok(drops)
    }

    fn stat(&self, meta: &Meta) -> Result<RHash, Error> {
        let stat = self.ruby.hash_new();
        for (name, value) in &meta.stat {
            stat.aset(self.ruby.to_symbol(name.as_str()), json_value::to_ruby(self.ruby, value)?)?;
        }
        Ok(stat)
    }
}
