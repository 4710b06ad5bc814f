//! Reports on a terminal.

use rperf_core::report::{ReportOptions, Terminal, View};

use crate::fixture;
use crate::support::{shop, text, view};

fn on_terminal(view: View, colour: bool) -> ReportOptions {
    ReportOptions { terminal: Some(Terminal { colour }), ..crate::support::view(view) }
}

/// The text without colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').expect("a colour ends in m").1)
}

#[test]
fn colours_change_nothing_else() {
    let views = [
        View::Top,
        View::Tree,
        View::Traces,
        View::Labels,
        View::Comments,
        View::Method("Shop#price".to_owned()),
        View::Source("shop.rb".to_owned()),
    ];
    for it in views {
        let expected = text(&shop(), &view(it.clone()));
        let coloured = text(&shop(), &on_terminal(it.clone(), true));
        assert_eq!(plain(&coloured), expected);
        assert_eq!(coloured == expected, it == View::Comments, "{it:?} is coloured");
        assert_eq!(text(&shop(), &on_terminal(it, false)), expected);
    }
}

#[test]
fn names_cannot_command_a_terminal() {
    let mut profile = fixture::mixed();
    let hostile = "\x1b]0;title\x07\u{9b}2J\nname";
    profile.functions.iter_mut().for_each(|function| function.label.insert_str(0, hostile));
    profile.label_sets.iter_mut().flatten().for_each(|label| label.key.insert_str(0, hostile));
    profile.meta.comments.push(hostile.to_owned());
    for it in
        [View::Top, View::Tree, View::Traces, View::Labels, View::Comments, View::Method(".".to_owned())]
    {
        let shown = text(&profile, &on_terminal(it.clone(), false));
        assert!(
            !shown.contains(|char: char| char.is_control() && char != '\n' && char != '\t'),
            "{it:?}: {shown:?}"
        );
        assert!(shown.contains("\u{fffd}]0;title\u{fffd}\u{fffd}2J\u{fffd}name"), "{it:?}: {shown:?}");
    }
}
