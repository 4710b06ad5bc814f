//! Damaged and hostile files: one sentence each, and little memory.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use rperf_core::format::{DecodeError, Format, MAX_BYTES, MAX_STACK_ENTRIES, decode, encode};
use rperf_core::profile::ValueType;
use rperf_core::time::Nanos;

use crate::fixture;

const READABLE: &str = "pprof, OTLP, JSON of rperf, collapsed stacks, or a profile of stackprof, speedscope or the Firefox Profiler";

fn error(bytes: &[u8]) -> String {
    decode(bytes).expect_err("the bytes are no profile").to_string()
}

fn pprof() -> Vec<u8> {
    encode(&fixture::mixed(), Format::Pprof).expect("the fixture is sound")
}

fn plain_pprof() -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(pprof().as_slice())
        .read_to_end(&mut plain)
        .expect("the encoder writes gzip");
    plain
}

/// Gzip of `beginning` and then the same byte, again and again, `len` times (rounded up to 1 MiB).
fn bomb(beginning: &[u8], byte: u8, len: usize) -> Vec<u8> {
    // Gzip data may consist of several members, so one block is enough.
    let block = zip(&vec![byte; 1 << 20]);
    [zip(beginning), block.repeat(len.div_ceil(1 << 20))].concat()
}

fn zip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

/// A field of the pprof message with these bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut len = bytes.len();
    while len >= 0x80 {
        field.push(len as u8 | 0x80);
        len >>= 7;
    }
    field.push(len as u8);
    field.extend_from_slice(bytes);
    field
}

/// A pprof message with one sample type, strings "", "x", and these fields.
fn message(fields: &[Vec<u8>]) -> Vec<u8> {
    [field(1, &[0x08, 1, 0x10, 1]), field(6, b""), field(6, b"x"), fields.concat()].concat()
}

#[test]
fn nothing_at_all() {
    assert_eq!(error(b""), format!("it is empty, but should hold {READABLE}"));
    assert_eq!(error(&bomb(b"", 0, 0)), error(b""));
}

#[test]
fn something_else() {
    let unknown = format!("it is not a profile: it should hold {READABLE}");
    for bytes in
        [&b"\x7fELF\x02\x01\x01\0\0"[..], b"\x89PNG\r\n\x1a\n", b"puts 'hello'\n", b"<html>\n", &[0; 99]]
    {
        assert_eq!(error(bytes), unknown);
    }
    // Gzip in gzip is not a profile either.
    let twice = bomb(&pprof(), 0, 0);
    assert_eq!(error(&twice), unknown);
}

#[test]
fn truncated_gzip() {
    let whole = pprof();
    for len in 2..whole.len() {
        assert_eq!(decode(&whole[..len]), Err(DecodeError::TruncatedGzip), "{len} of {} bytes", whole.len());
    }
}

#[test]
fn garbage_behind_gzip() {
    let mut bytes = pprof();
    bytes.extend_from_slice(b"and garbage behind it");
    assert_eq!(error(&bytes), "its gzip data is damaged");
}

#[test]
fn a_gigabyte_of_zeros() {
    assert_eq!(decode(&bomb(b"", 0, MAX_BYTES)), Err(DecodeError::Unknown));
}

#[test]
fn a_gigabyte_of_zeros_behind_a_good_beginning() {
    // A string of a gigabyte.
    let beginning = [message(&[]), vec![0x32, 0x80, 0x80, 0x80, 0x80, 0x04]].concat();
    assert_eq!(decode(&bomb(&beginning, 0, MAX_BYTES)), Err(DecodeError::Bomb));
    assert_eq!(decode(&bomb(b"main;a 1\n", b' ', MAX_BYTES)), Err(DecodeError::Bomb));
    assert_eq!(decode(&bomb(b"{\"rperf\":", b' ', MAX_BYTES)), Err(DecodeError::Bomb));
}

#[test]
fn huge_declared_lengths() {
    let lengths: [&[u8]; 3] = [
        &[0x32, 0x7f],
        &[0x32, 0xff, 0xff, 0xff, 0xff, 0x07],
        &[0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ];
    for length in lengths {
        let bytes = message(&[length.to_vec()]);
        assert_eq!(error(&bytes), "its pprof data is damaged: a field reaches past the end");
    }
}

#[test]
fn indices_that_lead_nowhere() {
    let cases = [
        (field(2, &[0x0a, 1, 9, 0x12, 1, 1]), "a sample refers to location 9, which does not exist"),
        (field(4, &[0x08, 1, 0x22, 2, 0x08, 7]), "a location refers to function 7, which does not exist"),
        (field(5, &[0x08, 1, 0x10, 9]), "it refers to string 9, which does not exist"),
        (vec![0x68, 9], "it refers to string 9, which does not exist"),
        (field(5, &[0x10, 1]), "a function has the id 0"),
        (field(4, &[]), "a location has the id 0"),
        (field(3, &[]), "a mapping has the id 0"),
        ([field(5, &[0x08, 1]), field(5, &[0x08, 1])].concat(), "two functions have the id 1"),
        ([field(4, &[0x08, 1]), field(4, &[0x08, 1])].concat(), "two locations have the id 1"),
        (field(2, &[0x12, 2, 1, 1]), "sample 0 has 2 values instead of 1"),
        (field(2, &[]), "sample 0 has 0 values instead of 1"),
        (vec![0x0b], "a field has an impossible tag"),
        (field(2, &[0x0b]), "a field has an impossible tag"),
        (vec![0x30, 1], "a field has the wrong type"),
    ];
    for (bytes, what) in cases {
        assert_eq!(error(&message(&[bytes])), format!("its pprof data is damaged: {what}"));
    }
    assert_eq!(error(&field(6, b"")), "its pprof data is damaged: it does not say what its values are");
}

#[test]
fn values_that_make_no_sense() {
    // A tenth byte makes the number negative.
    let negative = field(2, &[0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    assert_eq!(
        error(&message(&[negative])),
        "its pprof data is damaged: sample 0 has the value -1, as if it were a difference of profiles"
    );
    let huge = field(2, &[0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    assert_eq!(
        error(&message(&[huge.clone(), huge])),
        "its pprof data is damaged: its weights sum to more than 2^63 - 1"
    );
}

#[test]
fn a_location_that_blows_up_stacks() {
    // 1,000 inlined lines, in 1,000 stacks that repeat the location 1,000 times.
    let line = field(4, &[]);
    let location = field(4, &[vec![0x08, 1], line.repeat(1_000)].concat());
    let sample = field(2, &[field(1, &[1; 1_000]), vec![0x10, 1]].concat());
    let bytes = message(&[location, sample.repeat(1_000)]);
    assert_eq!(
        error(&bytes),
        format!("its pprof data is damaged: its stacks have more than {MAX_STACK_ENTRIES} entries")
    );
}

#[test]
fn functions_that_share_a_long_path() {
    let path = field(6, &[b'y'; 1 << 20]);
    let functions = (0u16..2_000).map(|id| {
        let [low, high] = [(id & 0x7f) as u8 | 0x80, (id >> 7) as u8];
        // Different start lines, so that the functions are different.
        field(5, &[0x08, low, high, 0x20, 2, 0x28, low, high])
    });
    // The ids start at 1.
    let bytes = message(&[path, functions.skip(1).collect::<Vec<_>>().concat()]);
    assert_eq!(error(&bytes), "its pprof data is damaged: its names are too long");
}

#[test]
fn json_of_others() {
    assert_eq!(
        error(br#"{"nodes": [], "samples": [], "timeDeltas": []}"#),
        "it is JSON, but not a profile of rperf, stackprof, speedscope or the Firefox Profiler"
    );
    assert_eq!(
        error(br#"{"rperf": {"format": 2}, "functions": "in another way"}"#),
        "it has JSON format 2 of a newer rperf, and this one reads format 1: update rperf"
    );
}

#[test]
fn damaged_json() {
    let whole = String::from_utf8(encode(&fixture::mixed(), Format::Json).expect("the fixture is sound"))
        .expect("JSON is UTF-8");
    let whole = whole.trim_end();
    for len in 1..whole.len() {
        assert!(error(&whole.as_bytes()[..len]).starts_with("its JSON data is damaged: "), "{len} bytes");
    }
    assert_eq!(error(&whole.as_bytes()[..99]), "its JSON data is damaged: it ends in the middle");
    let cases = [
        ("\"samples\":[[0,", "\"samples\":[[99,", "sample 0 refers to a stack that does not exist"),
        ("\"stacks\":[[6,", "\"stacks\":[[99,", "stack entry 0 refers to a location that does not exist"),
        ("\"locations\":[[0,", "\"locations\":[[99,", "location 0 refers to a function that does not exist"),
        ("\"label_sets\":[{},", "\"label_sets\":[", "its first label set is not the empty one"),
        (
            "\"mode\":\"wall\"",
            "\"mode\":\"Wall\"",
            "its mode \"Wall\" is none of cpu, wall, custom, alloc, heap",
        ),
    ];
    for (from, to, what) in cases {
        let damaged = whole.replacen(from, to, 1);
        assert_ne!(damaged, whole, "{from}");
        assert_eq!(error(damaged.as_bytes()), format!("its JSON data is damaged: {what}"));
    }
    let missing = whole.replacen("\"samples\"", "\"simples\"", 1);
    assert!(error(missing.as_bytes()).starts_with("its JSON data is damaged: missing field `samples`"));
}

#[test]
fn json_nested_without_end() {
    let nested = format!("{{\"rperf\":{{\"format\":1}},\"meta\":{}", "[".repeat(1 << 20));
    assert!(error(nested.as_bytes()).starts_with("its JSON data is damaged: "));
    let mut document =
        String::from_utf8(encode(&fixture::fib(), Format::Json).expect("the fixture is sound"))
            .expect("JSON is UTF-8");
    let stat = format!("\"stat\":{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    document = document.replacen("\"stat\":{}", &stat, 1);
    assert!(error(document.as_bytes()).starts_with("its JSON data is damaged: recursion limit exceeded"));
}

#[test]
fn a_collapsed_file_that_changes_its_mind() {
    assert_eq!(
        error(b"main;a 12\nmain;b\n"),
        "its collapsed data is damaged: line 2 does not end in a space and a whole number"
    );
}

#[test]
fn pprof_need_not_be_gzipped() {
    assert_eq!(decode(&plain_pprof()), decode(&pprof()));
}

#[test]
fn names_cannot_command_a_terminal() {
    let hostile = "\x1b]0;title\x07\u{9b}2J\r\nname";
    let mut profile = fixture::mixed();
    let functions = profile.functions.iter_mut().flat_map(|it| [&mut it.label, &mut it.path]);
    let threads = profile.threads.iter_mut().map(|thread| &mut thread.name);
    let keys = profile.label_sets.iter_mut().flatten().map(|label| &mut label.key);
    functions.chain(threads).chain(keys).for_each(|name| name.insert_str(0, hostile));
    profile.meta.comments.push(hostile.to_owned());
    profile.meta.value_types = ValueType::new(hostile, hostile).into();
    profile.meta.rperf_version.clear();
    profile.counters.drops.push((hostile.to_owned(), 1, Nanos(1)));
    for format in [Format::Text, Format::Markdown] {
        let shown = String::from_utf8(encode(&profile, format).expect("it is sound")).expect("it is text");
        assert!(shown.contains("name"), "{shown}");
        assert!(!shown.contains(|char: char| char.is_control() && char != '\n'), "{format:?}: {shown:?}");
        assert!(!shown.contains("\nname"), "{format:?}: {shown:?}");
    }
}
