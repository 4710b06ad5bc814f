//! The frame table: captured frames to small numbers.

use hashbrown::HashMap;
use hashbrown::HashSet;
use hashbrown::hash_map::Entry;

use crate::ids::FrameId;

/// One control frame: words of the VM's stack, not followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturedFrame {
    /// The VM's instruction pointer (0 in a C method).
    pub pc: usize,
    /// The instruction sequence (0 in a C method).
    pub iseq: usize,
    /// The first word in the frame's environments that may be its method entry; or, with the lowest
    /// bit set, the address of the first environment that is not in the VM stack.
    pub method: usize,
    /// The environment pointer.
    pub ep: usize,
}

impl CapturedFrame {
    /// Whether both show the same call: the same code and method in the same environment, wherever
    /// in it execution was.
    pub fn is_same_call(&self, other: &Self) -> bool {
        (self.iseq, self.method, self.ep) == (other.iseq, other.method, other.ep)
    }

    /// The raw frame, with the method word that was found for it. `is_jit`: it may run native code
    /// of the JIT compiler, so its `pc` may be old.
    pub fn raw(&self, method: usize, is_jit: bool, operand: u16) -> RawFrame {
        // A frame without a position runs no instructions, whatever code it refers to.
        let code = if self.pc == 0 { 0 } else { self.iseq as u64 };
        let pc = if is_jit { 0 } else { self.pc as u64 };
        RawFrame { method: method as u64, code, pc, operand }
    }
}

/// A frame as it is interned, not interpreted or named yet.
///
/// `method` and `code` are words that were addresses of VM objects when they were captured. The
/// owner of the table has the garbage collector keep and pin them, for as long as the table has
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawFrame {
    /// The word that names the frame: a method entry, or what refers to one; 0 where there is none.
    pub method: u64,
    /// The instruction sequence that ran (0 for a C method).
    pub code: u64,
    /// The VM's instruction pointer in it; 0 where unknown.
    pub pc: u64,
    /// What a specialised instruction worked on, for a leaf; 0 for none. The VM room defines the
    /// numbers, below 2 to the power of 15.
    pub operand: u16,
}

impl RawFrame {
    /// Stands at the outer end of a stack for the callers that were cut off there. No frame of a
    /// thread is like it: of one that runs neither a method nor code (the VM pushes one while it
    /// compiles a file) all words are 0.
    pub const TRUNCATED: Self = Self { method: 0, code: 0, pc: 0, operand: Self::INTERPRETED };

    /// Stands for a thread that runs no Ruby code. No frame of a thread is like it, either.
    pub const NATIVE_THREAD: Self = Self { pc: 1, ..Self::TRUNCATED };

    /// Stands for the time in which threads waited for the GVL, and no thread had it that is known.
    /// No frame of a thread is like it, either.
    pub const NO_HOLDER: Self = Self { pc: 2, ..Self::TRUNCATED };

    /// In [`operand`](Self::operand): the VM itself has interpreted the frame; `method` is a frame
    /// of `rb_profile_frames`, `pc` its line.
    pub const INTERPRETED: u16 = u16::MAX;

    /// Whether it stands for what is no frame of a thread.
    pub fn is_synthetic(&self) -> bool {
        [Self::TRUNCATED, Self::NATIVE_THREAD, Self::NO_HOLDER].contains(self)
    }

    /// In [`operand`](Self::operand): the frame is known by its name, and keeps nothing alive; `pc`
    /// is the number of the name.
    const NAMED: u16 = Self::INTERPRETED - 1;

    /// A frame that is known by the name with this number.
    pub fn named(number: usize) -> Self {
        Self { pc: number as u64, operand: Self::NAMED, ..Self::default() }
    }

    /// The number of its name, where that is all that is known of it.
    pub fn name(&self) -> Option<usize> {
        (self.operand == Self::NAMED).then_some(self.pc as usize)
    }

    /// The words that may be addresses of objects.
    pub fn objects(&self) -> [u64; 2] {
        [self.method, self.code]
    }
}

/// An instruction sequence, where it is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its address.
    pub address: u64,
    /// The address of its first instruction.
    pub instructions: u64,
}

/// How many methods of the same code are told apart. Classes that a program makes one after the
/// other have methods of their own with the same code: more than so many would be kept in vain.
const METHODS_OF_CODE: usize = 100;

/// Interns raw frames. Ids are dense.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    ids: HashMap<RawFrame, FrameId>,
    frames: Vec<RawFrame>,
    /// Each word of the frames that may be an object, and what else is kept, once.
    objects: HashSet<u64>,
    /// One entry of each method: as long as it is kept, no other method has its identity.
    methods: HashMap<[u64; 3], u64>,
    /// How many of these have the same code.
    methods_of: HashMap<u64, usize>,
    /// What was compiled first, of all that was compiled from the same text: as long as it is kept,
    /// nothing else has its identity.
    codes: HashMap<[u64; 8], Code>,
    limit: usize,
}

impl FrameTable {
    /// A table for at most `limit` frames.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The frame's id, or `None` when the table is full.
    pub fn intern(&mut self, frame: RawFrame) -> Option<FrameId> {
        match self.ids.entry(frame) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) if self.frames.len() >= self.limit => None,
            Entry::Vacant(entry) => {
                self.frames.push(frame);
                self.objects.extend(frame.objects().into_iter().filter(|word| *word != 0));
                Some(*entry.insert(FrameId::from(self.frames.len() - 1)))
            }
        }
    }

    /// The frame's id, if it has been interned.
    pub fn id(&self, frame: &RawFrame) -> Option<FrameId> {
        self.ids.get(frame).copied()
    }

    /// The code that was first met with this identity: at first `code` itself.
    pub fn code(&mut self, identity: [u64; 8], code: Code) -> Code {
        *self.codes.entry(identity).or_insert(code)
    }

    /// The method entry that was first met with this identity and code (0: in C): at first `entry`
    /// itself. 0 where the code has too many methods: the code has a name, too.
    pub fn method(&mut self, identity: [u64; 3], code: u64, entry: u64) -> u64 {
        let [definition, name, owner] = identity;
        // A method that is defined again is the same where it has the same code.
        let body = if code == 0 { definition } else { code };
        match self.methods.entry([body, name, owner]) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let others = self.methods_of.entry(body).or_default();
                if code != 0 && *others >= METHODS_OF_CODE {
                    return 0;
                }
                *others += 1;
                *new.insert(entry)
            }
        }
    }

    /// Objects have moved, so identities say nothing any more.
    pub fn forget_identities(&mut self) {
        self.methods.clear();
        self.methods_of.clear();
        self.codes.clear();
    }

    /// Whether an object is kept already.
    pub fn keeps(&self, object: u64) -> bool {
        self.objects.contains(&object)
    }

    /// Has the collector keep another object as well, for as long as the table's own.
    pub fn keep(&mut self, object: u64) {
        self.objects.extend(Some(object).filter(|word| *word != 0));
    }

    /// All frames; [`FrameId`] is the index.
    pub fn frames(&self) -> &[RawFrame] {
        &self.frames
    }

    /// Each word that may be the address of an object, once.
    pub fn objects(&self) -> impl Iterator<Item = u64> {
        self.objects.iter().copied()
    }
}
