//! Damaged and hostile files of other tools: one sentence each, and little memory.

use rperf_core::format::{MAX_STACK_ENTRIES, decode};

fn error(bytes: &[u8]) -> String {
    decode(bytes).expect_err("the bytes are no profile").to_string()
}

/// A text of Marshal; lengths below 123 are one byte, others here two.
fn text(text: &str) -> Vec<u8> {
    [b"\"", number(text.len()).as_slice(), text.as_bytes()].concat()
}

fn number(number: usize) -> Vec<u8> {
    match number {
        0 => vec![0],
        1..=122 => vec![number as u8 + 5],
        _ => [&[4][..], &(number as u32).to_le_bytes()].concat(),
    }
}

fn symbol(name: &str) -> Vec<u8> {
    [b":", number(name.len()).as_slice(), name.as_bytes()].concat()
}

fn integer(value: usize) -> Vec<u8> {
    [b"i", number(value).as_slice()].concat()
}

fn hash(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let entries_bytes = entries.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).flatten();
    [b"{", number(entries.len()).as_slice()].concat().into_iter().chain(entries_bytes).collect()
}

/// A dump with these frames, and these fields behind them.
fn dump(frames: Vec<u8>, more: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut entries = vec![(symbol("mode"), symbol("wall")), (symbol("frames"), frames)];
    entries.extend(more.iter().map(|(name, value)| (symbol(name), value.clone())));
    [b"\x04\x08".to_vec(), hash(&entries)].concat()
}

fn frame(fields: &[(&str, Vec<u8>)]) -> Vec<u8> {
    hash(&fields.iter().map(|(name, value)| (symbol(name), value.clone())).collect::<Vec<_>>())
}

#[test]
fn stackprof_dumps_that_make_no_sense() {
    let none = || hash(&[]);
    let one = || hash(&[(integer(7), frame(&[("name", text("a"))]))]);
    let numbers = |values: &[usize]| {
        let body: Vec<u8> = values.iter().copied().flat_map(integer).collect();
        [b"[", number(values.len()).as_slice(), &body].concat()
    };
    let cases = [
        (b"\x04\x08{\x00".to_vec(), "it is a Hash without mode and frames: no dump of stackprof"),
        (dump(integer(1), &[]), "its frames are no Hash"),
        (dump(none(), &[("raw", integer(1))]), "its raw samples are no list of numbers"),
        (dump(none(), &[("raw", [&b"[\x06"[..], b"0"].concat())]), "its raw samples are no list of numbers"),
        (dump(one(), &[("raw", numbers(&[1, 8, 1]))]), "a stack refers to frame 8, which does not exist"),
        (dump(one(), &[("raw", numbers(&[1, 7]))]), "its last stack ends in the middle"),
        (dump(one(), &[("raw", numbers(&[0xff_ffff, 7, 1]))]), "its last stack ends in the middle"),
        (dump(none(), &[("interval", b"i\xfa".to_vec())]), "it has the number -1, below 0"),
        (dump(none(), &[("interval", text("a"))]), "it has something else where a number should be"),
        (
            dump(one(), &[("raw", numbers(&[1, 7, 1])), ("raw_lines", numbers(&[1]))]),
            "its raw samples and their lines do not fit each other",
        ),
    ];
    for (bytes, what) in cases {
        assert_eq!(error(&bytes), format!("its stackprof data is damaged: {what}"));
    }
}

#[test]
fn stackprof_frames_that_share_a_long_name() {
    // The name is the first object behind the two Hashes and that of the first frame.
    let first = (integer(0), frame(&[("name", text(&"y".repeat(1 << 20)))]));
    let others = (1..400).map(|id| (integer(id), hash(&[(b";\x08".to_vec(), b"@\x08".to_vec())])));
    let bytes = dump(hash(&[first].into_iter().chain(others).collect::<Vec<_>>()), &[]);
    assert_eq!(error(&bytes), "its stackprof data is damaged: its names are too long");
}

#[test]
fn stackprof_frames_that_share_many_lines() {
    let lines = hash(&(0..50_000).map(|line| (integer(line), b"0".to_vec())).collect::<Vec<_>>());
    let first = (integer(0), frame(&[("lines", lines)]));
    let others = (1..400).map(|id| (integer(id), hash(&[(b";\x08".to_vec(), b"@\x08".to_vec())])));
    let bytes = dump(hash(&[first].into_iter().chain(others).collect::<Vec<_>>()), &[]);
    assert_eq!(error(&bytes), "its stackprof data is damaged: its frames have too many lines");
}

#[test]
fn stackprof_values_without_end() {
    // A list of itself.
    assert_eq!(
        error(&dump(hash(&[]), &[("raw", b"[\x06@\x07".to_vec())])),
        "its stackprof data is damaged: its raw samples are no list of numbers"
    );
    // Nothing, 35 million times: more memory than is given to values.
    let nothing = [b"[\x04".to_vec(), 35_000_000u32.to_le_bytes().to_vec(), vec![b'0'; 35_000_000]].concat();
    assert_eq!(
        error(&dump(hash(&[]), &[("raw", nothing)])),
        "its stackprof data is damaged: its values need more than 512 MB"
    );
}

#[test]
fn stackprof_json_that_makes_no_sense() {
    let cases = [
        (r#"{"mode":"wall","frames":{"x":{}}}"#, "it has the key 'x' where a number should be"),
        (r#"{"mode":"wall","frames":{},"raw":[1,2,3]}"#, "a stack refers to frame 2, which does not exist"),
        (
            r#"{"mode":"wall","frames":{"1":{"lines":{"7":[1,2]},"samples":1}}}"#,
            "a frame has fewer samples than its lines",
        ),
        (
            r#"{"mode":"wall","interval":18446744073709551615,"frames":{"1":{"samples":2}}}"#,
            "its samples weigh more than 2^64",
        ),
    ];
    for (text, what) in cases {
        assert_eq!(error(text.as_bytes()), format!("its stackprof data is damaged: {what}"));
    }
}

/// A speedscope file with one frame and these profiles.
fn speedscope(profiles: &str) -> String {
    format!(r#"{{"shared":{{"frames":[{{"name":"a"}}]}},"profiles":[{profiles}]}}"#)
}

fn sampled(samples: &str, weights: &str, unit: &str) -> String {
    format!(r#"{{"type":"sampled","name":"","unit":"{unit}","samples":[{samples}],"weights":[{weights}]}}"#)
}

fn evented(events: &str) -> String {
    format!(r#"{{"type":"evented","name":"","unit":"none","startValue":1,"endValue":9,"events":[{events}]}}"#)
}

#[test]
fn speedscope_files_that_make_no_sense() {
    let open = r#"{"type":"O","frame":0,"at":2}"#;
    let close = |frame, at| format!(r#"{{"type":"C","frame":{frame},"at":{at}}}"#);
    let cases = [
        (sampled("[1]", "1", "none"), "it refers to frame 1, which does not exist"),
        (sampled("[0]", "1,2", "none"), "a profile has 1 samples and 2 weights"),
        (sampled("[0]", "-1", "none"), "it has the value -1, below 0 or beyond 2^63"),
        (sampled("[0]", "0.1", "none"), "it has the value 0.1, no whole number and no time"),
        (sampled("[0]", "1e300", "seconds"), "it has the value 1e300, below 0 or beyond 2^63"),
        (
            [sampled("", "", "bytes"), sampled("", "", "seconds")].join(","),
            "its profiles measure different things, in 'bytes' and 'seconds'",
        ),
        (
            r#"{"type":"other","name":"","unit":"none"}"#.to_owned(),
            "a profile has the type 'other', not sampled or evented",
        ),
        (
            r#"{"type":"sampled","name":"","unit":"none"}"#.to_owned(),
            "a sampled profile has no samples or no weights",
        ),
        (r#"{"type":"evented","name":"","unit":"none"}"#.to_owned(), "an evented profile has no events"),
        (evented(&close(0, 3)), "frame 0 closes, but was not the last to open"),
        (evented(&[open, &close(0, 1)].join(",")), "its events are not in the order of time"),
    ];
    for (profiles, what) in cases {
        assert_eq!(
            error(speedscope(&profiles).as_bytes()),
            format!("its speedscope data is damaged: {what}")
        );
    }
}

#[test]
fn speedscope_events_that_blow_up_stacks() {
    let events: Vec<String> =
        (2..40_000).map(|at| format!(r#"{{"type":"O","frame":0,"at":{at}}}"#)).collect();
    assert_eq!(
        error(speedscope(&evented(&events.join(","))).as_bytes()),
        format!("its speedscope data is damaged: its stacks have more than {MAX_STACK_ENTRIES} entries")
    );
}

/// A Firefox Profiler file with two stacks, the callers of which are given, and these samples.
fn firefox(prefix: &str, samples: &str) -> String {
    format!(
        r#"{{"meta":{{"interval":1,"preprocessedProfileVersion":60}},"threads":[{{"samples":{{{samples}}}}}],"shared":{{
        "stringArray":["a"],"stackTable":{{"frame":[0,0],{prefix}}},"frameTable":{{"func":[0]}},"funcTable":{{"name":[0]}}}}}}"#
    )
}

#[test]
fn firefox_files_that_make_no_sense() {
    let sound = r#""prefix":[null,0]"#;
    let missing = |what: &str| format!("it refers to {what}, which does not exist or comes later");
    let cases = [
        (firefox(sound, r#""stack":[2]"#), missing("stack 2")),
        (firefox(r#""prefix":[1,0]"#, r#""stack":[1]"#), missing("stack 1")),
        (firefox(r#""prefix":[0,1]"#, r#""stack":[1]"#), missing("stack 0")),
        (firefox(r#""prefixOffset":[0,2]"#, r#""stack":[1]"#), missing("stack 2")),
        (firefox(r#""category":[]"#, r#""stack":[1]"#), "its stacks do not say who called them".to_owned()),
        (firefox(sound, r#""stack":[1],"weight":[]"#), "it has more samples than weights".to_owned()),
        (firefox(sound, r#""stack":[1],"weight":[-1]"#), "a sample has the weight -1".to_owned()),
        (firefox(sound, r#""stack":[1],"weight":[1e300]"#), "a sample has the weight 1e300".to_owned()),
        (firefox(sound, r#""stack":[1],"weightType":"kg""#), "its weights have the type 'kg'".to_owned()),
        (firefox(sound, r#""stack":[1]"#).replace(r#""name":[0]"#, r#""name":[4]"#), missing("text 4")),
        (firefox(sound, r#""stack":[1]"#).replace(r#""func":[0]"#, r#""func":[4]"#), missing("function 4")),
        (
            firefox(sound, r#""stack":[1]"#).replace("frameTable", "other"),
            "a thread has no frames".to_owned(),
        ),
        (
            firefox(sound, r#""stack":[1]"#).replace(r#""preprocessedProfileVersion":60"#, r#""version":31"#),
            "it is unprocessed: open it in the Firefox Profiler and save it from there".to_owned(),
        ),
    ];
    for (text, what) in cases {
        assert_eq!(error(text.as_bytes()), format!("its Firefox Profiler data is damaged: {what}"));
    }
}

#[test]
fn firefox_stacks_that_blow_up() {
    let depth = 20_000;
    let prefix: Vec<String> = (0..depth - 1).map(|index| index.to_string()).collect();
    let prefix = format!(r#""prefix":[null,{}]"#, prefix.join(","));
    let samples = format!(r#""stack":[{}]"#, vec![(depth - 1).to_string(); depth].join(","));
    let text = firefox(&prefix, &samples)
        .replace(r#""frame":[0,0]"#, &format!(r#""frame":[{}]"#, vec!["0"; depth].join(",")));
    assert_eq!(
        error(text.as_bytes()),
        format!(
            "its Firefox Profiler data is damaged: its stacks have more than {MAX_STACK_ENTRIES} entries"
        )
    );
}

#[test]
fn firefox_functions_that_share_a_long_path() {
    let text = firefox(r#""prefix":[null,0]"#, r#""stack":[1]"#)
        .replace(r#"["a"]"#, &format!(r#"["a","{}"]"#, "y".repeat(1 << 20)))
        .replace(r#""name":[0]"#, r#""name":[0],"fileName":[1]"#)
        .replace(r#""func":[0]"#, &format!(r#""func":[{}]"#, vec!["0"; 300].join(",")));
    assert_eq!(error(text.as_bytes()), "its Firefox Profiler data is damaged: its names are too long");
}

#[test]
fn every_beginning_of_a_file_is_refused() {
    for name in ["stackprof_raw.dump", "stackprof.json", "speedscope_evented.json", "firefox_new.json"] {
        let path = format!("{}/../../test/golden/foreign/{name}", env!("CARGO_MANIFEST_DIR"));
        let whole = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for len in 3..whole.trim_ascii_end().len() {
            assert!(error(&whole[..len]).contains(" data is damaged: "), "{len} bytes of {name}");
        }
    }
}
