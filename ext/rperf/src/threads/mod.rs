//! Threads as the profiler knows them: a record for each, the native threads that run them, the
//! holder of the GVL, and the flags of the session that any context may read.

pub mod accounts;
pub mod fiber_labels;
pub mod gvl_holder;
pub mod hook_timer;
pub mod native_thread;
pub mod record;
pub mod session_state;
pub mod trace;
