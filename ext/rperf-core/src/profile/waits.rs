//! Waits of threads off the GVL: what a thread waited for, by the method that waits and by the
//! methods that called it.

use hashbrown::HashMap;

use super::wait_kinds::WaitKind;
use super::wait_tables::kind_of;
use super::{Label, LabelValue, Profile, Sample, state_of};
use crate::ids::LabelSetId;
use crate::state::VmState;

/// Key of the label that shows [`Waits::kind`].
pub const WAIT: &str = "wait";

/// Maximum number of callers that are examined: a pool, or a client of the network, is near to the
/// method that waits.
const CALLERS: usize = 12;

/// Kinds of waits of the threads of a profile, by the tables or as the program calls them
/// ([`WaitKind`]).
pub struct Waits<'p> {
    profile: &'p Profile,
    added: Vec<WaitKind<'p>>,
}

impl<'p> Waits<'p> {
    /// Creates the kinds of waits of a profile.
    pub fn of(profile: &'p Profile) -> Self {
        let comments = profile.meta.comments.iter();
        Self { profile, added: comments.filter_map(|comment| WaitKind::read(comment)).collect() }
    }

    /// Creates the kinds of waits of a profile, unless the program has labels [`WAIT`].
    pub fn unless_given(profile: &'p Profile) -> Option<Self> {
        let is_given = profile.label_sets.iter().flatten().any(|label| label.key == WAIT);
        (!is_given).then(|| Self::of(profile))
    }

    /// Returns what the thread of a sample waited for off the GVL: `lock`, `queue`, `condition`,
    /// `pool`, `join`, `io`, `network`, `sleep`, `process`, `dns`, `other` or the program's name
    /// for it. It is `None` if the thread did not wait.
    pub fn kind(&self, sample: &Sample) -> Option<&'p str> {
        let profile = self.profile;
        let mut functions = profile.stack(sample).iter().map(|location| profile.function_at(*location));
        if state_of(functions.next()?) != VmState::GvlBlocked {
            return None;
        }
        let mut labels = functions.take(CALLERS + 1).map(|function| function.label.as_str());
        let added = labels.clone().find_map(|label| self.added(label));
        let by_tables = || labels.next().map_or("other", |method| kind_of(method, labels));
        Some(added.map_or_else(by_tables, |added| added.kind))
    }

    /// Returns the added kind with the longest name that is about this method; the first one of
    /// several with the same name.
    fn added(&self, label: &str) -> Option<&WaitKind<'p>> {
        let about = self.added.iter().rev().filter(|added| added.is_about(label));
        about.max_by_key(|added| added.method.len())
    }
}

impl Profile {
    /// Adds the label [`WAIT`] to samples off the GVL, unless the program gave them one.
    pub fn label_waits(&mut self) {
        let waits = Waits::of(self);
        let kinds: Vec<_> = self.samples.iter().map(|sample| waits.kind(sample).map(str::to_owned)).collect();
        let mut sets: HashMap<(LabelSetId, String), LabelSetId> = HashMap::new();
        for (sample, kind) in self.samples.iter_mut().zip(kinds) {
            let Some(kind) = kind else { continue };
            let key = (sample.label_set, kind);
            sample.label_set = *sets
                .entry(key)
                .or_insert_with_key(|(set, kind)| with_wait(&mut self.label_sets, *set, kind));
        }
    }
}

/// Returns the label set with this wait added.
fn with_wait(sets: &mut Vec<Vec<Label>>, set: LabelSetId, kind: &str) -> LabelSetId {
    let mut labels = sets[set.index()].clone();
    if labels.iter().any(|label| label.key == WAIT) {
        return set;
    }
    labels.push(Label { key: WAIT.to_owned(), value: LabelValue::Text(kind.to_owned()) });
    labels.sort();
    sets.push(labels);
    LabelSetId::from(sets.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ThreadSeq;
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Makes a profile of stacks from the leaf. `added` has kinds and methods.
    fn profile(stacks: &[&[&str]], added: &[(&str, &str)]) -> Profile {
        let comments = added.iter().map(|(kind, method)| WaitKind { kind, method }.write()).collect();
        let mut builder = Builder::new(Meta { comments, ..Meta::default() });
        for stack in stacks {
            let location = |label: &&str| {
                let path = if *label == "[GVL blocked]" { "<GVL>" } else { "a.rb" };
                let function = builder.intern_function(path, label, 0);
                builder.intern_location(function, 0)
            };
            let locations: Vec<_> = stack.iter().map(location).collect();
            builder.push(&locations, Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn wait_with(stack: &[&str], added: &[(&str, &str)]) -> Option<String> {
        let profile = profile(&[stack], added);
        Waits::of(&profile).kind(&profile.samples[0]).map(str::to_owned)
    }

    /// Returns the kind of a wait, given the blocked method and its callers.
    fn blocked(stack: &[&str]) -> String {
        let stack: Vec<_> = ["[GVL blocked]"].iter().chain(stack).copied().collect();
        wait_with(&stack, &[]).expect("it is blocked")
    }

    #[test]
    fn the_method_that_waits_says_for_what() {
        for (method, kind) in [
            ("Thread::Mutex#lock", "lock"),
            ("Monitor#synchronize", "lock"),
            ("Thread::Queue#pop", "queue"),
            ("Thread::ConditionVariable#wait", "condition"),
            ("Thread#join", "join"),
            ("Process.wait", "process"),
            ("Process.waitpid2", "process"),
            // Its time slice ended there.
            ("Process.clock_gettime", "other"),
            ("Kernel#`", "process"),
            ("Kernel#spawn", "process"),
            ("Kernel#sleep", "sleep"),
            ("Addrinfo.getaddrinfo", "dns"),
            ("TCPSocket#initialize", "network"),
            ("OpenSSL::SSL::SSLSocket#connect", "network"),
            ("PG::Connection#exec", "network"),
            ("Mysql2::Client#_query", "network"),
            ("Trilogy#query", "network"),
            ("IO#read", "io"),
            ("File#write", "io"),
            ("FileTest.exist?", "io"),
            ("ARGF.class#gets", "io"),
            ("IO::Buffer#write", "io"),
            ("Own#work", "other"),
        ] {
            assert_eq!(blocked(&[method, "main"]), kind, "{method}");
        }
        assert_eq!(blocked(&[]), "other");
    }

    #[test]
    fn what_runs_or_waits_for_the_gvl_waits_for_nothing() {
        assert_eq!(wait_with(&["Thread::Queue#pop", "main"], &[]), None);
        assert_eq!(wait_with(&[], &[]), None);
    }

    #[test]
    fn callers_say_more_about_a_lock_or_a_read() {
        let pool = "ConnectionPool::TimedStack#pop";
        assert_eq!(blocked(&["Thread::ConditionVariable#wait", pool]), "pool");
        assert_eq!(blocked(&["IO#wait_readable", "Net::BufferedIO#rbuf_fill", "Net::HTTP#get"]), "network");
        assert_eq!(blocked(&["IO.select", "Socket.tcp_with_fast_fallback", "Socket.tcp"]), "network");
        assert_eq!(
            blocked(&["IO#wait_writable", "Socket.tcp_without_fast_fallback", "Socket.tcp"]),
            "network"
        );
        assert_eq!(blocked(&["IO#read", "Object#answer", "Socket.tcp"]), "io", "its block");
        assert_eq!(blocked(&["IO.select", "Resolv::DNS::Requester#request"]), "dns");
        assert_eq!(blocked(&["Kernel#sleep", pool]), "sleep");
        let far: Vec<_> = ["Thread::Mutex#lock"].into_iter().chain(["x"; 12]).chain([pool]).collect();
        assert_eq!(blocked(&far), "lock");
    }

    #[test]
    fn what_a_block_waits_for_is_its_own() {
        for around in
            ["ConnectionPool#with", "ActiveRecord::ConnectionAdapters::ConnectionPool#with_connection"]
        {
            assert_eq!(blocked(&["Thread::Mutex#lock", "Shop#order", around]), "lock", "{around}");
        }
        assert_eq!(blocked(&["File#write", "Shop#log", "PG::Connection#transaction"]), "io");
        assert_eq!(blocked(&["Thread::Mutex#lock", "Net::BufferedIO#write"]), "lock");
    }

    #[test]
    fn the_program_knows_better() {
        let added = [("database", "PG::Connection#"), ("search", "Search#find"), ("pool", "Own::Pool#take")];
        let wait = |stack: &[&str]| wait_with(stack, &added);
        assert_eq!(
            wait(&["[GVL blocked]", "PG::Connection#exec", "Search#find"]).as_deref(),
            Some("database")
        );
        assert_eq!(wait(&["[GVL blocked]", "Kernel#sleep", "Search#find"]).as_deref(), Some("search"));
        assert_eq!(wait(&["[GVL blocked]", "Kernel#sleep", "Search#finder"]).as_deref(), Some("sleep"));
        assert_eq!(wait(&["Kernel#sleep", "Search#find"]), None);
        let locks =
            profile(&[&["[GVL blocked]", "Thread::Queue#pop", "Own::Pool#take"]], &added).blocked(true);
        assert_eq!(locks.total(), Nanos(1));
    }

    #[test]
    fn the_longest_name_counts() {
        let wait = |added: &[(&str, &str)]| {
            ["A::B#c", "A::B#d", "A::C#d"]
                .map(|method| wait_with(&["[GVL blocked]", method], added).expect("it is blocked"))
        };
        let [outer, class, method] = [("outer", "A::"), ("class", "A::B#"), ("method", "A::B#c")];
        assert_eq!(wait(&[outer, class, method]), ["method", "class", "outer"]);
        assert_eq!(wait(&[method, class, outer, ("last", "A::B#c")]), ["method", "class", "outer"]);
    }

    #[test]
    fn waits_become_labels() {
        let mut profile =
            profile(&[&["[GVL blocked]", "IO#read"], &["work"], &["[GVL blocked]", "IO#gets"]], &[]);
        profile.label_waits();
        let of = |index: usize| profile.label_sets[profile.samples[index].label_set.index()].clone();
        let label = |value: &str| Label { key: WAIT.to_owned(), value: LabelValue::Text(value.to_owned()) };
        assert_eq!([of(0), of(1), of(2)], [vec![label("io")], Vec::new(), vec![label("io")]]);
        assert_eq!(profile.check(), Ok(()));
        profile.label_sets[1][0] = label("of the program");
        profile.label_waits();
        assert_eq!(profile.label_sets.len(), 2);
    }
}
