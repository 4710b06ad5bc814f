//! Asks the VM for the names of frames, once for each method: the part of resolving that needs the
//! GVL.

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

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The program's, or a library's.
    Program,
    /// Ruby's: a method without a file, or of a file of Ruby's own.
    Core,
    /// rperf's, also in what the program calls (`Rperf.label`): it is never shown.
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

/// What the VM knows of a raw frame.
#[derive(Debug)]
struct FrameDetails {
    /// Its place in the list of methods.
    method: usize,
    /// In the file that the frame is shown with; 0 where it is unknown, or a line of another file.
    line: u32,
    /// The name of the specialised instruction that ran, where the frame is the innermost.
    instruction: Option<String>,
}

/// The names of all frames in the stacks of a snapshot.
#[derive(Debug)]
pub struct Names {
    methods: Vec<Method>,
    /// By frame. None for a frame that no stack has, or that cannot be interpreted.
    details: Vec<Option<FrameDetails>>,
}

impl Names {
    /// Asks for the names of these frames, each a piece of the slices. `own`: where rperf's own
    /// Ruby files are. An error: see [`Slices::piece_done`].
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

    /// What is known of the frames, for one who goes on with them.
    pub fn known(&self, frames: &[RawFrame]) -> HashMap<RawFrame, Arc<KnownFrame>> {
        let known = |(frame, details): (&RawFrame, &Option<FrameDetails>)| {
            let FrameDetails { method, line, instruction } = details.as_ref()?;
            let name = Arc::clone(&self.methods[*method].name);
            Some((*frame, Arc::new(KnownFrame { name, line: *line, instruction: instruction.clone() })))
        };
        frames.iter().zip(&self.details).filter_map(known).collect()
    }

    /// Whose code a frame is.
    pub fn owner(&self, frame: FrameId) -> Owner {
        self.details(frame).map_or(Owner::Program, |details| self.methods[details.method].owner)
    }

    /// The name of a frame, and the line.
    pub fn name(&self, frame: FrameId) -> Option<(&FrameName, u32)> {
        self.details(frame).map(|details| (&*self.methods[details.method].name, details.line))
    }

    /// The name of the specialised instruction that ran in the innermost frame.
    pub fn instruction(&self, frame: FrameId) -> Option<&str> {
        self.details(frame)?.instruction.as_deref()
    }

    fn details(&self, frame: FrameId) -> Option<&FrameDetails> {
        self.details[frame.index()].as_ref()
    }
}

/// The frames in the stacks of a snapshot, but for the mark of a stack that was cut off: the VM
/// knows no name of it.
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

/// What has been asked for so far.
struct Inquiry<'a> {
    ruby: &'a Ruby,
    collected: &'a Collected,
    own: &'a str,
    methods: Vec<Method>,
    /// What code belongs to which method; that of methods with several names to none but itself.
    methods_of: HashMap<LiveFrame, LiveFrame>,
    /// Methods by what names them.
    known: HashMap<LiveFrame, usize>,
    /// Those that have been named before.
    named: HashMap<*const FrameName, usize>,
    /// Whether code is of the file of its method, by both.
    in_file: HashMap<(LiveFrame, LiveFrame), bool>,
    instructions: Instructions,
}

impl Inquiry<'_> {
    /// Notes the method that a frame was in, for frames of its code whose methods are unknown.
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
        // Where an innermost frame had its method, the next call may have written before it was
        // copied; and of some code not all methods are told apart. Its code is right.
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

    /// A method that has been named before.
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
