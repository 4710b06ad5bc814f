//! The frame table: small numbers for captured frames.

use hashbrown::HashMap;
use hashbrown::HashSet;
use hashbrown::hash_map::Entry;

use crate::ids::FrameId;

/// A frame as it is interned, before it is interpreted or named.
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
    /// Classes of the operands of a leaf's specialised instruction; 0 for none. The binding's
    /// module `vm` defines the numbers, which are below 2 to the power of 15.
    pub operand: u16,
}

impl RawFrame {
    /// Frame at the outer end of a stack, for the callers that were cut off there. No frame of a
    /// thread is equal to it: if a frame runs neither a method nor code (the VM pushes one while it
    /// compiles a file), all its words are 0.
    pub const TRUNCATED: Self = Self { method: 0, code: 0, pc: 0, operand: Self::INTERPRETED };

    /// Frame that stands for a thread without Ruby code. No frame of a thread is equal to it.
    pub const NATIVE_THREAD: Self = Self { pc: 1, ..Self::TRUNCATED };

    /// Frame for the time in which threads waited for the GVL, and no known thread had the GVL. No
    /// frame of a thread is equal to it, either.
    pub const NO_HOLDER: Self = Self { pc: 2, ..Self::TRUNCATED };

    /// Value of [`operand`](Self::operand) for a frame that the VM itself has interpreted: `method`
    /// is a frame of `rb_profile_frames`, `pc` its line.
    pub const INTERPRETED: u16 = u16::MAX;

    /// Returns whether it stands for something that is no frame of a thread.
    pub fn is_synthetic(&self) -> bool {
        [Self::TRUNCATED, Self::NATIVE_THREAD, Self::NO_HOLDER].contains(self)
    }

    /// Value of [`operand`](Self::operand) for a frame that is known by its name, and keeps nothing
    /// alive: `pc` is the number of the name.
    const NAMED: u16 = Self::INTERPRETED - 1;

    /// Creates a frame that is known by the name with this number.
    pub fn named(number: usize) -> Self {
        Self { pc: number as u64, operand: Self::NAMED, ..Self::default() }
    }

    /// Returns the number of its name, if only its name is known.
    pub fn name(&self) -> Option<usize> {
        (self.operand == Self::NAMED).then_some(self.pc as usize)
    }
}

/// An instruction sequence in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its address.
    pub address: u64,
    /// The address of its first instruction.
    pub instructions: u64,
}

/// Maximum number of methods with the same code that are told apart. Classes that a program makes
/// one after the other have methods of their own with the same code. It is useless to keep more.
const METHODS_OF_CODE: usize = 100;

/// Table that interns raw frames. Ids are dense.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    ids: HashMap<RawFrame, FrameId>,
    frames: Vec<RawFrame>,
    /// Words of the frames that may be objects, and other objects that are kept, each once.
    objects: HashSet<u64>,
    /// One entry of each method. As long as it is kept, no other method has its identity.
    methods: HashMap<[u64; 3], u64>,
    /// Number of these methods by code.
    methods_of: HashMap<u64, usize>,
    /// First of all codes that were compiled from the same text. As long as it is kept, nothing
    /// else has its identity.
    codes: HashMap<[u64; 8], Code>,
    limit: usize,
}

impl FrameTable {
    /// Creates a table for at most `limit` frames.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Returns the frame's id, or `None` when the table is full.
    pub fn intern(&mut self, frame: RawFrame) -> Option<FrameId> {
        match self.ids.entry(frame) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) if self.frames.len() >= self.limit => None,
            Entry::Vacant(entry) => {
                self.frames.push(frame);
                self.objects.extend([frame.method, frame.code].into_iter().filter(|word| *word != 0));
                Some(*entry.insert(FrameId::from(self.frames.len() - 1)))
            }
        }
    }

    /// Returns the frame's id, if the frame has been interned.
    pub fn id(&self, frame: &RawFrame) -> Option<FrameId> {
        self.ids.get(frame).copied()
    }

    /// Returns the first code that was met with this identity, which may be `code` itself.
    pub fn code(&mut self, identity: [u64; 8], code: Code) -> Code {
        *self.codes.entry(identity).or_insert(code)
    }

    /// Returns the first method entry that was met with this identity and code (0: in C), which may
    /// be `entry` itself. Returns 0 where the code has too many methods, since it has a name, too.
    pub fn method(&mut self, identity: [u64; 3], code: u64, entry: u64) -> u64 {
        let [definition, name, owner] = identity;
        // A method that is defined again counts as the same if it has the same code.
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

    /// Forgets all identities. They say nothing any more, since objects have moved.
    pub fn forget_identities(&mut self) {
        self.methods.clear();
        self.methods_of.clear();
        self.codes.clear();
    }

    /// Returns whether an object is kept already.
    pub fn keeps(&self, object: u64) -> bool {
        self.objects.contains(&object)
    }

    /// Has the collector keep another object as well, for as long as the table's own objects.
    pub fn keep(&mut self, object: u64) {
        self.objects.extend(Some(object).filter(|word| *word != 0));
    }

    /// Returns all frames; [`FrameId`] is the index.
    pub fn frames(&self) -> &[RawFrame] {
        &self.frames
    }

    /// Returns each word that may be the address of an object, once.
    pub fn objects(&self) -> impl Iterator<Item = u64> {
        self.objects.iter().copied()
    }
}
