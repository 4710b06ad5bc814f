//! Kinds of objects: properties by which samples tell objects apart.

use hashbrown::HashMap;

use crate::ids::KindId;

/// Kind of an object, as it is known at its birth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectKind {
    /// The word that names its class; 0 where it has none.
    pub class: u64,
    /// Its type, as the VM numbers it (`enum ruby_value_type`), and the purpose of an internal
    /// object (`enum imemo_type`).
    pub object_type: (u8, u8),
    /// The size of its slot, in bytes.
    pub slot: u32,
}

impl ObjectKind {
    /// Kind of memory that malloc(3) has handed out. No object's type has this number.
    pub const MALLOC: Self = Self { class: 0, object_type: (u8::MAX, 0), slot: 0 };

    /// Value of [`object_type`](Self::object_type) for a kind that is known by its name; `class` is
    /// the number of the name.
    const NAMED: (u8, u8) = (u8::MAX, 1);

    /// Creates a kind that is known by the name with this number.
    pub fn named(number: usize, slot: u32) -> Self {
        Self { class: number as u64, object_type: Self::NAMED, slot }
    }

    /// Returns the number of its name, if only its name is known.
    pub fn name(&self) -> Option<usize> {
        (self.object_type == Self::NAMED).then_some(self.class as usize)
    }

    /// Returns the word that must be kept as long as the kind is kept; 0 for none.
    pub fn kept(&self) -> u64 {
        if self.name().is_some() { 0 } else { self.class }
    }
}

/// Table that interns kinds. Ids are dense; 0 stands for no kind.
#[derive(Clone, Debug)]
pub struct ObjectKinds {
    ids: HashMap<ObjectKind, KindId>,
    kinds: Vec<ObjectKind>,
    limit: usize,
}

impl ObjectKinds {
    /// Creates a table for at most `limit` kinds.
    pub fn new(limit: usize) -> Self {
        Self { ids: HashMap::new(), kinds: vec![ObjectKind::default()], limit }
    }

    /// Returns the kind's id, and whether it is new; `None` when the table is full.
    pub fn intern(&mut self, kind: ObjectKind) -> Option<(KindId, bool)> {
        if let Some(id) = self.ids.get(&kind) {
            return Some((*id, false));
        }
        if self.ids.len() >= self.limit {
            return None;
        }
        let id = KindId::from(self.kinds.len());
        self.kinds.push(kind);
        self.ids.insert(kind, id);
        Some((id, true))
    }

    /// Returns whether the table has this kind.
    pub fn contains(&self, kind: &ObjectKind) -> bool {
        self.ids.contains_key(kind)
    }

    /// Returns all kinds; [`KindId`] is the index.
    pub fn kinds(&self) -> &[ObjectKind] {
        &self.kinds
    }
}
