//! Columns of a terminal that texts take: two for Chinese, Japanese and Korean characters and for
//! emoji, none for marks that are drawn onto another character. (Terminals disagree about emoji
//! that are joined; here each part counts.)

use std::ops::RangeInclusive;

/// Characters of two columns, by their blocks.
const WIDE: [RangeInclusive<char>; 13] = [
    '\u{1100}'..='\u{115f}',
    '\u{2e80}'..='\u{303e}',
    '\u{3041}'..='\u{4dbf}',
    '\u{4e00}'..='\u{a4cf}',
    '\u{a960}'..='\u{a97f}',
    '\u{ac00}'..='\u{d7a3}',
    '\u{f900}'..='\u{faff}',
    '\u{fe30}'..='\u{fe6f}',
    '\u{ff00}'..='\u{ff60}',
    '\u{ffe0}'..='\u{ffe6}',
    '\u{1f300}'..='\u{1f64f}',
    '\u{1f680}'..='\u{1faff}',
    '\u{20000}'..='\u{3fffd}',
];

/// Characters without a column: combining marks, joiners, marks of direction, selectors.
const MARKS: [RangeInclusive<char>; 11] = [
    '\u{300}'..='\u{36f}',
    '\u{591}'..='\u{5bd}',
    '\u{64b}'..='\u{65f}',
    '\u{e34}'..='\u{e3a}',
    '\u{e47}'..='\u{e4e}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{2069}',
    '\u{20d0}'..='\u{20ff}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{fe20}'..='\u{fe2f}',
];

/// Whether some reader may take the character for the end of a line or a move of the cursor, or
/// show what follows in another order.
pub(crate) fn moves_cursor(character: char) -> bool {
    // The ends of lines and paragraphs, and the marks that embed, override or isolate a direction.
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the number of columns that a text takes.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(columns_of_character).sum()
}

fn columns_of_character(character: char) -> usize {
    let is_in = |blocks: &[RangeInclusive<char>]| blocks.iter().any(|block| block.contains(&character));
    match character {
        '\0'..'\u{300}' => 1,
        _ if is_in(&MARKS) => 0,
        _ if is_in(&WIDE) => 2,
        _ => 1,
    }
}

/// Returns the text with spaces behind it, so that it takes `columns` columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(columns_of(text)))
}

/// Returns the position at which the first characters end that take up to `columns` columns.
pub(crate) fn first_columns(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    let beyond = text.char_indices().find(|(_, character)| {
        taken += columns_of_character(*character);
        taken > columns
    });
    beyond.map_or(text.len(), |(at, _)| at)
}

/// Returns the position at which the last characters begin that take up to `columns` columns.
pub(crate) fn last_columns(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    let beyond = text.char_indices().rev().find(|(_, character)| {
        taken += columns_of_character(*character);
        taken > columns
    });
    beyond.map_or(0, |(at, character)| at + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_and_marks_count_as_terminals_draw_them() {
        let texts = ["Größe", "漢字スレッド", "한국어", "e\u{301}", "שלום", "ｆｕｌｌ", "a\u{200d}b", "🙂"];
        assert_eq!(texts.map(columns_of), [5, 12, 6, 1, 4, 8, 2, 2]);
    }

    #[test]
    fn texts_are_cut_and_padded_by_columns() {
        assert_eq!(&"漢字a"[..first_columns("漢字a", 3)], "漢");
        assert_eq!(&"漢字a"[last_columns("漢字a", 3)..], "字a");
        assert_eq!([first_columns("ab", 9), last_columns("ab", 9), last_columns("ab", 0)], [2, 0, 2]);
        assert_eq!(padded("漢字", 6), "漢字  ");
        assert_eq!(padded("long", 2), "long");
    }
}
