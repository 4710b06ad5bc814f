//! Tables of methods that wait, and what they wait for.

/// Beginnings of names of methods that wait, or that call a method that waits.
type Names = &'static [&'static str];

/// Methods of pools that wait for a connection. Methods that call a block with a connection are not
/// among them, since a wait in the block is the block's own.
const POOLS: Names = &[
    "ConnectionPool::TimedStack#",
    "ConnectionPool#check",
    "ActiveRecord::ConnectionAdapters::ConnectionPool::",
    "ActiveRecord::ConnectionAdapters::ConnectionPool#check",
    "ActiveRecord::ConnectionAdapters::ConnectionPool#acquire_connection",
    "HTTPX::Pool#checkout_",
    "Sequel::ThreadedConnectionPool#acquire",
    "Sequel::ThreadedConnectionPool#assign_connection",
    "Sequel::TimedQueueConnectionPool#acquire",
];

/// Methods of clients that wait for a socket by methods of IO.
const CLIENTS: Names = &[
    "Net::BufferedIO#",
    "Net::Protocol#",
    "Socket.tcp_with",
    "OpenSSL::Buffering#",
    "RedisClient::RubyConnection",
    "HTTPX::Selector#",
    "HTTPX::TCP#",
    "PG::Connection.",
    "PG::Connection#async_",
];

/// Callers that say more than the method that waits: the kinds of waits to which this applies, the
/// kind that they become, and the callers. A client that waits for a lock still waits for a lock.
const BY_CALLER: [(Names, &str, Names); 3] = [
    (&["lock", "queue", "condition"], "pool", POOLS),
    (&["io"], "network", CLIENTS),
    (&["io", "network"], "dns", &["Resolv::"]),
];

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
        &[
            "Process.wait",
            "Process.spawn",
            "Kernel#spawn",
            "Kernel.spawn",
            "Process::Status.wait",
            "Kernel#system",
            "Kernel.system",
            "Kernel#`",
            "Kernel.`",
            "PTY.",
        ],
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
            "PG::",
            "Mysql2::",
            "Trilogy#",
            "RedisClient::HiredisConnection",
        ],
    ),
    (
        "io",
        &[
            "IO#",
            "IO.",
            "IO::Buffer#",
            "ARGF.class#",
            "File#",
            "File.",
            "FileTest.",
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

/// Kinds of waits for other threads of the program: which method waits, and how long, differs from
/// run to run.
const FOR_THREADS: Names = &["lock", "queue", "condition", "join"];

/// Returns whether this method waits, and for no other thread of the program.
pub(super) fn waits_alone(method: &str) -> bool {
    let kind = BY_METHOD.iter().find(|(_, names)| begins_as(method, names));
    kind.is_some_and(|(kind, _)| !FOR_THREADS.contains(kind))
}

/// Returns beginnings of names of methods that wait: of those that wait for other threads of the
/// program, and of others. The former count first.
pub(crate) fn waiting_methods() -> [Vec<&'static str>; 2] {
    [true, false].map(|for_threads| {
        let kinds = BY_METHOD.iter().filter(|(kind, _)| FOR_THREADS.contains(kind) == for_threads);
        kinds.flat_map(|(_, names)| *names).copied().collect()
    })
}

fn begins_as(label: &str, names: &[&str]) -> bool {
    names.iter().any(|name| label.starts_with(name))
}

/// Returns the kind of a wait by its method ([`BY_METHOD`]), or by its callers if they say more.
pub(super) fn kind_of<'a>(method: &str, callers: impl Iterator<Item = &'a str> + Clone) -> &'static str {
    let kind = BY_METHOD.iter().find(|(_, names)| begins_as(method, names)).map_or("other", |(kind, _)| kind);
    let says_more = |(kinds, _, names): &&(Names, &str, Names)| {
        kinds.contains(&kind) && callers.clone().any(|caller| begins_as(caller, names))
    };
    BY_CALLER.iter().find(says_more).map_or(kind, |(_, better, _)| better)
}
