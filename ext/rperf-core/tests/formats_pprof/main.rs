//! Profiles and reports against the real `go tool pprof`, which `bin/setup` installs.

mod differences;
mod filters;
#[path = "../formats/fixture.rs"]
mod fixture;
#[path = "../formats/heap.rs"]
mod heap;
mod pprof;
#[path = "../formats/random.rs"]
mod random;
mod reads;
mod same;
mod top;
mod values;
mod views;
#[path = "../report/written.rs"]
mod written;
