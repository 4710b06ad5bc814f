//! OTLP profiles: an `ExportProfilesServiceRequest` of OpenTelemetry's protocol, version 1.10 (and
//! 1.11, which is the same), package `v1development`: an alpha, which may still change.
//!
//! Each value type is one `Profile`. All share one dictionary; its tables have only rows that are
//! used, each once, after the zero value that the protocol requires. Labels are attributes; a label
//! `trace_id` with a label `span_id` is a `Link`. Samples are merged, without moments. Samples
//! without a value, labels without a key, and all but the first label of one key are left out.
//! There are no mappings, since these need a build id, which Ruby's frames do not have.
//!
//! Beside what pprof cannot carry, OTLP cannot carry the counts of samples, which a reader
//! estimates by the period, and start times before 1970.
//!
//! Requests of any producer can be read, also with several resources and scopes. `Profile`s of one
//! type are added; those of several types become the values of one profile. The choice of the
//! weight, functions inlined into a location, and units are handled as in pprof.

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

/// Attribute of a location with the kind of its frame.
const FRAME_TYPE: &str = "profile.frame.type";

/// Attribute of a profile with its comments, an array.
const COMMENT: &str = "pprof.profile.comment";

/// Attribute of a profile with the address of a page about it.
const DOC: &str = "pprof.profile.doc_url";

/// Attribute of a scope with the kind of the value type that is the weight of its profiles.
const DEFAULT_TYPE: &str = "pprof.scope.default_sample_type";
