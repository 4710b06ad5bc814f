//! Each cause of a change, with and without a real one.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Chance, Comparison, INSTRUCTION_PATH, Meta, Profile, diff};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use crate::support::{beyond, beyond_of, of_several, profile, profile_below, recordings};

#[test]
fn more_ticks_see_smaller_changes() {
    let changed = |factor: u64| {
        let base = profile(&[("a", 30 * factor), ("b", 70 * factor)]);
        let target = profile(&[("a", 60 * factor), ("b", 70 * factor)]);
        beyond(&base, &target).contains(&"a".to_owned())
    };
    assert_eq!([1, 10, 100].map(changed), [false, true, true]);
}

#[test]
fn a_slower_machine_explains_what_grew_as_the_total_did() {
    let base = profile(&[("a", 30_000), ("b", 70_000)]);
    assert!(beyond(&base, &profile(&[("a", 57_000), ("b", 133_000)])).is_empty());
    assert_eq!(beyond(&base, &profile(&[("a", 66_000), ("b", 72_000)])), ["a"]);
    assert_eq!(beyond(&base, &profile(&[("a", 66_000), ("b", 154_000)])), ["main"]);
    assert_eq!(beyond(&base, &profile(&[("a", 10_000), ("b", 70_000)])), ["a"]);
}

const EVEN: [[u64; 2]; 3] = [[10_000, 90_000], [10_100, 90_900], [9_900, 89_100]];

#[test]
fn several_recordings_say_how_fast_the_machine_is() {
    let faster = EVEN.map(|ticks| ticks.map(|count| count * 11 / 10));
    let comparison = of_several(&recordings(&EVEN), &recordings(&faster));
    let chance = Chance::of(&comparison.base, &comparison.target);
    assert!((1.02..1.04).contains(&chance.speed), "{}", chance.speed);
    assert!(beyond_of(&EVEN, &faster).contains(&"main".to_owned()));
    let uneven = [[13_000, 117_000], [11_000, 99_000], [9_000, 81_000]];
    assert_eq!(beyond_of(&EVEN, &uneven), [""; 0]);
    assert_eq!(beyond_of(&EVEN[..1], &faster[..1]), [""; 0]);
}

#[test]
fn several_recordings_say_how_alike_functions_are() {
    let grown = EVEN.map(|[a, b]| [a * 12 / 10, b]);
    assert_eq!(beyond_of(&EVEN, &grown), ["a"]);
    assert_eq!(beyond_of(&EVEN[..1], &grown[..1]), [""; 0], "one recording may differ by as much");
    let uneven = [[12_000, 90_000], [9_000, 90_000], [15_000, 90_000]];
    assert_eq!(beyond_of(&EVEN, &uneven), [""; 0]);
    assert_eq!(beyond_of(&EVEN, &uneven.map(|[a, b]| [a * 4, b])), ["main", "a"]);
}

#[test]
fn callers_without_own_time_do_not_make_functions_alike() {
    let unevenness = |callers: &[&str]| {
        let of = |a: u64| profile_below(callers, &[("a", a), ("b", 90)]);
        let comparison = of_several(&[90, 60, 120].map(of), &[90, 60, 120].map(of));
        Chance::of(&comparison.base, &comparison.target).unevenness
    };
    let one = unevenness(&["main"]);
    assert!(one > 0.05, "{one}");
    assert_eq!(unevenness(&["work", "block in run", "run", "start", "main"]), one);
}

#[test]
fn three_recordings_find_a_third_more_of_a_tenth() {
    let base = [[100, 900], [108, 905], [95, 890]];
    let target = [[140, 904], [131, 902], [128, 895]];
    assert_eq!(beyond_of(&base, &target), ["a"]);
    assert_eq!(beyond_of(&base, &[[103, 904], [94, 902], [106, 895]]), [""; 0]);
}

/// 10,000 ticks of a method, and a state for so many milliseconds, in the method and elsewhere.
fn with_state(state: VmState, inside: u64, elsewhere: u64) -> Profile {
    let frame = [state.path(), state.label()].map(|name| name.expect("it has a frame"));
    with_leaf(frame, inside, elsewhere, 10_000)
}

fn with_leaf([path, label]: [&str; 2], inside: u64, elsewhere: u64, own: u64) -> Profile {
    let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
    let [leaf, method, other] = [(path, label), ("a.rb", "method"), ("a.rb", "other")].map(|it| {
        let function = builder.intern_function(it.0, it.1, 0);
        builder.intern_location(function, 0)
    });
    let stacks = [
        (vec![method], own),
        (vec![leaf, method], inside),
        (vec![leaf, other], elsewhere),
        (vec![other], 10_000),
    ];
    for (stack, count) in stacks {
        builder.push(&stack, Nanos(count * 1_000_000), count, ThreadSeq(1), LabelSetId(0));
    }
    builder.build()
}

#[test]
fn where_the_collector_begins_is_chance_but_not_how_much_it_does() {
    let base = with_state(VmState::GcSweep, 2000, 0);
    assert_eq!(beyond(&base, &with_state(VmState::GcSweep, 0, 2000)), [""; 0]);
    assert_eq!(beyond(&base, &with_state(VmState::GcSweep, 3000, 0)), [""; 0]);
    assert_eq!(beyond(&base, &with_state(VmState::GcSweep, 8000, 0)), ["[GC sweeping]"]);
}

#[test]
fn so_is_where_threads_wait() {
    let base = with_state(VmState::GvlBlocked, 1000, 1000);
    assert_eq!(beyond(&base, &with_state(VmState::GvlBlocked, 1900, 1200)), [""; 0]);
    assert_eq!(beyond(&base, &with_state(VmState::GvlBlocked, 9000, 1000)), ["[GVL blocked]"]);
}

/// How long each method waits for itself is known: it sleeps, or reads a file.
#[test]
fn a_method_that_waits_for_no_other_thread_waits_four_times_as_long() {
    let grown = |method: &str, factor: u64| {
        let wait = |times: u64| {
            let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
            let blocked = [VmState::GvlBlocked.path(), VmState::GvlBlocked.label()].map(Option::unwrap);
            let frames =
                [(blocked[0], blocked[1]), ("<C method>", method), ("a.rb", "query"), ("a.rb", "main")];
            let stack = frames.map(|(path, label)| {
                let function = builder.intern_function(path, label, 0);
                builder.intern_location(function, 0)
            });
            builder.push(&stack, Nanos(times * 200_000_000), 0, ThreadSeq(1), LabelSetId(0));
            builder.push(&stack[3..], Nanos(200_000_000), 200, ThreadSeq(1), LabelSetId(0));
            builder.build()
        };
        beyond(&wait(1), &wait(factor)).contains(&"query".to_owned())
    };
    assert!(grown("Kernel#sleep", 4) && grown("TCPSocket#initialize", 4));
    assert!(!grown("Thread::Mutex#lock", 4) && !grown("File#flock", 4) && !grown("Own#work", 4));
    assert!(!grown("Kernel#sleep", 2), "the machine may be slower");
}

/// The total is twice as long on a slow machine, and then threads wait longer for the GVL, too.
#[test]
fn the_total_is_as_uncertain_as_its_waits() {
    let grown = |wait| {
        let [base, target] = [1000, wait].map(|wait| with_state(VmState::GvlWait, wait, 0));
        let total = diff(&base, &target).expect("they measure the same").total;
        Chance::of(&base, &target).is_exceeded_by(total)
    };
    assert!(!grown(40_000) && grown(400_000));
}

#[test]
fn waiting_for_a_processor_is_the_machines() {
    let base = with_state(VmState::CpuWait, 100, 100);
    for target in [(90_000, 100), (100, 90_000), (0, 0)] {
        let target = with_state(VmState::CpuWait, target.0, target.1);
        assert_eq!(beyond(&base, &target), [""; 0]);
        let chance = Chance::of(&base, &target);
        let rows = diff(&base, &target).expect("they measure the same").functions;
        let wait = rows.iter().find(|row| row.label == "[CPU wait]").expect("it is shown");
        assert!(chance.margin(wait.self_time) >= wait.self_time.delta().unsigned_abs() as f64);
    }
}

#[test]
fn a_busy_machine_hides_no_change_of_the_program() {
    let leaf = [VmState::CpuWait.path(), VmState::CpuWait.label()].map(|name| name.expect("it has one"));
    let [base, target] = [(100, 10_000), (5000, 60_000)].map(|(wait, own)| with_leaf(leaf, wait, wait, own));
    assert_eq!(beyond(&base, &target), ["method"]);
}

/// A thread that lacks a processor stands at one method, and each tick meets it there.
#[test]
fn ticks_beside_waiting_for_a_processor_count_less() {
    let margin = |wait| {
        let profile = with_state(VmState::CpuWait, wait, 0);
        let change = diff(&profile, &profile).expect("it is the same").functions[1].self_time;
        let chance = Chance::of(&profile, &profile);
        (chance.unevenness, chance.margin(change))
    };
    assert_eq!(margin(0).0, margin(60_000).0);
    assert!(margin(60_000).1 > margin(0).1);
}

#[test]
fn how_long_recordings_wait_for_a_processor_says_nothing_about_their_speed() {
    let side = [0, 4000, 40_000].map(|wait| with_state(VmState::CpuWait, wait, 0));
    let Comparison { base, target } = of_several(&side, &side);
    assert_eq!(Chance::of(&base, &target).speed, 1.0);
    assert_eq!(beyond(&base, &target), [""; 0]);
}

#[test]
fn so_is_at_how_many_short_instructions_a_tick_is_found() {
    let found = |path| {
        let few_and_many = |many, few| with_leaf([path, "Hash#[]"], many, 0, few);
        beyond(&few_and_many(3000, 5000), &few_and_many(300, 7700))
    };
    assert_eq!(found(INSTRUCTION_PATH), [""; 0]);
    assert_eq!(found("a.rb"), ["Hash#[]", "method"]);
}

#[test]
fn nothing_before_and_nothing_now() {
    let (something, nothing) = (profile(&[("a", 1000)]), profile(&[]));
    assert_eq!(beyond(&nothing, &something), ["main", "a"]);
    assert_eq!(beyond(&something, &nothing), ["main", "a"]);
    assert_eq!(beyond(&nothing, &nothing), [""; 0]);
}
