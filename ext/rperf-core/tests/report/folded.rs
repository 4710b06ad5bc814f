//! Threads that wait for work.

use rperf_core::format::{Encoding, Format, decode, encode};
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Meta, Process, Profile, Thread, ValueType, ValueTypes};
use rperf_core::report::{Layout, Report, ReportOptions, Subject, Surroundings, Terminal, View};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use serde_json::{Value, json};

use crate::fixture::{frame, meta};
use crate::support::{text, view};
use crate::written::write_report;

const LINE: &str = "3 threads x 10.0s, 27.0s idle folded; --idle shows them";

/// Two workers of one name, which wait for 8 and 9 of 10 seconds, and the main thread.
fn pool() -> Profile {
    let mut builder = Builder::new(meta(Mode::Wall));
    let process = builder.intern_process(&Process { pid: 7, ppid: 1, command: "pool".to_owned() });
    for (seq, name) in [(1, "main"), (2, "worker"), (3, "worker")] {
        let (name, process) = (name.to_owned(), Some(process));
        builder.push_thread(Thread { seq: ThreadSeq(seq), name, native_id: seq, process });
    }
    let blocked = frame(&mut builder, "<GVL>", "[GVL blocked]", 0, 0);
    let mut method = |name: &str| frame(&mut builder, "pool.rb", name, 1, 2);
    let [pop, join, work] = ["Thread::Queue#pop", "Thread#join", "Pool#work"].map(&mut method);
    let mut push = |thread, stack: &[_], seconds: u64| {
        builder.push(stack, Nanos(seconds * 1_000_000_000), 1, ThreadSeq(thread), LabelSetId(0));
    };
    push(1, &[blocked, join], 10);
    push(2, &[blocked, pop], 8);
    push(2, &[work], 2);
    push(3, &[blocked, pop], 9);
    push(3, &[work], 1);
    builder.build()
}

fn json(view: View, idle: bool) -> Value {
    let options = ReportOptions { view, idle, layout: Layout::Json, ..ReportOptions::default() };
    serde_json::from_str(&text(&pool(), &options)).expect("it is JSON")
}

#[test]
fn waiting_for_work_is_left_out_in_a_line() {
    let folded = text(&pool(), &view(View::Top));
    assert!(folded.contains(&format!("\n{LINE}\n")), "{folded}");
    assert!(folded.contains("        3s   100%   100%         3s   100%  Pool#work\n"), "{folded}");
    assert!(!folded.contains("Queue#pop"), "{folded}");
    let all = text(&pool(), &ReportOptions { idle: true, ..view(View::Top) });
    assert!(!all.contains("idle folded") && all.contains("Queue#pop"), "{all}");
    assert!(all.contains("Total samples = 30s"), "{all}");
}

#[test]
fn scripts_are_told_both() {
    let idle = |folded: bool| {
        let (thread_weight, weight, total) = (30_000_000_000u64, 27_000_000_000u64, 30_000_000_000u64);
        json!({"threads": 3, "thread_weight": thread_weight, "weight": weight, "folded": folded, "total": total})
    };
    let (folded, all) = (json(View::Top, false), json(View::Top, true));
    assert_eq!((&folded["total"], &folded["idle"]), (&json!(3_000_000_000u64), &idle(true)));
    assert_eq!((&all["total"], &all["idle"]), (&json!(30_000_000_000u64), &idle(false)));
}

/// The same on both sides, where one of the workers does more in the target.
#[test]
fn a_difference_leaves_it_out_of_both() {
    let mut target = pool();
    target.samples[2].weight = Nanos(6_000_000_000);
    let base = pool();
    let subject = Subject::difference(&base, &target);
    let written = |options: &ReportOptions| {
        let report = Report::parse(options).expect("the options make sense");
        write_report(&report, &subject, Surroundings::default()).expect("it can be written").text
    };
    let json = |idle| -> Value {
        let options = ReportOptions { idle, layout: Layout::Json, ..ReportOptions::default() };
        serde_json::from_str(&written(&options)).expect("it is JSON")
    };
    let folded = written(&ReportOptions::default());
    let line = "before 3 threads x 10.0s, 27.0s idle, after 3 threads x 11.3s, 27.0s idle folded; \
                --idle shows them";
    assert!(folded.lines().any(|shown| shown == line) && !folded.contains("Thread#join"), "{folded}");
    let (some, all) = (json(false), json(true));
    assert_eq!((&some["total"], &some["total_after"]), (&json!(3_000_000_000u64), &json!(7_000_000_000u64)));
    assert_eq!((&all["total"], &all["idle"]["folded"]), (&json!(30_000_000_000u64), &json!(false)));
    let totals = ["total", "weight"].map(|name| [&some["idle"], &some["idle"]["before"]].map(|it| &it[name]));
    let [whole, idle] = [[34, 30], [27, 27]].map(|pair| pair.map(|it| json!(it * 1_000_000_000u64)));
    assert_eq!(totals, [whole.each_ref(), idle.each_ref()]);
    let grown = |idle| {
        let options = ReportOptions { idle, ..ReportOptions::default() };
        let report = Report::parse(&options).expect("the options make sense");
        report.growth(&subject, 50.0).expect("they can be compared").by_chance.is_some()
    };
    assert_eq!([false, true].map(grown), [true, false]);
}

#[test]
fn each_thread_and_each_process_has_a_row() {
    let names = |key: &str, idle| -> Vec<String> {
        let document = json(View::By(key.to_owned()), idle);
        let values = document["values"].as_array().expect("it is a list");
        values.iter().map(|value| value["name"].as_str().expect("it has a name").to_owned()).collect()
    };
    assert_eq!(names("thread", false), ["worker (thread 2)", "worker (thread 3)"]);
    assert_eq!(names("thread", true), ["main (thread 1)", "worker (thread 2)", "worker (thread 3)"]);
    assert_eq!(names("process", false), ["pool (pid 7, parent 1)"]);
}

/// Two threads that sleep for two seconds, one of them twenty times.
fn sleepers(value_types: ValueTypes) -> Profile {
    let mut builder = Builder::new(Meta { value_types, ..meta(Mode::Wall) });
    let blocked = frame(&mut builder, "<GVL>", "[GVL blocked]", 0, 0);
    let [sleep, work] = ["Kernel#sleep", "Pool#work"].map(|name| frame(&mut builder, "pool.rb", name, 1, 2));
    for (thread, stack, count) in [(1, &[work][..], 1), (2, &[blocked, sleep], 20), (3, &[blocked, sleep], 1)]
    {
        builder.push_values(stack, &[2_000_000_000, 0], count, ThreadSeq(thread), LabelSetId(0));
    }
    builder.build()
}

/// `rperf record` says it of what it writes, `rperf report` of what it reads.
#[test]
fn what_is_read_says_the_same() {
    let two = ValueTypes::new(vec![ValueType::time("wall"), ValueType::time("gvl_wait_caused")], 0);
    for profile in [pool(), sleepers(ValueTypes::default()), sleepers(two)] {
        let line = |profile: &Profile| profile.idle().map(|idle| idle.line("nanoseconds"));
        for format in [Format::Pprof, Format::Json] {
            let bytes = encode(&profile, format).expect("the profile is sound");
            let again = decode(&bytes).expect("what was written can be read");
            assert_eq!(line(&again), line(&profile), "{format:?}");
        }
        assert!(line(&profile).is_some_and(|line| line == LINE || line.starts_with("1 thread x 2.0s, 2.0s")));
    }
}

/// Views of a terminal, and what is about a method, are told in a line, too.
#[test]
fn every_view_says_what_is_left_out() {
    let terminal = Some(Terminal::default());
    let method = View::Method("Pool#work".to_owned());
    for options in [View::Top, View::Tree, View::Traces, View::Labels, View::By("thread".to_owned())]
        .map(|it| ReportOptions { terminal, ..view(it) })
        .into_iter()
        .chain([view(method.clone()), ReportOptions { terminal, ..view(method) }])
    {
        let shown = text(&pool(), &options);
        assert_eq!(shown.lines().filter(|line| *line == LINE).count(), 1, "{:?}: {shown}", options.view);
        let all = text(&pool(), &ReportOptions { idle: true, ..options });
        assert!(!all.contains("folded"), "{all}");
    }
}

#[test]
fn files_for_people_leave_it_out_and_files_of_data_do_not() {
    let bytes = |format: Format, idle: bool| {
        let encoding = Encoding::from(format).with_idle(idle);
        let bytes = encode(&pool(), encoding).expect("the profile is sound");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    for format in [Format::Text, Format::Markdown] {
        let (folded, all) = (bytes(format, false), bytes(format, true));
        assert!(folded.contains(LINE) && !folded.contains("Queue#pop"), "{folded}");
        assert!(!all.contains("folded") && all.contains("Queue#pop"), "{all}");
        let total = |text: &str| text.lines().find(|line| line.contains("Total: ")).map(str::to_owned);
        let [rest, whole] = [&folded, &all].map(|text| total(text).expect("it says the total"));
        assert!(rest.contains("3.00") && whole.contains("30.00"), "{rest} {whole}");
    }
    for format in [Format::Json, Format::Collapsed, Format::Firefox, Format::Callgrind, Format::Dot] {
        assert!(bytes(format, false).contains("Queue#pop"), "{format:?}");
    }
}
