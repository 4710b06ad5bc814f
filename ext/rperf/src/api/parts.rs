//! Output in parts: a native thread makes them, while a Ruby method yields finished parts to its
//! block.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Builder};

use magnus::{Error, RString, Ruby};

use super::error;
use crate::os::signal;
use crate::vm::without_gvl::without_gvl;

/// Maximum number of finished parts that wait to be taken.
const AHEAD: usize = 2;

/// Function that takes a part on the thread that makes it. Returns whether more are wanted.
pub type Sink<'a, Part> = &'a mut dyn FnMut(Part) -> ControlFlow<()>;

/// Runs `make` on a thread without the GVL, and hands its parts to `take` with the GVL, until
/// `take` fails. Returns the result of `make`, or the error that `take` raised.
pub fn each_part<Part: Send, Made: Send>(
    ruby: &Ruby,
    make: impl FnOnce(Sink<'_, Part>) -> Made + Send,
    take: impl FnMut(Part) -> Result<(), Error>,
) -> Result<Made, Error> {
    let (sender, receiver) = sync_channel(AHEAD);
    let run = move || {
        signal::block_all();
        make(&mut |part| match sender.send(part) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    };
    thread::scope(|scope| {
        let maker = Builder::new().name("rperf".to_owned()).spawn_scoped(scope, run);
        let maker =
            maker.map_err(|problem| error(ruby, format!("there is no thread to write it: {problem}")))?;
        let taken = take_all(ruby, receiver, take);
        let made = without_gvl(ruby, || maker.join())?;
        taken.map(|()| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Takes parts until there are no more or `take` fails. The thread that makes them notices the end
/// when the receiver is dropped.
fn take_all<Part: Send>(
    ruby: &Ruby,
    receiver: Receiver<Part>,
    mut take: impl FnMut(Part) -> Result<(), Error>,
) -> Result<(), Error> {
    while let Ok(part) = without_gvl(ruby, || receiver.recv())? {
        take(part)?;
    }
    Ok(())
}

/// Returns a part as a String: text in UTF-8, or bytes.
pub fn string(ruby: &Ruby, part: &[u8], is_text: bool) -> RString {
    if is_text { ruby.enc_str_new(part, ruby.utf8_encoding()) } else { ruby.str_from_slice(part) }
}
