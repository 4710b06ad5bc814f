//! Names of requests by their paths. A part of a path that looks like an id becomes `:id`, so that
//! there are few names however many paths there are.

/// Maximum number of bytes of a path that are looked at.
const MAX_PATH: usize = 256;
/// Numbers of hexadecimal digits in the parts of a UUID (RFC 9562, section 4).
const UUID: [usize; 5] = [8, 4, 4, 4, 12];
/// Minimum length of a segment of hexadecimal digits that is an id: a hash, or a database's number.
const LONG_HEXADECIMAL: usize = 16;
/// Minimum length of a segment of letters and digits that is no word.
const LONG: usize = 20;

/// Returns a name: "GET /users/:id". `mount`: the part of the path that leads to the application.
pub fn endpoint_by_path(method: &[u8], mount: &[u8], path: &[u8]) -> Vec<u8> {
    let mut left = mount.iter().chain(path).copied().take(MAX_PATH).peekable();
    let mut name = [method, b" "].concat();
    if left.peek().is_none() {
        name.push(b'/');
    }
    let mut segment = Vec::new();
    while let Some(byte) = left.next() {
        name.push(byte);
        if byte == b'/' {
            segment.clear();
            while let Some(byte) = left.next_if(|byte| !matches!(byte, b'/' | b'.')) {
                segment.push(byte);
            }
            name.extend_from_slice(if is_id(&segment) { b":id" } else { &segment });
        }
    }
    name
}

/// Returns whether a segment is an id: a number or several ("2024-01-31"), a UUID, long and
/// hexadecimal, or too long for a word, with a digit. A file's ending is no part of the segment.
fn is_id(segment: &[u8]) -> bool {
    let is_hexadecimal = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let parts = || segment.split(|byte| *byte == b'-');
    let is_word = || segment.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    parts().all(is_number)
        || parts().map(<[u8]>::len).eq(UUID) && parts().all(is_hexadecimal)
        || segment.len() >= LONG_HEXADECIMAL && is_hexadecimal(segment)
        || segment.len() >= LONG && is_word() && segment.iter().any(u8::is_ascii_digit)
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
    fn the_mount_comes_first_and_the_end_is_cut() {
        assert_eq!(endpoint_by_path(b"POST", b"/app/7", b"/\xff"), b"POST /app/:id/\xff");
        let long = "/a".repeat(MAX_PATH);
        assert_eq!(named(&long), long[..MAX_PATH]);
        assert_eq!(named(&format!("{}/12345x", "/a".repeat(125))), format!("{}/:id", "/a".repeat(125)));
    }
}
