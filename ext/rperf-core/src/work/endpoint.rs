//! Names of requests by their paths. A part of a path that looks like an id becomes `:id`, so that
//! there are few names however many paths there are.

/// Maximum number of bytes of a path that are looked at.
const MAX_PATH: usize = 256;
/// Numbers of hexadecimal digits in the parts of a UUID (RFC 9562, section 4).
const UUID: [usize; 5] = [8, 4, 4, 4, 12];
/// Number of bytes of a UUID.
const UUID_SIZE: usize = 36;
/// Minimum length of a run of hexadecimal digits that is an id: a hash, or a database's number.
const LONG_HEXADECIMAL: usize = 16;
/// Minimum length of a run of letters and digits that is no word.
const LONG: usize = 20;
/// Minimum length of a run of digits, small and capital letters that is no word beside other runs.
const LONG_MIXED: usize = 12;
/// Maximum length of the ending of a file's name, with its dot.
const MAX_ENDING: usize = 12;

/// Returns a name: "GET /users/:id". `mount`: the part of the path that leads to the application.
pub fn endpoint_by_path(method: &[u8], mount: &[u8], path: &[u8]) -> Vec<u8> {
    let path: Vec<u8> = mount.iter().chain(path).copied().take(MAX_PATH).collect();
    let mut name = [method, b" "].concat();
    let mut segments = path.split(|byte| *byte == b'/');
    name.extend_from_slice(segments.next().unwrap_or_default());
    if path.is_empty() {
        name.push(b'/');
    }
    for segment in segments {
        name.push(b'/');
        push_segment(&mut name, segment);
    }
    name
}

/// Appends a segment of a path. From its first id on it is `:id`, up to the ending of a file's
/// name: what follows an id is mostly its own, as the parts of a token are.
fn push_segment(name: &mut Vec<u8>, segment: &[u8]) {
    let (stem, ending) = if is_number(segment) { (segment, &b""[..]) } else { without_ending(segment) };
    match id_position(stem) {
        Some(position) => {
            name.extend_from_slice(&stem[..position]);
            name.extend_from_slice(b":id");
            name.extend_from_slice(ending);
        }
        None => name.extend_from_slice(segment),
    }
}

/// Splits a file's name before its ending, which begins with a letter: ".json".
fn without_ending(segment: &[u8]) -> (&[u8], &[u8]) {
    let dot = segment.iter().rposition(|byte| *byte == b'.').unwrap_or(segment.len());
    let (stem, ending) = segment.split_at(dot);
    let is_ending = ending.len() <= MAX_ENDING
        && ending.get(1).is_some_and(u8::is_ascii_alphabetic)
        && ending[1..].iter().all(u8::is_ascii_alphanumeric);
    if is_ending { (stem, ending) } else { (segment, b"") }
}

/// Returns where the id in a segment begins, if there is one.
fn id_position(segment: &[u8]) -> Option<usize> {
    if is_number(segment) || is_token(segment) {
        return Some(0);
    }
    let mut position = 0;
    for run in segment.split(|byte| !byte.is_ascii_alphanumeric()) {
        let is_uuid_here = segment.get(position..position + UUID_SIZE).is_some_and(is_uuid);
        if is_uuid_here || is_long(run) || run.len() >= LONG_MIXED && run != segment && is_mixed(run) {
            return Some(position);
        }
        position += run.len() + 1;
    }
    None
}

/// Returns whether a segment is a number, or several: a date, a time, an address.
fn is_number(segment: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'-' | b'.' | b':' | b'_' | b'T');
    let segment = segment.strip_suffix(b"Z").unwrap_or(segment);
    segment.split(is_separator).all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
}

/// Returns whether a segment is too long for a word: with a digit, and without hyphens unless it is
/// mixed, too. Titles with hyphens are in small letters.
fn is_token(segment: &[u8]) -> bool {
    let is_text =
        |more: &[u8]| segment.iter().all(|byte| byte.is_ascii_alphanumeric() || more.contains(byte));
    segment.len() >= LONG && (is_text(b"_") && has_digit(segment) || is_text(b"_-=+~") && is_mixed(segment))
}

fn is_uuid(text: &[u8]) -> bool {
    let parts = || text.split(|byte| *byte == b'-');
    parts().map(<[u8]>::len).eq(UUID) && parts().flatten().all(u8::is_ascii_hexdigit)
}

/// Returns whether letters and digits are an id by their length.
fn is_long(run: &[u8]) -> bool {
    let is_hexadecimal = run.len() >= LONG_HEXADECIMAL && run.iter().all(u8::is_ascii_hexdigit);
    is_hexadecimal || run.len() >= LONG && has_digit(run)
}

/// Returns whether there are digits, small and capital letters, as in random texts.
fn is_mixed(text: &[u8]) -> bool {
    has_digit(text) && text.iter().any(u8::is_ascii_lowercase) && text.iter().any(u8::is_ascii_uppercase)
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> String {
        let name = endpoint_by_path(b"GET", b"", path.as_bytes());
        String::from_utf8_lossy(&name).strip_prefix("GET ").map(str::to_owned).unwrap_or_default()
    }

    #[test]
    fn ids_are_taken_out() {
        for (path, name) in [
            ("/users/42/orders/7.json", "/users/:id/orders/:id.json"),
            ("/d/2024-01-31", "/d/:id"),
            ("/u/123e4567-e89b-12d3-a456-426614174000/", "/u/:id/"),
            ("/u/123e4567-e89b-12d3-a456-42661417400g", "/u/123e4567-e89b-12d3-a456-42661417400g"),
            ("/507f1f77bcf86cd7", "/:id"),
            ("/507f1f77bcf86cd", "/507f1f77bcf86cd"),
            ("/deadbeefdeadbeef", "/:id"),
            ("/cus_9s6XKzkNRiz8i3Qp2", "/:id"),
            ("/internationalizations", "/internationalizations"),
            ("/-1", "/-1"),
            ("/1--2", "/1--2"),
            ("//7", "//:id"),
            ("/v1.2/7", "/v1.2/:id"),
            ("/.7", "/.7"),
            ("7/x", "7/x"),
            ("*", "*"),
            ("/", "/"),
            ("", "/"),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
    }

    #[test]
    fn ids_within_segments_are_taken_out() {
        for (path, name) in [
            ("/n/V1StGXR8_Z5jdHi6B-myT", "/n/:id"),
            ("/s/sess-9f8e7d6c5b4a39281706", "/s/sess-:id"),
            ("/s/cus_NffrFeUfNV2Hib", "/s/cus_:id"),
            ("/assets/application-0f3c9e2b8a7d6c5b4a39281706f5e4d3.js", "/assets/application-:id.js"),
            ("/d/2024-01-31T10:00:00Z", "/d/:id"),
            ("/t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123-_xSflKxwRJSMeKKF2QT4", "/t/:id"),
            ("/b/aGVsbG8gd29ybGQ=", "/b/:id"),
            ("/b/aGVsbG8gd29ybGQ%3D", "/b/:id"),
            ("/ip/10.0.0.1", "/ip/:id"),
            ("/1700000000.123", "/:id"),
            ("/user-123e4567-e89b-12d3-a456-426614174000/x", "/user-:id/x"),
            ("/7.geojson", "/:id.geojson"),
            ("/a-title-with-2024-in-it", "/a-title-with-2024-in-it"),
            ("/OAuth2Callback", "/OAuth2Callback"),
            ("/report-2024-01.pdf", "/report-2024-01.pdf"),
            ("/v1.2.3", "/v1.2.3"),
            ("/T", "/T"),
            ("/Z", "/Z"),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
    }

    #[test]
    fn the_mount_comes_first_and_the_end_is_cut() {
        assert_eq!(endpoint_by_path(b"POST", b"/app/7", b"/\xff"), b"POST /app/:id/\xff");
        let long = "/a".repeat(MAX_PATH);
        assert_eq!(named(&long), long[..MAX_PATH]);
        assert_eq!(named(&format!("{}/12345x", "/a".repeat(125))), format!("{}/:id", "/a".repeat(125)));
    }
}
