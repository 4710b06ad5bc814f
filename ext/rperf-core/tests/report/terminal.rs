//! Reports on a terminal.

use hashbrown::HashSet;
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Meta, Process, Profile, Thread, ValueType};
use rperf_core::query::QueryOptions;
use rperf_core::report::{Limits, ReportOptions, Terminal, View};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame, meta};
use crate::support::{shop, text};

fn on_terminal(view: View, colour: bool) -> ReportOptions {
    ReportOptions { terminal: Some(Terminal { colour, columns: None }), ..crate::support::view(view) }
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
        let expected = text(&shop(), &on_terminal(it.clone(), false));
        let coloured = text(&shop(), &on_terminal(it.clone(), true));
        assert_eq!(plain(&coloured), expected);
        assert_eq!(coloured == expected, it == View::Comments, "{it:?} is coloured");
    }
}

#[test]
fn names_cannot_command_a_terminal() {
    let mut profile = fixture::mixed();
    let hostile = "\x1b]0;title\x07\u{9b}2J\nname";
    profile.functions.iter_mut().for_each(|function| function.label.insert_str(0, hostile));
    profile.label_sets.iter_mut().flatten().for_each(|label| label.key.insert_str(0, hostile));
    profile.functions.iter_mut().for_each(|function| function.path.insert_str(0, hostile));
    profile.threads.iter_mut().for_each(|thread| thread.name.insert_str(0, hostile));
    profile.meta.comments.push(hostile.to_owned());
    profile.meta.value_types = ValueType::new(hostile, hostile).into();
    let key = profile.label_sets.iter().flatten().next().expect("there is a label").key.clone();
    let views = [
        View::Top,
        View::Tree,
        View::Peek(".".to_owned()),
        View::Traces,
        View::Labels,
        View::By(key),
        View::By("thread".to_owned()),
        View::Comments,
        View::Method(".".to_owned()),
    ];
    for it in views {
        let shown = text(&profile, &on_terminal(it.clone(), false));
        assert!(
            !shown.contains(|char: char| char.is_control() && char != '\n' && char != '\t'),
            "{it:?}: {shown:?}"
        );
        assert!(shown.contains("\u{fffd}]0;title\u{fffd}\u{fffd}2J\u{fffd}name"), "{it:?}: {shown:?}");
    }
}

/// The shop, with blocks, required files, and a name that is too long for a line.
fn many_names() -> Profile {
    let mut profile = shop();
    profile.meta.comments = vec!["dropped: 1 sample, 2780 ns: no frames".to_owned()];
    profile.functions[0].path = "/srv/shop/bin.rb".to_owned();
    profile.functions[5].label = "Very::Long::Namespaces::Of::Many::Modules::Adapter#execute".to_owned();
    profile.functions[5].path = "/b/gems/tax-1.2.0/lib/tax.rb".to_owned();
    profile
}

fn lines(view: View, columns: usize, query: QueryOptions) -> Vec<String> {
    let terminal = Some(Terminal { colour: false, columns: Some(columns) });
    let options = ReportOptions { terminal, query, ..crate::support::view(view) };
    text(&many_names(), &options).lines().map(str::to_owned).collect()
}

#[test]
fn three_lines_at_most_come_before_the_first_row() {
    let filtered = QueryOptions {
        focus: Some("total".to_owned()),
        ignore: Some("nothing".to_owned()),
        ..QueryOptions::default()
    };
    for query in [QueryOptions::default(), filtered] {
        for it in [View::Top, View::Tree, View::Traces] {
            let lines = lines(it.clone(), 200, query.clone());
            let is_row = |line: &String| line.contains("ms ") || line.contains("thread_seq");
            let first = lines.iter().position(|line| is_row(line) && !line.starts_with("Total:"));
            let first = first.expect("there is a row");
            assert!(first <= 3, "{it:?}: {lines:#?}");
            assert!(lines[0].starts_with("Total: 100ms cpu in "), "{}", lines[0]);
        }
    }
}

#[test]
fn what_was_lost_is_said_below() {
    assert_eq!(
        lines(View::Top, 80, QueryOptions::default()).pop().as_deref(),
        Some("dropped: 1 sample, 2.78us: no frames")
    );
}

#[test]
fn functions_have_their_places() {
    let text = lines(View::Top, 200, QueryOptions::default()).join("\n");
    assert!(text.contains("  <main> bin.rb\n"), "{text}");
    assert!(text.contains("  block in Shop#total:3\n"), "{text}");
}

#[test]
fn a_value_of_a_label_fits_into_its_line() {
    let mut builder = Builder::new(Meta::default());
    let main = frame(&mut builder, "app.rb", "<main>", 1, 1);
    let path = fixture::text("endpoint", &format!("GET /orders/{}", "a".repeat(80)));
    let labels = builder.intern_label_set(&[path]);
    builder.push(&[main], Nanos(1_000_000), 1, ThreadSeq(1), labels);
    let profile = builder.build();
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let options = ReportOptions { terminal, ..crate::support::view(View::Labels) };
    let report = text(&profile, &options);
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    assert!(report.contains("(  100%): GET /orders/aaaa") && report.contains("a\u{2026}\n"), "{report}");
    let traces = text(&profile, &ReportOptions { terminal, ..crate::support::view(View::Traces) });
    assert!(traces.lines().all(|line| line.chars().count() <= 80), "{traces}");
    assert!(traces.contains("  endpoint:  GET /orders/aaaa") && traces.contains("a\u{2026}\n"), "{traces}");
    for view in [View::Labels, View::Traces] {
        let piped = text(&profile, &crate::support::view(view));
        assert!(piped.contains(&format!("{}\n", "a".repeat(80))), "{piped}");
    }
}

#[test]
fn endpoints_of_one_path_are_told_apart() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let main = frame(&mut builder, "app.rb", "<main>", 1, 1);
    for endpoint in ["GET /shops/:shop_id/orders/:id", "PATCH /shops/:shop_id/orders/:id"] {
        let action = if endpoint.starts_with("GET") { "show" } else { "update" };
        let name = format!("{endpoint} Admin::OrdersController#{action}");
        let labels = builder.intern_label_set(&[fixture::text("endpoint", &name)]);
        builder.push(&[main], Nanos(1_000_000), 1, ThreadSeq(1), labels);
    }
    let profile = builder.build();
    let terminal = Some(Terminal { colour: false, columns: Some(60) });
    let by = View::By("endpoint".to_owned());
    for (view, path) in [(by, "\u{2026}"), (View::Labels, "\u{2026}"), (View::Traces, "/shops")] {
        let report = text(&profile, &ReportOptions { terminal, ..crate::support::view(view) });
        for (verb, action) in [("GET", "show"), ("PATCH", "update")] {
            let line = report.lines().find(|line| line.contains(verb)).expect("it is shown").trim_end();
            assert!(line.contains(&format!(" {verb} {path}")) && line.chars().count() <= 60, "{report}");
            assert!(line.contains(&format!("Controller#{action}")), "{report}");
        }
    }
}

/// The view `--by` on a terminal of this width.
fn by(profile: &Profile, key: &str, columns: usize) -> String {
    let terminal = Some(Terminal { colour: false, columns: Some(columns) });
    let view = View::By(key.to_owned());
    text(profile, &ReportOptions { terminal, ..crate::support::view(view) })
}

#[test]
fn endpoints_of_one_action_are_told_apart() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let main = frame(&mut builder, "app.rb", "<main>", 1, 1);
    for path in ["/issues", "/projects/:project_id/issues"] {
        let labels = builder
            .intern_label_set(&[fixture::text("endpoint", &format!("GET {path} IssuesController#index"))]);
        builder.push(&[main], Nanos(1_000_000), 1, ThreadSeq(1), labels);
    }
    let report = by(&builder.build(), "endpoint", 90);
    for name in ["GET /issues IssuesController#index  ", "GET /project\u{2026} IssuesController#index"] {
        assert!(report.contains(&format!("  {name}  <main>")), "{report}");
    }
}

#[test]
fn processes_of_one_command_are_told_apart() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let main = frame(&mut builder, "app.rb", "<main>", 1, 1);
    for (seq, pid) in [(1, 4_190_012), (2, 14_654)] {
        let command = "ruby puppet apply --confdir /etc/puppet".to_owned();
        let process = builder.intern_process(&Process { pid, ppid: 14_610, command });
        let name = "worker pool".to_owned();
        builder.push_thread(Thread {
            seq: ThreadSeq(seq),
            name,
            process: Some(process),
            ..Thread::default()
        });
        builder.push(&[main], Nanos(1_000_000), 1, ThreadSeq(seq), LabelSetId(0));
    }
    let profile = builder.build();
    let report = by(&profile, "process", 80);
    for name in ["ruby puppet a\u{2026} (pid 14654)", "ruby puppet\u{2026} (pid 4190012)"] {
        assert!(report.contains(&format!("  {name}  <main>")), "{report}");
    }
    let report = by(&profile, "thread", 80);
    assert!(report.contains("  worker pool (thread 2)  "), "{report}");
}

#[test]
fn threads_with_one_long_name_are_told_apart() {
    let mut builder = Builder::new(meta(Mode::Wall));
    let main = frame(&mut builder, "app.rb", "<main>", 1, 1);
    for seq in [11, 12] {
        let name = "sidekiq.default/processor".to_owned();
        builder.push_thread(Thread { seq: ThreadSeq(seq), name, ..Thread::default() });
        builder.push(&[main], Nanos(1_000_000), 1, ThreadSeq(seq), LabelSetId(0));
    }
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let options = ReportOptions { terminal, ..crate::support::view(View::By("thread".to_owned())) };
    let report = text(&builder.build(), &options);
    for thread in ["(thread 11)", "(thread 12)"] {
        assert!(report.contains(&format!("  sidekiq.defau\u{2026} {thread}  <main>")), "{report}");
    }
}

#[test]
fn a_name_that_is_too_long_keeps_its_method() {
    for (view, columns) in [(View::Top, 80), (View::Tree, 90), (View::Traces, 50)] {
        let lines = lines(view, columns, QueryOptions::default());
        let row = lines.iter().find(|line| line.contains("Adapter#execute")).expect("it is there");
        assert!(row.contains('\u{2026}') && row.trim_end().chars().count() <= columns, "{row}");
    }
}

#[test]
fn reports_fit_on_a_narrow_terminal() {
    let views =
        [View::Top, View::Tree, View::By("thread_seq".to_owned()), View::Method("Shop#price".to_owned())];
    for (view, columns) in views.into_iter().flat_map(|view| [80, 84, 120].map(|it| (view.clone(), it))) {
        let lines = lines(view.clone(), columns, QueryOptions::default());
        let is_short = |line: &String| line.trim_end().chars().count() <= columns;
        assert!(lines.iter().all(is_short), "{view:?}, {columns}: {lines:#?}");
    }
    let tree = lines(View::Tree, 80, QueryOptions::default());
    assert_eq!(tree[1], "      flat  flat%   sum%        cum   cum% + context", "{tree:#?}");
    let bars: HashSet<_> = tree.iter().filter_map(|line| line.find(['|', '+'])).collect();
    assert_eq!(bars.len(), 1, "{tree:#?}");
}

#[test]
fn headings_of_a_method_fit_on_a_narrow_terminal() {
    let method = |name: &str, columns| lines(View::Method(name.to_owned()), columns, QueryOptions::default());
    let name = "Very::Long::Namespaces::Of::Many::Modules::Adapter#execute";
    assert!(method("Adapter#execute", 84).contains(&format!("{name} (tax-1.2.0/lib/tax.rb:20)")));
    assert!(
        method("Adapter#execute", 83).join("\n").contains(&format!("{name}\n  at tax-1.2.0/lib/tax.rb:20\n"))
    );
    let narrow = method("Adapter#execute", 40).join("\n");
    assert!(narrow.contains("\n\u{2026}Of::Many::Modules::Adapter#execute\n  at tax"), "{narrow}");
    assert!(method("Shop#price", 19).contains(&"  code: app/shop.rb".to_owned()));
    assert!(method("Shop#price", 18).contains(&"  code: \u{2026}p/shop.rb".to_owned()));
}

#[test]
fn code_that_is_too_long_goes_on_below_itself() {
    let source = |columns| lines(View::Source("shop.rb".to_owned()), columns, QueryOptions::default());
    let narrow = source(60).join("\n");
    let expected = "
        20ms       95ms      3 |     @items.sum { |item| pri
                               | ce(item) }
           .          .      4 |   end
";
    assert!(narrow.contains(expected), "{narrow}");
    assert!(
        source(80)
            .contains(&"        20ms       95ms      3 |     @items.sum { |item| price(item) }".to_owned())
    );
}

#[test]
fn peek_says_that_functions_of_one_name_count_as_one() {
    let mut profile = shop();
    let peek = |profile: &Profile, pattern: &str| {
        text(profile, &on_terminal(View::Peek(pattern.to_owned()), false)).lines().last().map(str::to_owned)
    };
    assert!(peek(&profile, "price|sum").is_some_and(|line| line.ends_with("+-------------")));
    profile.functions[2].label = "Shop#price".to_owned();
    let line = "Shop#price is in 2 files: its functions count as one (see --method)";
    assert_eq!(peek(&profile, "price").as_deref(), Some(line));
    profile.functions[5].label = "<main>".to_owned();
    let line = "2 names are in several files: their functions count as one (see --method)";
    assert_eq!(peek(&profile, ".").as_deref(), Some(line));
    for options in [on_terminal(View::Tree, false), crate::support::view(View::Peek("price".to_owned()))] {
        assert!(!text(&profile, &options).contains("count as one"));
    }
}

#[test]
fn what_is_not_shown_fits_on_a_narrow_terminal() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    for number in 1..=130 {
        let function = frame(&mut builder, "app.rb", &format!("Many#method_{number}"), 1, 1);
        builder.push(&[function], Nanos(number), 1, ThreadSeq(1), LabelSetId(0));
    }
    let limits = Limits { count: Some(5), fraction: Some(0.005) };
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let report = text(&builder.build(), &ReportOptions { terminal, limits, ..ReportOptions::default() });
    let line = report.lines().find(|line| line.contains("of 130 functions")).expect("some are left out");
    assert_eq!(line, "125 of 130 functions not shown (--nodecount 0 --nodefraction 0 shows them)");
}

/// The rows of a table, and what stands below it.
fn rows(profile: &Profile, tagleaf: Option<&str>) -> Vec<String> {
    let query = QueryOptions { tagleaf: tagleaf.map(str::to_owned), ..QueryOptions::default() };
    let text = text(profile, &ReportOptions { query, ..on_terminal(View::Top, false) });
    text.lines().skip_while(|line| !line.contains("flat%")).skip(1).map(str::to_owned).collect()
}

#[test]
fn of_functions_without_own_weight_the_heaviest_come_first() {
    let rows = rows(&shop(), Some("thread_seq"));
    let callers = rows.iter().filter(|row| row.trim_start().starts_with("0 "));
    let names: Vec<_> = callers.filter_map(|row| row.rsplit("%  ").next()).collect();
    let heaviest = ["<main> app/shop.rb", "Array#sum", "Shop#total", "block in Shop#total:3", "Shop#price"];
    assert_eq!(names[..5], heaviest, "{rows:#?}");
}

#[test]
fn classes_of_objects_are_not_taken_for_methods() {
    let mut profile = shop();
    let hint = "the leaves are classes of objects (--tagleaf '': the methods that make them)";
    assert!(!rows(&profile, None).iter().any(|line| line == hint));
    profile.meta.mode = Mode::Alloc;
    assert_eq!(rows(&profile, None).last().map(String::as_str), Some(hint));
    assert!(!rows(&profile, Some("")).iter().any(|line| line == hint));
}
