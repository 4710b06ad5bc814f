//! Methods that replace those of Ruby that end a process without at_exit, in `Rperf::ProcessHooks`.
//! They are no methods in Ruby, so that the frames of an exception are those of Ruby's own methods.

use magnus::value::ReprValue;
use magnus::{Error, Module, RModule, Ruby, Value, method};

use crate::vm::ractors;

const MODULE: &str = "ProcessHooks";

/// Defines the methods. Threads of any Ractor may call them.
pub fn define(ruby: &Ruby, rperf: RModule) -> Result<(), Error> {
    let hooks = rperf.define_module(MODULE)?;
    ractors::methods_for_all(ruby, || {
        hooks.define_method("daemon", method!(daemon, -1))?;
        hooks.define_method("exec", method!(exec, -1))?;
        hooks.define_method("exit!", method!(exit, -1))
    })
}

/// `Process.daemon`: ends the session; that of the daemon begins.
fn daemon(ruby: &Ruby, receiver: Value, arguments: &[Value]) -> Result<Value, Error> {
    end(ruby, receiver, "rperf_daemon", arguments)
}

/// `exec`: ends the session; the process becomes another program.
fn exec(ruby: &Ruby, receiver: Value, arguments: &[Value]) -> Result<Value, Error> {
    end(ruby, receiver, "rperf_exec", arguments)
}

/// `exit!`: ends the session, and the process.
fn exit(ruby: &Ruby, receiver: Value, arguments: &[Value]) -> Result<Value, Error> {
    end(ruby, receiver, "rperf_exit!", arguments)
}

fn end(ruby: &Ruby, receiver: Value, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let hooks: RModule = ruby.define_module("Rperf")?.const_get(MODULE)?;
    hooks
        .funcall("terminate", (receiver, ruby.to_symbol(name), ruby.ary_from_iter(arguments.iter().copied())))
}
