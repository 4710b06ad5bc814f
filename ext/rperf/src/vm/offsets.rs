//! Offsets in the VM's structures: members by word, and the flags in them, that no public header
//! has (Ruby 3.4 and 4.0). They are proved before words that are read with them are used; see
//! `layout`, where the other offsets are found by probing. `test/layouts`, which includes this
//! file, compares it with the bindings of each release.

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
    /// Number of these members.
    pub const WORDS: usize = 3;
}

/// `rb_control_frame_t` (vm_core.h).
pub mod frame {
    /// Sizes of a frame in different Rubies, in bytes, in the order in which they are tried.
    pub const SIZES: [usize; 3] = [56, 48, 64];
    /// `pc`: the address behind the instruction that runs.
    pub const PC: usize = 0;
    /// `sp`: the end of the frame's values.
    pub const SP: usize = 1;
    /// `iseq`: the instruction sequence.
    pub const ISEQ: usize = 2;
    /// `ep`: the environment.
    pub const EP: usize = 4;
    /// `jit_return`: what compiled code returns to. A frame of 48 bytes has no such member.
    pub const JIT_RETURN: usize = 6;
}

/// `rb_thread_t` (vm_core.h): the offsets of its members are found by probing.
pub mod thread {
    /// Number of words of a thread's structure that are searched.
    pub const SEARCHED: usize = 64;
}

/// An environment, by the pointer to it (vm_core.h, `VM_ENV_DATA_INDEX_*`, `VM_ENV_FLAG_*`).
pub mod environment {
    /// Distance of the method entry below the pointer, in words. The parent follows it.
    pub const METHOD_BELOW: usize = 2;
    /// Mask of the marks in the lowest bits of the parent.
    pub const PARENT_MARKS: usize = 0x3;
    /// Flag in the word at the pointer: the environment is an outermost one.
    pub const LOCAL: usize = 0x2;
    /// Flag in the same word: the frame has no instructions of its own.
    pub const C_FRAME: usize = 0x80;
}

/// Internal objects (internal/imemo.h).
pub mod imemo {
    /// Shift of the kind of an internal object in its flags: it is in the user flags.
    pub const KIND_SHIFT: usize = 12;
    /// Mask of the kind, after the shift.
    pub const KIND_MASK: usize = 0xf;
    /// Kind: special variables.
    pub const SVAR: usize = 2;
    /// Kind: a method entry.
    pub const MENT: usize = 6;
    /// Kind: an instruction sequence.
    pub const ISEQ: usize = 7;
    /// `vm_svar.cref_or_me`.
    pub const SVAR_METHOD: usize = 1;
}

/// Methods (method.h).
pub mod method {
    /// Number of members of `rb_method_entry_t`: flags, class, and those below.
    pub const WORDS: usize = 5;
    /// `rb_method_entry_t.def`.
    pub const DEFINITION: usize = 2;
    /// `rb_method_entry_t.called_id`.
    pub const NAME: usize = 3;
    /// `rb_method_entry_t.owner`.
    pub const OWNER: usize = 4;
    /// Mask of the type in the first word of a definition.
    pub const TYPE_MASK: usize = 0xf;
    /// Type of a method in Ruby.
    pub const TYPE_ISEQ: usize = 0;
    /// Type of a method in C.
    pub const TYPE_CFUNC: usize = 1;
}

/// Instruction sequences (vm_core.h).
pub mod iseq {
    /// `rb_iseq_t.body`.
    pub const BODY: usize = 2;
    /// Shift of the size in the body's first word: the size is the upper half.
    pub const SIZE_SHIFT: usize = 32;
    /// Member of the body: the instructions.
    pub const ENCODED: usize = 1;
    /// The code's location: a path, two labels, three words of lines, columns and a node's number.
    pub const LOCATION: usize = 8;
    /// End of the location.
    pub const LOCATION_END: usize = 14;
}

/// Objects of threads and Ractors (ruby/internal/core/rtypeddata.h).
pub mod typed_data {
    /// Positions of the type: behind flags and class, or from Ruby 4.0 on one word further.
    pub const TYPES: [usize; 2] = [2, 3];
    /// Mask of the marks in the lowest bits of the type.
    pub const TYPE_MARKS: usize = 0x7;
    /// Position of the address of the structure: the fifth word of each object.
    pub const DATA: usize = 4;
}
