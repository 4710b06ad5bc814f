//! Encoders and decoders: profiles to bytes and back. They neither open files nor print.
//!
//! The same profile gives the same bytes, every time and on every machine.

mod collapsed;
mod decode;
mod error;
mod gzip;
mod json;
mod kind;
mod limits;
mod pprof;
mod text;

pub use decode::{check_beginning, decode, decode_values, is_pprof};
pub use error::{DecodeError, EncodeError};
pub use kind::Format;
pub use limits::{MAX_BYTES, MAX_RATIO, MAX_ROWS, MAX_STACK_ENTRIES, RATIO_FLOOR};
pub(crate) use pprof::comments as pprof_comments;
pub use text::{TABLE_ROWS, write_tables};

use crate::profile::Profile;

/// Where a profile's reader learns more; pprof's web page links to it.
pub const DOC_URL: &str = "https://github.com/rperf/rperf";

/// The bytes of a file in this format.
pub fn encode(profile: &Profile, format: Format) -> Result<Vec<u8>, EncodeError> {
    profile.check().map_err(EncodeError::Invalid)?;
    Ok(match format {
        Format::Pprof => gzip::compress(&pprof::encode(profile)),
        Format::Collapsed => collapsed::encode(profile),
        Format::Text => text::encode(profile),
        Format::Json => json::encode(profile),
        Format::JsonGz => gzip::compress(&json::encode(profile)),
    })
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
        for format in Format::ALL {
            let error = encode(&profile, format).expect_err("the stack is noticed");
            assert_eq!(
                error.to_string(),
                "the profile cannot be written: stack entry 0 refers to a location that does not exist"
            );
        }
    }
}
