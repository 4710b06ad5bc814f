//! What the profiler knows of threads: a slot for each, the task clock of each native thread, and the state of
//! the running session that any context may look at.

pub mod away;
pub mod known_frames;
pub mod live;
pub mod native_thread;
pub mod slot;
pub mod slot_state;
pub mod suspensions;
pub mod task_clocks;
pub mod tick_queue;
