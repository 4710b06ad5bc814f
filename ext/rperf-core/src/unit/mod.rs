//! Units of values, and values in the notation of `go tool pprof`: `1.50s`, `300ms`, `512.09kB`,
//! `46.15%`.

mod kinds;
mod scale;
mod share;

pub use kinds::{is_known, nanoseconds_in};
pub use scale::{MINIMUM, label, scale};
pub use share::share;
