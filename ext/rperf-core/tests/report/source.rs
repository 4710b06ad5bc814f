//! `--source`.

use hashbrown::HashMap;
use rperf_core::report::{Report, ReportError, SourceText, Subject, Surroundings, View};

use crate::support::{SHOP, shop, text, view, write};
use crate::written::write_report;

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

/// As in all reports for people, but for a file that cannot be shown. JSON has the whole paths.
#[test]
fn paths_are_short() {
    let mut profile = shop();
    let places = ["/srv/shop/app/shop.rb", "/srv/shop/lib/tax.rb", "/b/gems/tax-1.2.0/lib/tax.rb"];
    for (function, path) in profile.functions.iter_mut().zip(places.into_iter().cycle()) {
        function.path = path.to_owned();
    }
    let write = |view: View, name: &str| {
        let source = SourceText::Text { text: SHOP.to_owned(), changed: false };
        let sources = HashMap::from([(name.to_owned(), source)]);
        let report = Report::parse(&crate::support::view(view)).expect("it makes sense");
        let surroundings = Surroundings { started: None, sources };
        write_report(&report, &Subject::profile(&profile), surroundings).expect("it is sound").text
    };
    let short = ["app/shop.rb", "lib/tax.rb", "tax-1.2.0/lib/tax.rb"];
    for (function, (path, short)) in profile.functions.iter().zip(places.into_iter().zip(short)) {
        let method = write(View::Method(format!("^{}$", function.label)), path);
        assert!(method.contains(&format!("\n{} ({short}", function.label)), "{method}");
        assert!(method.contains(&format!("\n  code: {short}\n")), "{method}");
        let source = write(View::Source(path.to_owned()), path);
        assert!(source.contains(&format!("\n  code: {short}\n")), "{source}");
        let gone = write(View::Source(path.to_owned()), "another.rb");
        assert!(gone.contains(&format!("\n  code: {path}\n    the file cannot be shown")), "{gone}");
    }
}

#[test]
fn a_file_that_was_changed() {
    let profile = shop();
    let report = Report::parse(&view(View::Source("shop.rb".to_owned()))).expect("it makes sense");
    // Shorter than it was: the last line is shown without its text.
    let text = SHOP.lines().take(7).collect::<Vec<_>>().join("\n");
    let sources = HashMap::from([("app/shop.rb".to_owned(), SourceText::Text { text, changed: true })]);
    let subject = Subject::profile(&profile);
    let text =
        write_report(&report, &subject, Surroundings { started: None, sources }).expect("it is sound").text;
    assert!(
        text.contains("    the file was changed after the profile was recorded: lines may not fit\n"),
        "{text}"
    );
    assert!(text.ends_with("         5ms      100ms     10\n"), "{text}");
}
