//! Encoders and decoders: profiles to bytes and back. They neither open files nor print.
//!
//! The same profile gives the same bytes, every time and on every machine.

mod amount;
mod callgrind;
mod collapsed;
mod decode;
mod dot;
mod error;
mod firefox;
mod foreign;
mod foreign_json;
mod gzip;
mod json;
mod kind;
mod ledger_row;
mod limits;
mod markdown;
mod metrics;
mod otlp;
mod pprof;
pub mod push;
mod readable;
mod rows;
mod speedscope;
mod stack_lists;
mod stackprof;
mod text;
mod threads;

pub use decode::{check_beginning, decode, decode_values, is_pprof};
pub use error::{DecodeError, EncodeError};
pub use kind::{Encoding, Format};
pub use ledger_row::LedgerRow;
pub use limits::{MAX_BYTES, MAX_RATIO, MAX_ROWS, MAX_STACK_ENTRIES, RATIO_FLOOR};
pub use metrics::{Family, Metrics};
pub(crate) use pprof::comments as pprof_comments;
pub use text::name_and_path;

use crate::parts::{self, Parts, Sink};
use crate::profile::Profile;

/// Address of a page about rperf, for readers of a profile. pprof's web page links to it.
pub const DOC_URL: &str = "https://github.com/rperf/rperf";

/// Encodes a profile and returns the bytes of a file.
pub fn encode(profile: &Profile, encoding: impl Into<Encoding>) -> Result<Vec<u8>, EncodeError> {
    let encoding = encoding.into();
    parts::collected(|sink| write(profile, encoding, sink))
}

/// Encodes a profile into `sink`, part by part. All errors are found before the first part.
pub fn write(profile: &Profile, encoding: Encoding, sink: Sink<'_>) -> Result<(), EncodeError> {
    profile.check().map_err(EncodeError)?;
    let mut out = Parts::new(sink);
    if encoding.gzipped {
        gzip::write(&mut out, |out| write_plain(profile, encoding, out));
    } else {
        write_plain(profile, encoding, &mut out);
    }
    out.hand_on();
    Ok(())
}

fn write_plain(profile: &Profile, encoding: Encoding, out: &mut Parts<'_>) {
    let Encoding { format, idle, columns, .. } = encoding;
    let weighing = (!format.has_all_values()).then(|| profile.weighing());
    let profile = weighing.as_deref().unwrap_or(profile);
    match format {
        Format::Pprof if encoding.for_store => {
            pprof::write_for_store(&profile.clone().into_store_shape(), out)
        }
        Format::Pprof => pprof::write(profile, out),
        Format::Collapsed => collapsed::write(profile, out),
        Format::Text => out.push(text::encode(profile, idle, columns)),
        Format::Json => json::write(profile, out),
        Format::Dot => out.push(dot::encode(profile)),
        Format::Callgrind => callgrind::write(profile, out),
        Format::Speedscope => speedscope::write(profile, out),
        Format::Firefox => firefox::write(profile, out),
        Format::Markdown => out.push(markdown::encode(profile, idle)),
        Format::Otlp => otlp::write(profile, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LocationId;
    use crate::profile::Meta;

    #[test]
    fn refuses_a_profile_that_does_not_hang_together() {
        let mut profile = Profile::new(Meta::default());
        profile.stacks.push(LocationId(3));
        for (format, _) in Format::ALL {
            let error = encode(&profile, format).expect_err("the stack is noticed");
            assert_eq!(
                error.to_string(),
                "the profile cannot be written: stack entry 0 refers to a location that does not exist"
            );
        }
    }
}
