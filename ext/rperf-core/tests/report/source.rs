//! `--source`.

use hashbrown::HashMap;
use rperf_core::report::{Report, ReportError, SourceText, Subject, Surroundings, View};

use crate::support::{SHOP, shop, text, view, write};

fn source(name: &str) -> String {
    text(&shop(), &view(View::Source(name.to_owned())))
}

#[test]
fn the_lines_of_a_file() {
    let expected = "\
Total: 100ms (cpu)

  code: app/shop.rb
        flat        cum   line
           .          .      2 |   def total
        20ms       95ms      3 |     @items.sum { |item| price(item) }
           .          .      4 |   end
                           ...
           .          .      6 |   def price(item)
        50ms       70ms      7 |     item * 3
           .          .      8 |   end
           .          .      9 | end
         5ms      100ms     10 | Shop.new.total
";
    assert_eq!(source("app/shop.rb"), expected);
    assert_eq!(source("shop.rb"), expected, "the end of a path is enough");
    assert_eq!(source("sh[aeiou]p"), expected, "an expression finds it, too");
}

#[test]
fn a_file_that_is_not_in_the_profile() {
    let error = write(&shop(), &view(View::Source("shops.rb".to_owned()))).expect_err("there is none");
    assert_eq!(error, ReportError::NotFound { what: "source file", name: "shops.rb".to_owned() });
}

#[test]
fn a_file_that_was_changed() {
    let profile = shop();
    let report = Report::parse(&view(View::Source("shop.rb".to_owned()))).expect("it makes sense");
    // Shorter than it was: the last line is shown without its text.
    let text = SHOP.lines().take(7).collect::<Vec<_>>().join("\n");
    let sources = HashMap::from([("app/shop.rb".to_owned(), SourceText::Text { text, changed: true })]);
    let subject = Subject::profile(&profile);
    let text = report.write(&subject, Surroundings { started: None, sources }).expect("it is sound").text;
    assert!(
        text.contains("    the file was changed after the profile was recorded: lines may not fit\n"),
        "{text}"
    );
    assert!(text.ends_with("         5ms      100ms     10\n"), "{text}");
}
