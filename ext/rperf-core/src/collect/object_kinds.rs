//! Kinds of objects: what objects have in common that samples tell apart.

use hashbrown::HashMap;

use crate::ids::KindId;

/// What an object says of itself when it is born.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectKind {
    /// The word that names its class; 0 where it has none.
    pub class: u64,
    /// Its type, as the VM numbers them (`enum ruby_value_type`), and what an internal object is
    /// for (`enum imemo_type`).
    pub object_type: (u8, u8),
    /// The size of its slot, in bytes.
    pub slot: u32,
}

impl ObjectKind {
    /// No object: memory that was asked of malloc(3). No object's type has this number.
    pub const MALLOC: Self = Self { class: 0, object_type: (u8::MAX, 0), slot: 0 };

    /// In [`object_type`](Self::object_type): the kind is known by its name; `class` is the number
    /// of the name.
    const NAMED: (u8, u8) = (u8::MAX, 1);

    /// A kind that is known by the name with this number.
    pub fn named(number: usize, slot: u32) -> Self {
        Self { class: number as u64, object_type: Self::NAMED, slot }
    }

    /// The number of its name, where that is all that is known of it.
    pub fn name(&self) -> Option<usize> {
        (self.object_type == Self::NAMED).then_some(self.class as usize)
    }

    /// The word that must be kept as long as the kind is; 0 for none.
    pub fn kept(&self) -> u64 {
        if self.name().is_some() { 0 } else { self.class }
    }
}

/// Interns kinds. Ids are dense; 0 stands for none.
#[derive(Clone, Debug)]
pub struct ObjectKinds {
    ids: HashMap<ObjectKind, KindId>,
    kinds: Vec<ObjectKind>,
    limit: usize,
}

impl ObjectKinds {
    /// A table for at most `limit` kinds.
    pub fn new(limit: usize) -> Self {
        Self { ids: HashMap::new(), kinds: vec![ObjectKind::default()], limit }
    }

    /// The kind's id, and whether it is new; `None` when the table is full.
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

    /// Whether it has this kind.
    pub fn contains(&self, kind: &ObjectKind) -> bool {
        self.ids.contains_key(kind)
    }

    /// All kinds; [`KindId`] is the index.
    pub fn kinds(&self) -> &[ObjectKind] {
        &self.kinds
    }
}
