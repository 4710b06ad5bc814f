//! Names of frames, for which the VM is asked once for each method. This part of resolving needs
//! the GVL.

use std::sync::Arc;

use hashbrown::hash_map::Entry;
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

/// A method with its name.
#[derive(Debug)]
pub struct Method {
    pub name: Arc<FrameName>,
    pub owner: Owner,
}

/// Data of the VM about a raw frame.
#[derive(Debug)]
struct FrameDetails {
    /// Index in the list of methods.
    method: usize,
    /// Line in the file that is shown with the frame; 0 if it is unknown, or in another file.
    line: u32,
    /// Name of the specialised instruction that ran, if the frame is the innermost.
    instruction: Option<String>,
}

/// Names of all frames in the stacks of a snapshot.
#[derive(Debug)]
pub struct Names {
    methods: Vec<Method>,
    /// Details by frame. `None`: no stack has the frame, or it cannot be interpreted.
    details: Vec<Option<FrameDetails>>,
}

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
            methods: Vec::new(),
            methods_of: HashMap::new(),
            known: HashMap::new(),
            named: HashMap::new(),
            in_file: HashMap::new(),
            instructions: Instructions::default(),
        };
        for frame in frames {
            inquiry.note_method(&collected.frames[frame.index()]);
            slices.piece_done()?;
        }
        let mut details: Vec<_> = collected.frames.iter().map(|_| None).collect();
        for frame in frames {
            details[frame.index()] = inquiry.details(collected.frames[frame.index()])?;
            slices.piece_done()?;
        }
        Ok(Self { methods: inquiry.methods, details })
    }

    /// Returns the names of the frames, for the sampler, which continues to use the frames.
    pub fn known(&self, frames: &[RawFrame]) -> HashMap<RawFrame, Arc<KnownFrame>> {
        let known = |(frame, details): (&RawFrame, &Option<FrameDetails>)| {
            let FrameDetails { method, line, instruction } = details.as_ref()?;
            let name = Arc::clone(&self.methods[*method].name);
            Some((*frame, Arc::new(KnownFrame { name, line: *line, instruction: instruction.clone() })))
        };
        frames.iter().zip(&self.details).filter_map(known).collect()
    }

    /// Returns the owner of a frame's code.
    pub fn owner(&self, frame: FrameId) -> Owner {
        self.details(frame).map_or(Owner::Program, |details| self.methods[details.method].owner)
    }

    /// Returns the name of a frame, and its line.
    pub fn name(&self, frame: FrameId) -> Option<(&FrameName, u32)> {
        self.details(frame).map(|details| (&*self.methods[details.method].name, details.line))
    }

    /// Returns the name of the specialised instruction that ran in the innermost frame.
    pub fn instruction(&self, frame: FrameId) -> Option<&str> {
        self.details(frame)?.instruction.as_deref()
    }

    fn details(&self, frame: FrameId) -> Option<&FrameDetails> {
        self.details[frame.index()].as_ref()
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
    methods: Vec<Method>,
    /// Method of each code object. Code that methods of different names share maps to itself.
    methods_of: HashMap<LiveFrame, LiveFrame>,
    /// Indices of methods, by the object that names them.
    known: HashMap<LiveFrame, usize>,
    /// Indices of methods that have been named before, by name.
    named: HashMap<*const FrameName, usize>,
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
        let is_called_alike = known.is_none_or(|known| self.label(known) == self.label(named));
        self.methods_of.insert(code, if is_called_alike { named } else { code });
    }

    fn label(&mut self, named: LiveFrame) -> String {
        let method = self.method(named);
        self.methods[method].name.label.clone()
    }

    fn details(&mut self, raw: RawFrame) -> Result<Option<FrameDetails>, Error> {
        if let Some(known) = self.collected.names.frame(&raw) {
            let method = self.known_method(&known.name);
            return Ok(Some(FrameDetails {
                method,
                line: known.line,
                instruction: known.instruction.clone(),
            }));
        }
        let Some(mut frame) = interpret(Gvl::of(self.ruby), &raw) else { return Ok(None) };
        // The next call may overwrite the method of an innermost frame before it is copied, and
        // some code has several methods. The frame's code is right in both cases.
        if raw.method == 0 {
            frame.named = *self.methods_of.get(&frame.named).unwrap_or(&frame.named);
        }
        let method = self.method(frame.named);
        let lines = self.collected.settings.config.lines;
        Ok(Some(FrameDetails {
            method,
            line: if lines { self.line(frame, method) } else { 0 },
            instruction: match frame.position {
                Position::Words(code, position) => {
                    self.instructions.label(self.ruby, code, position, raw.operand)?
                }
                Position::Line(_) => None,
            },
        }))
    }

    fn method(&mut self, named: LiveFrame) -> usize {
        match self.known.entry(named) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let name = Arc::new(names::frame_name(self.ruby, named));
                let owner = Owner::of(&name, self.own);
                self.methods.push(Method { name, owner });
                *new.insert(self.methods.len() - 1)
            }
        }
    }

    /// Returns the index of a method that has been named before.
    fn known_method(&mut self, name: &Arc<FrameName>) -> usize {
        *self.named.entry(Arc::as_ptr(name)).or_insert_with(|| {
            self.methods.push(Method { name: Arc::clone(name), owner: Owner::of(name, self.own) });
            self.methods.len() - 1
        })
    }

    fn line(&mut self, frame: Interpreted, method: usize) -> u32 {
        let (code, position) = match frame.position {
            Position::Line(line) => return line,
            Position::Words(code, position) => (code, position),
        };
        let (ruby, path) = (self.ruby, &self.methods[method].name.path);
        let in_file = self.in_file.entry((frame.named, code));
        if *in_file.or_insert_with(|| names::is_of_file(ruby, code, path)) {
            names::line(ruby, code, position)
        } else {
            0
        }
    }
}
