//! The categories of frames and markers. They are referred to by their index in the profile's list.

use serde::Serialize;

use crate::profile::{Function, state_of};
use crate::state::VmState;

/// A category with its subcategories. The first one stands for the category itself.
#[derive(Serialize)]
pub(super) struct Category {
    name: &'static str,
    color: &'static str,
    subcategories: &'static [&'static str],
}

/// All categories. One must be grey: it is the default.
pub(super) const CATEGORIES: [Category; 6] = [
    Category { name: "Other", color: "grey", subcategories: &["Other"] },
    Category { name: "Ruby", color: "blue", subcategories: &["Other"] },
    Category { name: "C method", color: "lightblue", subcategories: &["Other"] },
    Category { name: "GVL", color: "orange", subcategories: &["Other", "Blocked", "Wait"] },
    Category { name: "GC", color: "red", subcategories: &["Other", "Marking", "Sweeping"] },
    Category { name: "CPU wait", color: "magenta", subcategories: &["Other"] },
];

/// A category and one of its subcategories, by index.
pub(super) type CategoryPair = (u8, u8);

/// Returns the category of a state; `None` for a running thread.
pub(super) fn of_state(state: VmState) -> Option<CategoryPair> {
    match state {
        VmState::Running => None,
        VmState::GvlBlocked => Some((3, 1)),
        VmState::GvlWait => Some((3, 2)),
        VmState::GcMark => Some((4, 1)),
        VmState::GcSweep => Some((4, 2)),
        VmState::CpuWait => Some((5, 0)),
    }
}

/// Returns the category of a function.
pub(super) fn of_function(function: &Function) -> CategoryPair {
    of_state(state_of(function)).unwrap_or(match function.path.as_str() {
        "" => (0, 0),
        "<C method>" => (2, 0),
        _ => (1, 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, label: &str) -> (&'static str, &'static str) {
        let function = Function { path: path.to_owned(), label: label.to_owned(), ..Function::default() };
        let (category, sub) = of_function(&function);
        let category = &CATEGORIES[category as usize];
        (category.name, category.subcategories[sub as usize])
    }

    #[test]
    fn every_function_has_a_category() {
        assert_eq!(place("a.rb", "a"), ("Ruby", "Other"));
        assert_eq!(place("<C method>", "Kernel#sleep"), ("C method", "Other"));
        assert_eq!(place("", "main"), ("Other", "Other"));
        assert_eq!(place("<GVL>", "[GVL wait]"), ("GVL", "Wait"));
        assert_eq!(place("<GVL>", "[GVL blocked]"), ("GVL", "Blocked"));
        assert_eq!(place("<GC>", "[GC marking]"), ("GC", "Marking"));
        assert_eq!(place("<GC>", "[GC sweeping]"), ("GC", "Sweeping"));
        assert_eq!(place("<CPU>", "[CPU wait]"), ("CPU wait", "Other"));
    }
}
