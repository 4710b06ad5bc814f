//! A control frame as the VM's stack shows it.

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
}
