//! What threads waited for while they were off the GVL: told by the method that waits, and by those
//! that called it.

use super::{Profile, Sample, state_of};
use crate::state::VmState;

/// The key under which [`Profile::wait_of`] is shown.
pub const WAIT: &str = "wait";

/// Callers that are looked at: a pool, or a client of the network, is near to the method that
/// waits.
const CALLERS: usize = 12;

/// What a method that waits, or one that called it, says about the wait. The first that fits
/// counts: a name that ends in `#`, `.` or `:` stands for all that begin so.
type Names = &'static [&'static str];

/// Callers that say more than the method that waits.
const BY_CALLER: [(&str, Names); 2] = [
    (
        "pool",
        &[
            "ConnectionPool#",
            "ConnectionPool::",
            "ActiveRecord::ConnectionAdapters::ConnectionPool#",
            "ActiveRecord::ConnectionAdapters::ConnectionPool::",
            "Sequel::ThreadedConnectionPool#",
            "Sequel::TimedQueueConnectionPool#",
        ],
    ),
    (
        "network",
        &[
            "Net::BufferedIO#",
            "OpenSSL::Buffering#",
            "RedisClient::",
            "PG::Connection#",
            "Mysql2::Client#",
            "Trilogy#",
        ],
    ),
];

/// Callers count above these: a thread that computes below a client's call does not wait for it.
const BEHIND_CALLERS: [&str; 4] = ["lock", "queue", "condition", "io"];

const BY_METHOD: [(&str, Names); 9] = [
    (
        "lock",
        &[
            "Thread::Mutex#lock",
            "Thread::Mutex#synchronize",
            "Monitor#enter",
            "Monitor#synchronize",
            "Monitor#mon_",
            "File#flock",
        ],
    ),
    ("queue", &["Thread::Queue#", "Thread::SizedQueue#"]),
    (
        "condition",
        &["Thread::Mutex#sleep", "Thread::ConditionVariable#", "Monitor#wait_for_cond", "MonitorMixin::"],
    ),
    ("join", &["Thread#join", "Thread#value"]),
    (
        "process",
        &["Process.", "Process::Status.", "Kernel#system", "Kernel.system", "Kernel#`", "Kernel.`", "PTY."],
    ),
    ("sleep", &["Kernel#sleep", "Kernel.sleep", "Thread.stop", "Thread.pass"]),
    (
        "dns",
        &[
            "Addrinfo.getaddrinfo",
            "Addrinfo.foreach",
            "Addrinfo#getnameinfo",
            "Socket.getaddrinfo",
            "IPSocket.getaddress",
            "TCPSocket.gethostbyname",
            "Socket.gethostbyname",
        ],
    ),
    (
        "network",
        &[
            "TCPSocket",
            "TCPServer",
            "UNIXSocket",
            "UNIXServer",
            "UDPSocket",
            "Socket",
            "BasicSocket",
            "IPSocket",
            "OpenSSL::SSL::",
        ],
    ),
    (
        "io",
        &[
            "IO#",
            "IO.",
            "File#",
            "File.",
            "Dir#",
            "Dir.",
            "Kernel#select",
            "Kernel.select",
            "Kernel#gets",
            "Kernel#open",
            "Zlib::",
            "StringIO#",
        ],
    ),
];

fn kind_of(table: &[(&'static str, Names)], label: &str) -> Option<&'static str> {
    table.iter().find(|(_, names)| names.iter().any(|name| label.starts_with(name))).map(|(kind, _)| *kind)
}

impl Profile {
    /// What the thread of a sample waited for off the GVL: `lock`, `queue`, `condition`, `pool`,
    /// `join`, `io`, `network`, `sleep`, `process`, `dns` or `other`; `None` where it did not.
    pub fn wait_of(&self, sample: &Sample) -> Option<&'static str> {
        let mut functions = self.stack(sample).iter().map(|location| self.function_at(*location));
        if state_of(functions.next()?) != VmState::GvlBlocked {
            return None;
        }
        let Some(method) = functions.next() else { return Some("other") };
        let by_method = kind_of(&BY_METHOD, &method.label);
        let is_behind = by_method.is_some_and(|kind| BEHIND_CALLERS.contains(&kind));
        let mut callers = functions.take(CALLERS).filter(|_| is_behind);
        let by_caller = callers.find_map(|caller| kind_of(&BY_CALLER, &caller.label));
        Some(by_caller.or(by_method).unwrap_or("other"))
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Of a stack, the leaf first.
    fn wait(stack: &[&str]) -> Option<&'static str> {
        let mut builder = Builder::new(Meta::default());
        let locations: Vec<_> = stack
            .iter()
            .map(|label| {
                let path = if *label == "[GVL blocked]" { "<GVL>" } else { "a.rb" };
                let function = builder.intern_function(path, label, 0);
                builder.intern_location(function, 0)
            })
            .collect();
        builder.push(&locations, Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        let profile = builder.build();
        profile.wait_of(&profile.samples[0])
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
            ("Kernel#`", "process"),
            ("Kernel#sleep", "sleep"),
            ("Addrinfo.getaddrinfo", "dns"),
            ("TCPSocket#initialize", "network"),
            ("OpenSSL::SSL::SSLSocket#connect", "network"),
            ("IO#read", "io"),
            ("File#write", "io"),
            ("Own#work", "other"),
        ] {
            assert_eq!(wait(&["[GVL blocked]", method, "main"]), Some(kind), "{method}");
        }
        assert_eq!(wait(&["[GVL blocked]"]), Some("other"));
    }

    #[test]
    fn what_runs_or_waits_for_the_gvl_waits_for_nothing() {
        assert_eq!(wait(&["Thread::Queue#pop", "main"]), None);
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn callers_say_more_about_a_lock_or_a_read() {
        let pool = "ConnectionPool::TimedStack#pop";
        assert_eq!(wait(&["[GVL blocked]", "Thread::ConditionVariable#wait", pool]), Some("pool"));
        let blocked = ["[GVL blocked]", "IO#wait_readable", "Net::BufferedIO#rbuf_fill", "Net::HTTP#get"];
        assert_eq!(wait(&blocked), Some("network"));
        assert_eq!(wait(&["[GVL blocked]", "Kernel#sleep", pool]), Some("sleep"));
        let far: Vec<_> = ["[GVL blocked]", "IO#read"].into_iter().chain(["x"; 12]).chain([pool]).collect();
        assert_eq!(wait(&far), Some("io"));
    }
}
