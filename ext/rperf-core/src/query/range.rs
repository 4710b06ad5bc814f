//! Ranges of numbers: `32kb` is exactly this value, `:64kb` at most, `4mb:` at least, and
//! `12kb:64mb` lies between both.

use super::QueryError;
use crate::unit::scale;

/// Range of numbers. Both ends are included.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    from: Option<f64>,
    to: Option<f64>,
    /// Unit of both ends. Empty if none was given.
    unit: String,
}

impl Range {
    /// Parses a range. Returns `None` if the text is a regular expression instead.
    pub(super) fn parse(option: &'static str, text: &str) -> Result<Option<Self>, QueryError> {
        let ends: Vec<&str> = text.split(':').collect();
        let parsed = |text| End::parse(option, text);
        match ends.as_slice() {
            [both] => Ok(parsed(both)?.map(|end| end.range(true, true))),
            [from, ""] => Ok(parsed(from)?.map(|end| end.range(true, false))),
            ["", to] => Ok(parsed(to)?.map(|end| end.range(false, true))),
            [from, to] => {
                let (Some(from), Some(to)) = (parsed(from)?, parsed(to)?) else { return Ok(None) };
                Ok(from.range_to(&to))
            }
            _ => Ok(None),
        }
    }

    /// Whether a number in this unit lies in the range. A number in another kind of unit does not.
    pub(super) fn holds(&self, number: i64, unit: &str) -> bool {
        let (number, unit) = scale(number, unit, &self.unit);
        unit == self.unit
            && self.from.is_none_or(|from| number >= from)
            && self.to.is_none_or(|to| number <= to)
    }
}

/// One end of a range: a number with its unit, which may be empty.
struct End<'text> {
    number: i64,
    unit: &'text str,
}

impl<'text> End<'text> {
    fn parse(option: &'static str, text: &'text str) -> Result<Option<Self>, QueryError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let unit = unsigned.trim_start_matches(|char: char| char.is_ascii_digit());
        let number = &text[..text.len() - unit.len()];
        if unit.len() == unsigned.len() || !unit.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Ok(None);
        }
        let number = number.parse().map_err(|_| QueryError::Number { option, text: number.to_owned() })?;
        Ok(Some(Self { number, unit }))
    }

    fn range(&self, from: bool, to: bool) -> Range {
        let (number, unit) = scale(self.number, self.unit, self.unit);
        Range { from: from.then_some(number), to: to.then_some(number), unit: unit.to_owned() }
    }

    /// Returns the range up to `end`, or `None` if the units are of different kinds.
    fn range_to(&self, end: &Self) -> Option<Range> {
        let range = self.range(true, false);
        let (to, unit) = scale(end.number, end.unit, &range.unit);
        (unit == range.unit).then_some(Range { to: Some(to), ..range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<Range> {
        Range::parse("tagfocus", text).expect("the numbers are small")
    }

    #[test]
    fn reads_each_form() {
        let holds = |text: &str, unit: &str| {
            let range = range(text).expect("it is a range");
            [-1, 1, 2, 3, 2048, 4096].map(|number| range.holds(number, unit))
        };
        assert_eq!(holds("2", "n"), [false, false, true, false, false, false]);
        assert_eq!(holds("2:", "n"), [false, false, true, true, true, true]);
        assert_eq!(holds(":2", "n"), [true, true, true, false, false, false]);
        assert_eq!(holds("-1:2", "n"), [true, true, true, false, false, false]);
        assert_eq!(holds("2kb", "bytes"), [false, false, false, false, true, false]);
        assert_eq!(holds("1b:2kb", "bytes"), [false, true, true, true, true, false]);
        assert_eq!(holds("2us:", "ns"), [false, false, false, false, true, true]);
        assert_eq!(holds("2us:", "bytes"), [false; 6]);
    }

    #[test]
    fn leaves_regular_expressions_alone() {
        for text in ["", ":", "a", "1a2", "GET /1", "1:2:3", "1.5", "2:b", "1kb:2s", "10|20"] {
            assert_eq!(range(text), None, "{text}");
        }
        // Unknown units are compared without conversion.
        assert!(range("1x:2x").is_some_and(|range| range.holds(1, "x")));
    }

    #[test]
    fn refuses_numbers_that_are_too_large() {
        let error = Range::parse("tagignore", "99999999999999999999:").expect_err("it is noticed");
        assert_eq!(
            error.to_string(),
            "--tagignore takes numbers up to 2^63 - 1, and 99999999999999999999 is larger"
        );
    }
}
