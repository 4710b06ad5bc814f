//! `Rperf::Native::Profile`: a profile on its way from a session or a file to files, reports and
//! pages. The data hash is made only if the program asks for it.

use std::borrow::Cow;

use magnus::{
    Class, Error, Module, Object, RArray, RHash, RModule, RString, Ruby, Symbol, TryConvert, Value, function,
    method, r_hash::ForEach,
};
use rperf_core::format;
use rperf_core::profile::{self, CombineError, Comparison, Kinship, Label, LabelValue, Profile};
use rperf_core::query::Query;

use super::native_profile::{NativeProfile, know_class};
use super::{data_hash, encode, error, figures, page, profile_from, store, wait_kinds};
use crate::resolve::NATIVE_LEAVES;
use crate::vm::names;
use crate::vm::without_gvl::without_gvl;

/// Defines the class.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Profile", ruby.class_object())?;
    class.undef_default_alloc_func();
    know_class::<NativeProfile>(ruby);
    class.define_singleton_method("read", function!(read, 2))?;
    class.define_singleton_method("from_h", function!(from_h, 1))?;
    class.define_singleton_method("merge", function!(merge, 1))?;
    class.define_singleton_method("merge_parts", function!(merge_parts, 1))?;
    class.define_singleton_method("join", function!(join, 2))?;
    class.define_singleton_method("compare", function!(compare, 2))?;
    class.define_method("to_h", method!(to_h, 0))?;
    class.define_method("timeline?", method!(NativeProfile::has_timeline, 0))?;
    class.define_method("mode", method!(NativeProfile::mode, 0))?;
    class.define_method("start_time_ns", method!(NativeProfile::start_time_ns, 0))?;
    class.define_method("end_time_ns", method!(NativeProfile::end_time_ns, 0))?;
    class.define_method("pids", method!(NativeProfile::pids, 0))?;
    class.define_method("in_use?", method!(NativeProfile::is_in_use, 0))?;
    class.define_method("native?", method!(NativeProfile::has_native_leaves, 0))?;
    class.define_method("shown", method!(shown, 0))?;
    class.define_method("memory_size", method!(NativeProfile::memory_size, 0))?;
    class.define_method("given_up", method!(NativeProfile::given_up, 0))?;
    class.define_method("commented", method!(commented, 1))?;
    class.define_method("marked_where", method!(marked_where, 5))?;
    class.define_method("with_resource", method!(with_resource, 2))?;
    class.define_method("leaf_labels?", method!(NativeProfile::has_leaf_labels, 0))?;
    class.define_method("blocked", method!(blocked, 1))?;
    class.define_method("weighed_by", method!(weighed_by, 1))?;
    class.define_method("of_work", method!(of_work, 1))?;
    class.define_method("normalised", method!(normalised, 2))?;
    figures::define(class)?;
    encode::define(native, class)?;
    store::define(native, class)?;
    wait_kinds::define(native, class)?;
    page::define(class)
}

/// `Rperf::Native::Profile.read(bytes, sample_type)`: reads a profile with the values of a sample
/// type (nil: the default). Raises Rperf::Error if the bytes are no profile or lack these values.
fn read(ruby: &Ruby, bytes: RString, sample_type: Option<String>) -> Result<NativeProfile, Error> {
    let bytes = names::bytes(bytes);
    let profile = without_gvl(ruby, || format::decode_values(&bytes, sample_type.as_deref()))?;
    profile.map(NativeProfile::new).map_err(|problem| error(ruby, problem.to_string()))
}

/// `Rperf::Native::Profile.from_h(data)`: returns the profile that a data hash describes. Raises
/// ArgumentError with a sentence if it describes none.
fn from_h(ruby: &Ruby, data: RHash) -> Result<NativeProfile, Error> {
    profile_from::data_hash(ruby, data).map(NativeProfile::new)
}

/// `profile.to_h`: returns the data hash.
fn to_h(ruby: &Ruby, profile: &NativeProfile) -> Result<RHash, Error> {
    data_hash::build(ruby, &profile.0)
}

/// `Rperf::Native::Profile.merge(profiles)`: returns one profile of several recordings. Raises
/// Rperf::Error if they measure different things.
fn merge(ruby: &Ruby, profiles: RArray) -> Result<NativeProfile, Error> {
    merge_as(ruby, &profiles, Kinship::Recordings)
}

/// `Rperf::Native::Profile.merge_parts(profiles)`: returns one profile of the parts of a recording.
/// Raises like `merge`.
fn merge_parts(ruby: &Ruby, profiles: RArray) -> Result<NativeProfile, Error> {
    merge_as(ruby, &profiles, Kinship::Parts)
}

/// `Rperf::Native::Profile.join(segments, mark)`: returns one profile of the segments of a session,
/// the earliest first. A segment is an Array with a profile for each mode of the session, and so is
/// the result. `mark`: nil, or a comment on the result, with the key and the text of a label on all
/// of its samples. Raises like `merge`.
fn join(ruby: &Ruby, segments: RArray, mark: Option<(String, String, String)>) -> Result<RArray, Error> {
    // The Array keeps the segments alive.
    let segments: Vec<RArray> = segments.into_iter().map(RArray::try_convert).collect::<Result<_, _>>()?;
    let segments: Vec<_> = segments.iter().map(each_of).collect::<Result<_, _>>()?;
    let joined = without_gvl(ruby, || {
        let mut joined = profile::join_modes(&segments)?;
        if let Some((comment, key, text)) = &mark {
            joined.iter_mut().for_each(|profile| profile.mark(comment.clone(), key, text));
        }
        Ok(joined)
    })?;
    let joined = joined.map_err(|problem: CombineError| error(ruby, problem.to_string()))?;
    Ok(ruby.ary_from_iter(joined.into_iter().map(NativeProfile::new)))
}

/// Merges profiles. Threads stay apart in both kinds of kinship.
fn merge_as(ruby: &Ruby, profiles: &RArray, kinship: Kinship) -> Result<NativeProfile, Error> {
    let profiles = each_of(profiles)?;
    merged_profile(ruby, without_gvl(ruby, || profile::merge(&profiles, kinship))?)
}

/// Returns the profiles of an Array, which keeps them alive.
fn each_of(profiles: &RArray) -> Result<Vec<&Profile>, Error> {
    let profile = |value| <&NativeProfile>::try_convert(value).map(|profile| &**profile.0);
    profiles.into_iter().map(profile).collect()
}

/// `Rperf::Native::Profile.compare(bases, targets)`: returns `[base, target]`, in which equal
/// functions have equal paths. Each is the mean of its profiles. Raises Rperf::Error if the
/// profiles measure different things.
fn compare(ruby: &Ruby, bases: RArray, targets: RArray) -> Result<(NativeProfile, NativeProfile), Error> {
    let (bases, targets) = (each_of(&bases)?, each_of(&targets)?);
    let Comparison { base, target } = without_gvl(ruby, || Comparison::of(&bases, &targets))?
        .map_err(|problem| error(ruby, problem.to_string()))?;
    Ok((NativeProfile::new(base), NativeProfile::new(target)))
}

fn merged_profile(ruby: &Ruby, merged: Result<Profile, CombineError>) -> Result<NativeProfile, Error> {
    merged.map(NativeProfile::new).map_err(|problem| error(ruby, problem.to_string()))
}

/// `profile.normalised(base, idle)`: returns a copy scaled to `base`'s total, with idle time or
/// without it. Raises Rperf::Error.
fn normalised(
    ruby: &Ruby,
    profile: &NativeProfile,
    base: &NativeProfile,
    idle: bool,
) -> Result<NativeProfile, Error> {
    merged_profile(ruby, without_gvl(ruby, || profile.0.normalised(&base.0, idle))?)
}

/// `profile.blocked(locks)`: returns a profile of time off the GVL only; with `locks`, only of such
/// time in methods that wait for other threads.
fn blocked(ruby: &Ruby, profile: &NativeProfile, locks: bool) -> Result<NativeProfile, Error> {
    without_gvl(ruby, || profile.0.blocked(locks)).map(NativeProfile::new)
}

/// `profile.weighed_by(kind)`: returns a copy with this value as its weight: `"alloc_space"`, for
/// example. Without such a value the weight stays.
fn weighed_by(ruby: &Ruby, profile: &NativeProfile, kind: String) -> Result<NativeProfile, Error> {
    let index = profile.0.value_types().iter().position(|value| value.kind == kind);
    let mut copy = without_gvl(ruby, || Profile::clone(&profile.0))?;
    if let Some(index) = index {
        copy.choose(index);
    }
    Ok(NativeProfile::new(copy))
}

/// `profile.of_work(keys)`: returns a profile of units of work only: of samples with a label whose
/// key is in `keys`, an Array of Strings, or in the ledger.
fn of_work(ruby: &Ruby, profile: &NativeProfile, keys: RArray) -> Result<NativeProfile, Error> {
    let keys: Vec<String> = keys.to_vec()?;
    without_gvl(ruby, || profile.0.of_work(&keys)).map(NativeProfile::new)
}

/// `profile.shown`: returns a copy with the frames that a mode adds without filters, such as the
/// class at the leaf.
fn shown(ruby: &Ruby, profile: &NativeProfile) -> Result<NativeProfile, Error> {
    let apply = || Query::default().apply(Cow::Borrowed(&profile.0)).profile.into_owned();
    without_gvl(ruby, apply).map(NativeProfile::new)
}

/// `profile.commented(comment)`: returns a copy with this comment after its own comments.
fn commented(ruby: &Ruby, profile: &NativeProfile, comment: String) -> Result<NativeProfile, Error> {
    let mut copy = without_gvl(ruby, || Profile::clone(&profile.0))?;
    copy.meta.comments.push(comment);
    Ok(NativeProfile::new(copy))
}

/// `profile.marked_where(native_thread_id, has_key, has_text, key, text)`: returns a copy with a
/// text label on those samples of a thread that have another given label.
fn marked_where(
    ruby: &Ruby,
    profile: &NativeProfile,
    native_id: i64,
    has_key: String,
    has_text: String,
    key: String,
    text: String,
) -> Result<NativeProfile, Error> {
    let has = Label { key: has_key, value: LabelValue::Text(has_text) };
    without_gvl(ruby, || profile.0.marked_where(native_id, &has, &key, &text)).map(NativeProfile::new)
}

/// `profile.with_resource(attributes, id)`: returns a copy whose OTLP file has these attributes, a
/// Hash of Strings with Strings or Integers, which replace its own of the same key. `id`: a String
/// of 16 bytes, or nil. Raises ArgumentError for another id.
fn with_resource(
    ruby: &Ruby,
    profile: &NativeProfile,
    attributes: RHash,
    id: Option<RString>,
) -> Result<NativeProfile, Error> {
    let mut resource = Vec::new();
    attributes.foreach(|key: String, value: Value| {
        resource.push(Label { key, value: attribute(value)? });
        Ok(ForEach::Continue)
    })?;
    let wrong = |_| Error::new(ruby.exception_arg_error(), "profile_id: must be a String of 16 bytes");
    let profile_id = id.map(|id| names::bytes(id).try_into().map_err(wrong)).transpose()?;
    let mut copy = Profile::clone(&profile.0);
    let is_new = |label: &Label| resource.iter().all(|it| it.key != label.key);
    copy.meta.resource.retain(is_new);
    copy.meta.resource.append(&mut resource);
    copy.meta.profile_id = profile_id;
    Ok(NativeProfile::new(copy))
}

fn attribute(value: Value) -> Result<LabelValue, Error> {
    if let Ok(text) = RString::try_convert(value) {
        return text.to_string().map(LabelValue::Text);
    }
    i64::try_convert(value).map(LabelValue::Number)
}

impl NativeProfile {
    /// `profile.leaf_labels?`: whether `shown` adds frames.
    fn has_leaf_labels(&self) -> bool {
        !self.0.meta.mode.leaf_labels().is_empty()
    }

    /// `profile.timeline?`: whether its samples have moments.
    fn has_timeline(&self) -> bool {
        self.0.meta.timeline
    }

    /// `profile.memory_size`: returns its approximate size in memory, in bytes.
    fn memory_size(&self) -> usize {
        self.0.memory_size()
    }

    /// `profile.given_up`: returns the same recording without its samples, which count as lost.
    fn given_up(&self) -> Self {
        Self::new(self.0.given_up())
    }

    /// `profile.mode`: returns its mode, a Symbol.
    fn mode(ruby: &Ruby, profile: &Self) -> Symbol {
        ruby.to_symbol(profile.0.meta.mode.name())
    }

    /// `profile.start_time_ns`: returns its start in nanoseconds since 1970; 0 if unknown.
    fn start_time_ns(&self) -> i64 {
        self.0.meta.start_time_ns
    }

    /// `profile.end_time_ns`: returns its end in nanoseconds since 1970.
    fn end_time_ns(&self) -> i64 {
        self.0.meta.start_time_ns.saturating_add_unsigned(self.0.meta.duration.0)
    }

    /// `profile.pids`: returns the numbers of its processes, as far as they are known.
    fn pids(&self) -> Vec<u32> {
        self.0.processes.iter().map(|process| process.pid).filter(|pid| *pid != 0).collect()
    }

    /// `profile.in_use?`: whether its weights count what is in use at a moment.
    fn is_in_use(&self) -> bool {
        self.0.value_type().is_in_use()
    }

    /// `profile.native?`: whether native functions are its leaves.
    fn has_native_leaves(&self) -> bool {
        self.0.meta.comments.iter().any(|comment| comment == NATIVE_LEAVES)
    }
}
