//! Gzip, without a time stamp or a file name, so that equal contents give equal bytes.

use std::io::{ErrorKind, Read, Write};
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::DecodeError;
use super::limits::{MAX_BYTES, MAX_RATIO, RATIO_FLOOR};
use crate::parts::Parts;

/// The first bytes of gzip data.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Compression level. Level 1 takes half the time (`bench/micro`: 2.9 MB in 8 ms, not 16), but then
/// an agent sends 226 kB for 5,000 stacks instead of 187 (`bench/fleet`, where 200 is the limit).
const LEVEL: u32 = 2;

/// Number of bytes that are decompressed at a time.
const CHUNK: usize = 64 << 10;

/// Writes the output of `contents`, compressed.
pub(super) fn write(out: &mut Parts<'_>, contents: impl FnOnce(&mut Parts<'_>)) {
    let mut encoder = GzEncoder::new(&mut *out, Compression::new(LEVEL));
    let mut sink = |part: Vec<u8>| match encoder.write_all(&part) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let mut plain = Parts::new(&mut sink);
    contents(&mut plain);
    plain.hand_on();
    // `finish` fails only when the receiver wants no more parts.
    let _ = encoder.finish();
}

/// Returns the decompressed contents, if they stay below the limits.
///
/// `accept` gets the first chunk. If it returns an error, nothing more is decompressed.
pub(super) fn decompress(
    zipped: &[u8],
    accept: impl FnOnce(&[u8]) -> Result<(), DecodeError>,
) -> Result<Vec<u8>, DecodeError> {
    let mut decoder = MultiGzDecoder::new(zipped);
    let mut plain = Vec::new();
    read_chunk(&mut decoder, &mut plain)?;
    accept(&plain)?;
    while read_chunk(&mut decoder, &mut plain)? {
        // Checked after each chunk, to find a bomb at the beginning of a large file, too.
        let consumed = zipped.len() - decoder.get_ref().len();
        check_size(consumed, plain.len())?;
    }
    Ok(plain)
}

/// Appends up to one chunk of decompressed bytes; false at the end.
fn read_chunk(decoder: &mut impl Read, plain: &mut Vec<u8>) -> Result<bool, DecodeError> {
    let read = decoder.take(CHUNK as u64).read_to_end(plain).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => DecodeError::TruncatedGzip,
        _ => DecodeError::DamagedGzip,
    })?;
    Ok(read > 0)
}

fn check_size(consumed: usize, plain: usize) -> Result<(), DecodeError> {
    if plain > MAX_BYTES {
        return Err(DecodeError::TooLarge);
    }
    if plain > RATIO_FLOOR && plain / MAX_RATIO > consumed {
        return Err(DecodeError::Bomb);
    }
    Ok(())
}

/// Returns the contents, compressed.
#[cfg(test)]
pub(super) fn compress(contents: &[u8]) -> Vec<u8> {
    crate::parts::written(|out| {
        write(out, |plain| contents.chunks(1 << 10).for_each(|chunk| plain.push(chunk)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unzips_what_it_zipped() {
        let plain: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(decompress(&compress(&plain), |_| Ok(())), Ok(plain));
    }

    #[test]
    fn unzips_several_members() {
        let zipped = [compress(b"one "), compress(b"two")].concat();
        assert_eq!(decompress(&zipped, |_| Ok(())), Ok(b"one two".to_vec()));
    }

    #[test]
    fn shows_the_beginning_first() {
        let zipped = compress(&vec![7; 10 * CHUNK]);
        let mut seen = 0;
        let refused = decompress(&zipped, |chunk| {
            seen = chunk.len();
            Err(DecodeError::Unknown)
        });
        assert_eq!((refused, seen), (Err(DecodeError::Unknown), CHUNK));
    }

    #[test]
    fn tells_truncated_from_damaged() {
        let zipped = compress(&(0..10_000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        for len in [2, 9, 10, 11, zipped.len() / 2, zipped.len() - 9, zipped.len() - 1] {
            assert_eq!(
                decompress(&zipped[..len], |_| Ok(())),
                Err(DecodeError::TruncatedGzip),
                "{len} bytes"
            );
        }
        let mut damaged = zipped.clone();
        let checksum = damaged.len() - 8;
        damaged[checksum] ^= 1;
        assert_eq!(decompress(&damaged, |_| Ok(())), Err(DecodeError::DamagedGzip));
    }

    #[test]
    fn limits_grow_with_what_is_consumed() {
        assert_eq!(check_size(1, RATIO_FLOOR), Ok(()));
        assert_eq!(check_size(1, RATIO_FLOOR + 1), Err(DecodeError::Bomb));
        assert_eq!(check_size(RATIO_FLOOR, 2 * RATIO_FLOOR), Ok(()));
        assert_eq!(check_size(MAX_BYTES, MAX_BYTES), Ok(()));
        assert_eq!(check_size(MAX_BYTES, MAX_BYTES + 1), Err(DecodeError::TooLarge));
    }
}
