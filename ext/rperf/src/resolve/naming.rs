//! Names of frames, for which the VM is asked once for each method. This part of resolving needs
//! the GVL.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use magnus::{Error, Ruby};
use rperf_core::collect::RawFrame;
use rperf_core::ids::FrameId;

use crate::sampler::KnownFrame;
use crate::session::Collected;
use crate::vm::context::Gvl;
use crate::vm::instructions::Instructions;
use crate::vm::interpretation::{Interpreted, Position, interpret};
use crate::vm::live_frame::LiveFrame;
use crate::vm::names::{self, FrameName};
use crate::vm::slices::Slices;

/// Owner of a frame's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The program, or a library.
    Program,
    /// Ruby: a method without a file, or in a file of Ruby's own.
    Core,
    /// rperf, including methods that the program calls (`Rperf.label`). They are never shown.
    Own,
}

impl Owner {
    fn of(name: &FrameName, own: &str) -> Self {
        let in_file = name.path.strip_prefix(own);
        if ["Rperf::Native.", "Rperf::Native::"].iter().any(|native| name.label.starts_with(native))
            || in_file.is_some_and(|rest| rest == ".rb" || rest.starts_with('/'))
        {
            Self::Own
        } else if name.path == names::C_METHOD_PATH || name.path.starts_with("<internal:") {
            Self::Core
        } else {
            Self::Program
        }
    }
}

/// Names of all frames in the stacks of a snapshot, with the owners of the frames' code. `None`: no
/// stack has the frame, or it cannot be interpreted.
#[derive(Debug)]
pub struct Names(Vec<Option<(Arc<KnownFrame>, Owner)>>);

impl Names {
    /// Asks the VM for the names of these frames, each a piece of the slices. `own`: path of
    /// rperf's own Ruby files. For errors see [`Slices::piece_done`].
    pub fn ask(
        ruby: &Ruby,
        collected: &Collected,
        own: &str,
        frames: &[FrameId],
        slices: &mut Slices<'_>,
    ) -> Result<Self, Error> {
        let mut inquiry = Inquiry {
            ruby,
            collected,
            own,
            methods: HashMap::new(),
            methods_of: HashMap::new(),
            in_file: HashMap::new(),
            instructions: Instructions::default(),
        };
        for frame in frames {
            inquiry.note_method(&collected.frames[frame.index()]);
            slices.piece_done()?;
        }
        let mut names = vec![None; collected.frames.len()];
        for frame in frames {
            names[frame.index()] = inquiry.name(collected.frames[frame.index()])?;
            slices.piece_done()?;
        }
        Ok(Self(names))
    }

    /// Returns the names of the frames, for the sampler, which continues to use the frames.
    pub fn known(&self, frames: &[RawFrame]) -> HashMap<RawFrame, Arc<KnownFrame>> {
        let named = frames.iter().zip(&self.0);
        named.filter_map(|(frame, named)| Some((*frame, Arc::clone(&named.as_ref()?.0)))).collect()
    }

    pub fn owner(&self, frame: FrameId) -> Owner {
        self.0[frame.index()].as_ref().map_or(Owner::Program, |(_, owner)| *owner)
    }

    pub fn name(&self, frame: FrameId) -> Option<&KnownFrame> {
        self.0[frame.index()].as_ref().map(|(name, _)| &**name)
    }
}

/// Returns the frames in the stacks of a snapshot, except synthetic ones such as the mark of a cut
/// stack: the VM has no name for them.
pub fn used_frames(collected: &Collected) -> Vec<FrameId> {
    let mut used = vec![false; collected.frames.len()];
    let stacks = &collected.snapshot.stacks;
    let mut seen = HashSet::new();
    for key in collected.snapshot.keys() {
        let mut stack = key.stack;
        while let Some((callers, frame)) = stacks.split(stack).filter(|_| seen.insert(stack)) {
            used[frame.index()] = true;
            stack = callers;
        }
    }
    let used = used.into_iter().enumerate().filter(|(_, is_used)| *is_used);
    let ids = used.map(|(index, _)| FrameId::from(index));
    ids.filter(|id| !collected.frames[id.index()].is_synthetic()).collect()
}

/// Names for which the VM has been asked so far.
struct Inquiry<'a> {
    ruby: &'a Ruby,
    collected: &'a Collected,
    own: &'a str,
    /// Names and owners of methods, by the object that names them.
    methods: HashMap<LiveFrame, (Arc<FrameName>, Owner)>,
    /// Method of each code object. Code that methods of different names share maps to itself.
    methods_of: HashMap<LiveFrame, LiveFrame>,
    /// Whether code is in the file of its method, by method and code.
    in_file: HashMap<(LiveFrame, LiveFrame), bool>,
    instructions: Instructions,
}

impl Inquiry<'_> {
    /// Notes the method of a frame, for frames with the same code whose methods are unknown.
    fn note_method(&mut self, raw: &RawFrame) {
        let frame = interpret(Gvl::of(self.ruby), raw);
        let Some(Interpreted { named, position: Position::Words(code, _) }) = frame else { return };
        let known = self.methods_of.get(&code).copied();
        if named == code || known == Some(named) || !names::is_of_method(self.ruby, code, named) {
            return;
        }
        let is_called_alike =
            known.is_none_or(|known| self.method(known).0.label == self.method(named).0.label);
        self.methods_of.insert(code, if is_called_alike { named } else { code });
    }

    fn name(&mut self, raw: RawFrame) -> Result<Option<(Arc<KnownFrame>, Owner)>, Error> {
        if let Some(known) = self.collected.names.frame(&raw) {
            return Ok(Some((Arc::clone(known), Owner::of(&known.name, self.own))));
        }
        let Some(mut frame) = interpret(Gvl::of(self.ruby), &raw) else { return Ok(None) };
        // The next call may overwrite the method of an innermost frame before it is copied, and
        // some code has several methods. The frame's code is right in both cases.
        if raw.method == 0 {
            frame.named = *self.methods_of.get(&frame.named).unwrap_or(&frame.named);
        }
        let (name, owner) = self.method(frame.named);
        let lines = self.collected.settings.config.lines;
        let line = if lines { self.line(frame, &name.path) } else { 0 };
        let instruction = match frame.position {
            Position::Words(code, position) => {
                self.instructions.label(self.ruby, code, position, raw.operand)?
            }
            Position::Line(_) => None,
        };
        Ok(Some((Arc::new(KnownFrame { name, line, instruction }), owner)))
    }

    fn method(&mut self, named: LiveFrame) -> (Arc<FrameName>, Owner) {
        let ask = || {
            let name = Arc::new(names::frame_name(self.ruby, named));
            let owner = Owner::of(&name, self.own);
            (name, owner)
        };
        self.methods.entry(named).or_insert_with(ask).clone()
    }

    fn line(&mut self, frame: Interpreted, path: &str) -> u32 {
        let (code, position) = match frame.position {
            Position::Line(line) => return line,
            Position::Words(code, position) => (code, position),
        };
        let in_file = self.in_file.entry((frame.named, code));
        if *in_file.or_insert_with(|| names::is_of_file(self.ruby, code, path)) {
            names::line(self.ruby, code, position)
        } else {
            0
        }
    }
}
