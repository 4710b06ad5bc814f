//! Names of blocks, and of methods of anonymous classes. They have no names of their own: the line
//! on which they start tells them from the others of their method or file.

use super::{Function, Profile};

/// Name of code that was compiled from a string.
const COMPILED: &str = "<compiled>";

/// Class of methods that Tilt makes of templates.
const TEMPLATES: &str = "Tilt::CompiledTemplates#";

impl Function {
    /// Returns whether the name may be that of different functions in different files: in an
    /// anonymous class (`#<Class>#call`), of code in a string (`<compiled>`), or of a template in a
    /// file of Ruby. A view has the name of its file.
    pub(crate) fn is_anonymous(&self) -> bool {
        let label = self.label.as_str();
        // `Integer#<` and `Array#<<` are operators.
        let begins_class = |(at, _)| label[at + 2..].starts_with(char::is_alphabetic);
        label.match_indices("#<").any(begins_class) && !self.is_view()
            || label.contains(COMPILED)
            || (label.contains(TEMPLATES) && [".rb", "#__tilt"].iter().any(|end| label.ends_with(end)))
    }
}

impl Profile {
    /// Returns the profile with blocks and anonymous methods named by the line on which they start,
    /// where that is known: `block in Shop#total:3`. For texts that people read; no function is
    /// found by such a name.
    pub fn with_block_lines(mut self) -> Self {
        for function in &mut self.functions {
            let has_no_name = function.label.starts_with("block ") || function.is_anonymous();
            if has_no_name && function.start_line != 0 {
                function.label = format!("{}:{}", function.label, function.start_line);
            }
        }
        self
    }
}
