//! Profiles for profile stores: reduced to their limits, and encoded as messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use magnus::r_hash::ForEach;
use magnus::{Error, Module, Object, RArray, RClass, RHash, RModule, RString, Ruby, Value, function, method};
use rperf_core::format::{self, Encoding, push};
use rperf_core::profile::{Losses, Room, StoreLimits};
use rperf_core::query::Query;

use super::field::Field;
use super::native_profile::NativeProfile;
use super::{check_memory, error};
use crate::session::FOR_PROFILE;
use crate::vm::names::{self, utf8};
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`, and two of `Rperf::Native`.
pub fn define(native: RModule, class: RClass) -> Result<(), Error> {
    class.define_method("for_store", method!(for_store, 1))?;
    class.define_method("store_pprof", method!(store_pprof, 0))?;
    class.define_method("store_size", method!(store_size, 0))?;
    native.define_singleton_method("push_request", function!(push_request, 3))?;
    native.define_singleton_method("write_raw_request", function!(write_raw_request, 2))
}

/// `profile.for_store(samples:, bytes:, depth:, values:, label_values: {}, deny: [], short_paths:
/// false)`: returns `[profile, losses]`, the profile within these limits. All sums stay. `values`:
/// maximum number of values of a label key; `label_values`: the same for single keys; `deny`: keys
/// that are left out; `short_paths`: shorten paths. Keys are Strings or Symbols. Losses: `{renamed:
/// {key => values}, folded: the same, cut: stacks, lines: true or false, links: the same, thinned:
/// stacks}`. Raises KeyError for a missing limit, ArgumentError for 0, TypeError for anything but a
/// number.
fn for_store(ruby: &Ruby, profile: &NativeProfile, options: RHash) -> Result<(NativeProfile, RHash), Error> {
    let mut limits = limits(ruby, options)?;
    // A label for the class would make a series of its own. The class is the leaf frame instead.
    limits.deny.extend(profile.0.meta.mode.leaf_labels().iter().map(|key| (*key).to_owned()));
    let shown = || Query::default().apply(Cow::Borrowed(&profile.0)).profile;
    let (thin, losses) = without_gvl(ruby, || shown().for_store(&limits))?;
    Ok((NativeProfile::new(thin), hash(ruby, &losses)?))
}

/// `profile.store_pprof`: returns a gzipped pprof file as profile stores take it: without threads,
/// counts of ticks and numbers in labels, with a period. Raises Rperf::Error.
fn store_pprof(ruby: &Ruby, profile: &NativeProfile) -> Result<RString, Error> {
    check_memory(ruby, FOR_PROFILE)?;
    let bytes = without_gvl(ruby, || format::encode(&profile.0, Encoding::FOR_STORE))?;
    let bytes = bytes.map_err(|problem| error(ruby, problem.to_string()))?;
    Ok(ruby.str_from_slice(&bytes))
}

/// `profile.store_size`: returns `[samples, bytes]`, what `for_store` limits, of this profile.
fn store_size(ruby: &Ruby, profile: &NativeProfile) -> Result<(usize, usize), Error> {
    let bytes = without_gvl(ruby, || profile.0.pprof_size())?;
    Ok((profile.0.samples.len(), bytes))
}

/// `Rperf::Native.push_request(labels, pprof, uuid)`: returns the bytes of a `push.v1.PushRequest`
/// of one series with one profile. Its labels are sorted by their names. Raises TypeError.
fn push_request(ruby: &Ruby, labels: RHash, pprof: RString, uuid: RString) -> Result<RString, Error> {
    let (labels, pprof, uuid) = (sorted(labels)?, names::bytes(pprof), utf8(uuid));
    Ok(ruby.str_from_slice(&without_gvl(ruby, || push::request(&labels, pprof, &uuid))?))
}

/// `Rperf::Native.write_raw_request(labels, pprof)`: the same for Parca's `WriteRawRequest`.
fn write_raw_request(ruby: &Ruby, labels: RHash, pprof: RString) -> Result<RString, Error> {
    let (labels, pprof) = (sorted(labels)?, names::bytes(pprof));
    Ok(ruby.str_from_slice(&without_gvl(ruby, || push::write_raw(&labels, pprof))?))
}

fn sorted(labels: RHash) -> Result<BTreeMap<String, String>, Error> {
    let mut sorted = BTreeMap::new();
    labels.foreach(|name: RString, value: RString| {
        sorted.insert(utf8(name), utf8(value));
        Ok(ForEach::Continue)
    })?;
    Ok(sorted)
}

fn limits(ruby: &Ruby, options: RHash) -> Result<StoreLimits, Error> {
    let key = |value: Value| Field { ruby, place: &"a label key", value }.key();
    let mut label_values = HashMap::new();
    if let Some(values) = options.lookup::<_, Option<RHash>>(ruby.to_symbol("label_values"))? {
        values.foreach(|name: Value, kept: usize| {
            label_values.insert(key(name)?, kept);
            Ok(ForEach::Continue)
        })?;
    }
    let deny: Option<RArray> = options.lookup(ruby.to_symbol("deny"))?;
    Ok(StoreLimits {
        room: Room { samples: limit(ruby, options, "samples")?, bytes: limit(ruby, options, "bytes")? },
        depth: limit(ruby, options, "depth")?,
        values: options.fetch(ruby.to_symbol("values"))?,
        label_values,
        short_paths: options.lookup::<_, Option<bool>>(ruby.to_symbol("short_paths"))?.unwrap_or(false),
        deny: deny.into_iter().flatten().map(key).collect::<Result<_, Error>>()?,
    })
}

/// Returns a limit, which must be 1 or more.
fn limit(ruby: &Ruby, options: RHash, key: &str) -> Result<usize, Error> {
    let limit: usize = options.fetch(ruby.to_symbol(key))?;
    let none = || Error::new(ruby.exception_arg_error(), format!("a store takes no profile with 0 {key}"));
    if limit > 0 { Ok(limit) } else { Err(none()) }
}

fn hash(ruby: &Ruby, losses: &Losses) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    for (name, values) in [("renamed", &losses.renamed), ("folded", &losses.folded)] {
        let values = values.iter().map(|(key, values)| (key.as_str(), *values));
        hash.aset(ruby.to_symbol(name), ruby.hash_from_iter(values))?;
    }
    hash.aset(ruby.to_symbol("cut"), losses.cut)?;
    hash.aset(ruby.to_symbol("lines"), losses.lines)?;
    hash.aset(ruby.to_symbol("links"), losses.links)?;
    hash.aset(ruby.to_symbol("thinned"), losses.thinned)?;
    Ok(hash)
}
