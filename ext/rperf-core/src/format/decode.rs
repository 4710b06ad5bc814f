//! Finds the format of a file by its bytes, and decodes it.

use super::limits::MAX_BYTES;
use super::{DecodeError, collapsed, foreign_json, gzip, json, otlp, pprof, stackprof};
use crate::profile::Profile;

/// The format that the first bytes of a file indicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Pprof,
    Otlp,
    Stackprof,
    Collapsed,
}

/// Beginnings of what rperf writes and does not read, and what each is.
const NOT_BACK: [(&str, &str); 5] = [
    ("Total: ", "a text report"),
    ("# Profile: ", "a report in Markdown"),
    ("<!doctype html", "a web page (open it in a browser)"),
    ("digraph rperf", "a graph for Graphviz"),
    ("# callgrind format", "a file for KCachegrind"),
];

/// Decodes a profile: pprof, OTLP, JSON of rperf, collapsed stacks, or a profile of stackprof,
/// speedscope or the Firefox Profiler, each gzipped or not.
///
/// The format is recognised by the contents. Memory is bounded by the limits of this module and by
/// a small multiple of the size of the input, whatever the input contains.
pub fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    decode_values(bytes, None)
}

/// Decodes like [`decode`], weighed by a sample type: its name, or its number from 0, as in pprof.
///
/// Other formats have the sample types that they would have in pprof: see
/// [`Profile::sample_types`].
pub fn decode_values(bytes: &[u8], sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    if bytes.starts_with(&gzip::MAGIC) {
        let plain = gzip::decompress(bytes, |beginning| kind_of(beginning).map(|_| ()))?;
        decode_plain(&plain, sample_type)
    } else {
        decode_plain(bytes, sample_type)
    }
}

/// Checks whether a profile may begin with these bytes, so that a large file without a profile need
/// not be read.
///
/// [`decode`] still refuses files that are damaged further on. A beginning of white space only, or
/// of gzip data, is accepted.
pub fn check_beginning(beginning: &[u8]) -> Result<(), DecodeError> {
    if beginning.starts_with(&gzip::MAGIC) {
        return Ok(());
    }
    match kind_of(beginning) {
        Ok(_) | Err(DecodeError::Empty) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether the bytes, gzipped or not, begin like a pprof profile.
pub fn is_pprof(bytes: &[u8]) -> bool {
    let begins = |beginning: &[u8]| kind_of(beginning) == Ok(Kind::Pprof);
    if !bytes.starts_with(&gzip::MAGIC) {
        return begins(bytes);
    }
    let mut found = false;
    // The error stops the decompression. Damaged gzip data are not pprof.
    let _ = gzip::decompress(bytes, |beginning| {
        found = begins(beginning);
        Err(DecodeError::Unknown)
    });
    found
}

fn decode_plain(bytes: &[u8], sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    if bytes.len() > MAX_BYTES {
        return Err(DecodeError::TooLarge);
    }
    // Some editors put a byte order mark before a text.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let (name, profile) = match kind_of(bytes)? {
        Kind::Pprof => (pprof::NAME, pprof::decode(bytes, sample_type)?),
        Kind::Otlp => (otlp::NAME, otlp::decode(bytes, sample_type)?),
        Kind::Stackprof => (stackprof::NAME, weigh(stackprof::decode(bytes)?, sample_type)?),
        Kind::Collapsed => (collapsed::NAME, weigh(collapsed::decode(bytes)?, sample_type)?),
        Kind::Json => {
            let (name, profile) = decode_json(bytes)?;
            (name, weigh(profile, sample_type)?)
        }
    };
    profile.check().map_err(|error| DecodeError::damaged(name, error))?;
    Ok(profile)
}

/// Decodes JSON of rperf, or of another tool where it is not rperf's.
fn decode_json(bytes: &[u8]) -> Result<(&'static str, Profile), DecodeError> {
    match json::decode(bytes) {
        Err(DecodeError::ForeignJson) => foreign_json::decode(bytes),
        result => Ok((json::NAME, result?)),
    }
}

/// Returns the profile with the values of a sample type as the weight. Formats without counts have
/// no samples and events to choose.
fn weigh(mut profile: Profile, sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    let Some(wanted) = sample_type else { return Ok(profile) };
    let (counts, types) = match profile.sample_types() {
        known if profile.is_counted() => known,
        (counts, types) => (0, types[counts..].to_vec()),
    };
    let index = pprof::find_type(&types, wanted)?;
    if index < counts {
        return Ok(profile.weighed_by_count(index));
    }
    if profile.meta.value_types.are_several() {
        profile.choose(index - counts);
    }
    Ok(profile)
}

fn kind_of(bytes: &[u8]) -> Result<Kind, DecodeError> {
    let text = bytes.trim_ascii_start();
    // Every message of pprof and OTLP has field tags near its beginning, which are control
    // characters.
    let mut beginning = bytes.iter().take(4096);
    let is_binary = beginning.any(|byte| *byte < b' ' && !byte.is_ascii_whitespace());
    // A brace may also begin collapsed stacks: PHP's main program is the frame `{main}`.
    let is_frame = text.get(1).is_some_and(u8::is_ascii_alphabetic);
    match text.first() {
        None => Err(DecodeError::Empty),
        Some(b'{') if !is_frame => Ok(Kind::Json),
        Some(_) if bytes.starts_with(&stackprof::MAGIC) => Ok(Kind::Stackprof),
        Some(_) if is_binary && otlp::may_begin(bytes) => Ok(Kind::Otlp),
        Some(_) if is_binary && pprof::may_start_with(bytes[0]) => Ok(Kind::Pprof),
        Some(_) if is_binary => Err(DecodeError::Unknown),
        Some(_) => match NOT_BACK.into_iter().find(|(beginning, _)| begins_with(text, beginning)) {
            Some((_, what)) => Err(DecodeError::NotBack { what }),
            None => Ok(Kind::Collapsed),
        },
    }
}

/// Whether a text has this beginning, in small or large letters.
fn begins_with(text: &[u8], beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|it| it.eq_ignore_ascii_case(beginning.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, encode};
    use crate::profile::Meta;

    #[test]
    fn refuses_by_the_beginning_only_what_no_profile_begins_with() {
        for beginning in [&b""[..], b"  \n", b"{", b"a;b", &gzip::MAGIC, b"\n\x04\x08\x01"] {
            assert_eq!(check_beginning(beginning), Ok(()), "{beginning:?}");
        }
        assert_eq!(check_beginning(&[0; 100]), Err(DecodeError::Unknown));
        assert!(matches!(check_beginning(b"Total: 509.5ms (cpu)"), Err(DecodeError::NotBack { .. })));
    }

    #[test]
    fn says_what_a_file_of_rperf_is_that_cannot_be_read_back() {
        for format in [Format::Text, Format::Markdown, Format::Dot, Format::Callgrind] {
            let bytes = encode(&Profile::new(Meta::default()), format).expect("it is sound");
            let error = decode(&bytes).expect_err("it is refused").to_string();
            assert!(error.contains(", which cannot be read back: "), "{format:?}: {error}");
        }
        let page = kind_of(b"\n<!DOCTYPE html>\n<html>").expect_err("it is refused").to_string();
        assert!(page.starts_with("it is a web page (open it in a browser), "), "{page}");
    }

    #[test]
    fn knows_pprof_gzipped_or_not() {
        let pprof = b"\n\x04\x08\x01\x10\x02";
        assert!(is_pprof(pprof) && is_pprof(&gzip::compress(pprof)));
        assert!(!is_pprof(b"a;b 1\n") && !is_pprof(&gzip::compress(b"a;b 1\n")));
        assert!(!is_pprof(&gzip::MAGIC) && !is_pprof(b""));
    }

    #[test]
    fn skips_a_byte_order_mark() {
        let stacks = decode("\u{feff}main;a 12\n".as_bytes()).expect("it is sound");
        assert_eq!(stacks.functions[1].label, "main");
        assert!(matches!(decode("\u{feff}{\"rperf\":{}}".as_bytes()), Err(DecodeError::Damaged { .. })));
    }

    #[test]
    fn knows_kinds_by_their_beginning() {
        assert_eq!(kind_of(b" \n{\"rperf\": 1}"), Ok(Kind::Json));
        assert_eq!(kind_of(b"{\"rperf\": \"\x7f\x1b\"}"), Ok(Kind::Json));
        assert_eq!(kind_of(b"{main};a 12\n"), Ok(Kind::Collapsed));
        assert_eq!(kind_of(b"\x04\x08{\x00"), Ok(Kind::Stackprof));
        assert_eq!(kind_of(b"\x04\x08[\x00"), Err(DecodeError::Unknown));
        assert_eq!(kind_of(b"main;a\x7f 12\n"), Ok(Kind::Collapsed));
        assert_eq!(kind_of(b"\n\x04\x08\x01\x10\x02"), Ok(Kind::Pprof));
        assert_eq!(kind_of(b"\x7fELF\x02"), Err(DecodeError::Unknown));
        assert_eq!(kind_of(b"\x28\xb5\x2f\xfd\x04"), Err(DecodeError::Unknown), "zstd");
        assert_eq!(kind_of(&[0; 100]), Err(DecodeError::Unknown));
        assert_eq!(kind_of(b""), Err(DecodeError::Empty));
        assert_eq!(kind_of(b" \n"), Err(DecodeError::Empty));
    }
}
