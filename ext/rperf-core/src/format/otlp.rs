//! OTLP profiles: an `ExportProfilesServiceRequest` of OpenTelemetry's protocol, version 1.10 (and
//! 1.11, which is the same), package `v1development`: an alpha, which may still change.
//!
//! One value type is one `Profile`, all over one dictionary, whose tables hold what is used, each
//! row once, behind the zero value that the protocol wants. Labels are attributes; a label
//! `trace_id` with a label `span_id` are a `Link`. Samples are merged and have no moments; those
//! without a value are left out, and so are labels without a key, and all but the first of several
//! with one key. There are no mappings, since those need a build id, which Ruby's frames have not.
//!
//! What OTLP cannot carry beside what pprof cannot: the counts of samples, which a reader estimates
//! by the period, and starts before 1970.
//!
//! Requests of any producer can be read, of several resources and scopes, too. `Profile`s of one
//! type are added, those of several types become the values of one profile. The weight is chosen as
//! in pprof; what comes of functions inlined into a location, and of units, is as there.

mod attributes;
mod decode;
mod dictionary;
mod encode;
mod labels;
mod links;
mod message;
mod resource;
mod samples;
mod stacks;
mod table;
mod tables;

pub(super) use decode::{decode, may_begin};
pub(super) use encode::write;

/// The name of this format in messages.
pub(super) const NAME: &str = "OTLP";

/// The attribute of a location that says what its frame is of.
const FRAME_TYPE: &str = "profile.frame.type";

/// The attribute of a profile with its comments, an array.
const COMMENT: &str = "pprof.profile.comment";

/// The attribute of a profile with the address of a page about it.
const DOC: &str = "pprof.profile.doc_url";

/// The attribute of a scope that says which of its profiles' types is the weight.
const DEFAULT_TYPE: &str = "pprof.scope.default_sample_type";
