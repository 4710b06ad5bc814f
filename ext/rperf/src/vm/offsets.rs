//! Where the VM keeps things: members of its structures by word, and the flags in them, that no
//! public header has (Ruby 3.4 and 4.0). What is read with them is proved before it is used; see
//! `layout`, where the rest is found by looking. `test/layouts`, which includes this file, compares
//! it with the bindings of each release.

/// Bytes in a word.
pub const WORD: usize = size_of::<usize>();

/// `rb_execution_context_t` (vm_core.h): its first members.
pub mod context {
    /// `vm_stack`: the lowest address.
    pub const STACK: usize = 0;
    /// `vm_stack_size`, in words.
    pub const STACK_SIZE: usize = 1;
    /// `cfp`: the innermost control frame.
    pub const FRAME: usize = 2;
    /// How many members these are.
    pub const WORDS: usize = 3;
}

/// `rb_control_frame_t` (vm_core.h).
pub mod frame {
    /// Sizes that Rubies have had, in bytes; the first that fits is tried first.
    pub const SIZES: [usize; 3] = [56, 48, 64];
    /// Behind the instruction that runs.
    pub const PC: usize = 0;
    /// The end of the frame's values.
    pub const SP: usize = 1;
    /// The instruction sequence.
    pub const ISEQ: usize = 2;
    /// The environment.
    pub const EP: usize = 4;
    /// What compiled code returns to. A frame of 48 bytes has no such member.
    pub const JIT_RETURN: usize = 6;
}

/// `rb_thread_t` (vm_core.h): where its members are is found by looking.
pub mod thread {
    /// How many words of a thread's structure are searched.
    pub const SEARCHED: usize = 64;
}

/// An environment, by the pointer to it (vm_core.h, `VM_ENV_DATA_INDEX_*`, `VM_ENV_FLAG_*`).
pub mod environment {
    /// The method entry: so many words below.
    pub const METHOD_BELOW: usize = 2;
    /// The parent, marked in its lowest bits: so many words below.
    pub const PARENT_BELOW: usize = 1;
    /// The marks of a parent.
    pub const PARENT_MARKS: usize = 0x3;
    /// In the word that the pointer points to: it is an outermost one.
    pub const LOCAL: usize = 0x2;
    /// In the same word: its frame has no instructions of its own.
    pub const C_FRAME: usize = 0x80;
}

/// Internal objects (internal/imemo.h).
pub mod imemo {
    /// The kind of an internal object is in the user flags.
    pub const KIND_SHIFT: usize = 12;
    /// Its bits.
    pub const KIND_MASK: usize = 0xf;
    /// Special variables.
    pub const SVAR: usize = 2;
    /// A method entry.
    pub const MENT: usize = 6;
    /// An instruction sequence.
    pub const ISEQ: usize = 7;
    /// `vm_svar.cref_or_me`.
    pub const SVAR_METHOD: usize = 1;
}

/// Methods (method.h).
pub mod method {
    /// The members of `rb_method_entry_t`: flags, class, and those below.
    pub const WORDS: usize = 5;
    /// `rb_method_entry_t.def`.
    pub const DEFINITION: usize = 2;
    /// `rb_method_entry_t.called_id`.
    pub const NAME: usize = 3;
    /// `rb_method_entry_t.owner`.
    pub const OWNER: usize = 4;
    /// The type, with which a definition begins.
    pub const TYPE_MASK: usize = 0xf;
    /// A method in Ruby.
    pub const TYPE_ISEQ: usize = 0;
    /// A method in C.
    pub const TYPE_CFUNC: usize = 1;
}

/// Instruction sequences (vm_core.h).
pub mod iseq {
    /// `rb_iseq_t.body`.
    pub const BODY: usize = 2;
    /// The size, the upper half of the same word.
    pub const SIZE_SHIFT: usize = 32;
    /// The instructions.
    pub const ENCODED: usize = 1;
    /// Where it is from: a path, two labels, three words of lines, columns and a node's number.
    pub const LOCATION: usize = 8;
    /// The end of that.
    pub const LOCATION_END: usize = 14;
}

/// Threads' and Ractors' objects (ruby/internal/core/rtypeddata.h).
pub mod typed_data {
    /// Where the type may be: behind flags and class, or from Ruby 4.0 on one word further.
    pub const TYPES: [usize; 2] = [2, 3];
    /// Marks in the lowest bits of the type.
    pub const TYPE_MARKS: usize = 0x7;
    /// The structure, the fifth word of each.
    pub const DATA: usize = 4;
}
