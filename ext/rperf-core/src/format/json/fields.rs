//! The fields of JSON objects that are written as they are read.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::ids::{ProcessId, ThreadSeq};
use crate::profile::{Function, Period, Process, Thread, ValueType};

#[derive(Serialize, Deserialize)]
pub(super) struct ValueTypeFields<'p> {
    kind: Cow<'p, str>,
    unit: Cow<'p, str>,
}

impl<'p> ValueTypeFields<'p> {
    pub(super) fn of(ValueType { kind, unit }: &'p ValueType) -> Self {
        Self { kind: kind.into(), unit: unit.into() }
    }

    pub(super) fn value_type(self) -> ValueType {
        ValueType::new(self.kind, self.unit)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct PeriodFields<'p> {
    #[serde(flatten)]
    value_type: ValueTypeFields<'p>,
    length: u64,
}

impl<'p> PeriodFields<'p> {
    pub(super) fn of(Period { value_type, length }: &'p Period) -> Self {
        Self { value_type: ValueTypeFields::of(value_type), length: *length }
    }

    pub(super) fn period(self) -> Period {
        Period { value_type: self.value_type.value_type(), length: self.length }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct FunctionFields<'p> {
    label: Cow<'p, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    raw_label: Cow<'p, str>,
    path: Cow<'p, str>,
    #[serde(default)]
    start_line: u32,
}

impl<'p> FunctionFields<'p> {
    pub(super) fn of(Function { label, raw_label, path, start_line }: &'p Function) -> Self {
        let [label, raw_label, path] = [label, raw_label, path].map(Cow::from);
        Self { label, raw_label, path, start_line: *start_line }
    }

    pub(super) fn function(self) -> Function {
        let [label, raw_label, path] = [self.label, self.raw_label, self.path].map(Cow::into_owned);
        Function { label, raw_label, path, start_line: self.start_line }.plain()
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ThreadFields<'p> {
    thread_seq: u32,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    name: Cow<'p, str>,
    #[serde(default, skip_serializing_if = "is_unknown")]
    native_thread_id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u32>,
}

impl<'p> ThreadFields<'p> {
    pub(super) fn of(Thread { seq, name, native_id, process }: &'p Thread) -> Self {
        let process = process.map(|process| process.0);
        Self { thread_seq: seq.0, name: name.into(), native_thread_id: *native_id, process }
    }

    pub(super) fn thread(self) -> Thread {
        let (seq, process) = (ThreadSeq(self.thread_seq), self.process.map(ProcessId));
        Thread { seq, name: self.name.into_owned(), native_id: self.native_thread_id, process }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProcessFields<'p> {
    #[serde(default, skip_serializing_if = "is_unknown")]
    pid: u32,
    #[serde(default, skip_serializing_if = "is_unknown")]
    ppid: u32,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    command: Cow<'p, str>,
}

impl<'p> ProcessFields<'p> {
    pub(super) fn of(Process { pid, ppid, command }: &'p Process) -> Self {
        Self { pid: *pid, ppid: *ppid, command: command.into() }
    }

    pub(super) fn process(self) -> Process {
        Process { pid: self.pid, ppid: self.ppid, command: self.command.into_owned() }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct DropFields {
    pub(super) samples: u64,
    pub(super) weight_ns: u64,
}

/// Takes a reference since serde passes fields by reference.
fn is_unknown(number: &u32) -> bool {
    *number == 0
}
