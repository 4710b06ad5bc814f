//! What reports say beyond `go tool pprof`: methods, source files, JSON, terminals, filters that match nothing.

#[path = "../formats/fixture.rs"]
mod fixture;
mod json;
mod method;
mod query;
mod source;
mod support;
mod terminal;
