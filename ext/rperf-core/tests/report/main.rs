//! What reports say beyond `go tool pprof`: methods, source files, JSON, terminals, filters that
//! match nothing.

mod by;
mod by_change;
mod change;
#[path = "../formats/fixture.rs"]
mod fixture;
mod folded;
mod growth;
#[path = "../formats/heap.rs"]
mod heap;
mod json;
mod leaks;
mod method;
mod query;
mod source;
mod support;
mod terminal;
mod written;
