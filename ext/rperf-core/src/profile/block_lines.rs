//! Names of blocks. A block has no name of its own: the line on which it starts tells it from the
//! other blocks of its method.

use super::Profile;

impl Profile {
    /// Returns the profile with blocks named by the line on which they start, where that is known:
    /// `block in Shop#total:3`. For texts that people read; no function is found by such a name.
    pub fn with_block_lines(mut self) -> Self {
        for function in &mut self.functions {
            if function.label.starts_with("block ") && function.start_line != 0 {
                function.label = format!("{}:{}", function.label, function.start_line);
            }
        }
        self
    }
}
