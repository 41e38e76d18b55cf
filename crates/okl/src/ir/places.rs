//! Sets of places.

use super::{Module, Place, Projection, Stmt, Visitor, walk_place};
use std::collections::HashSet;

/// Places of a module, known by where they lie in memory: for as long as nothing in the module is moved.
#[derive(Clone, Debug, Default)]
pub struct Places(HashSet<*const Place>);

impl Places {
    /// Every place of a module's nests and functions that has a subscript.
    pub fn all(module: &Module) -> Self {
        let mut places = Self::default();
        module.functions.iter().flat_map(|function| &function.stmts).for_each(|stmt| places.add(stmt));
        let nests = module.kernels.iter().flat_map(|kernel| &kernel.nests);
        nests.flat_map(|nest| &nest.stmts).for_each(|stmt| places.add(stmt));
        places
    }

    /// Adds every place of a statement that has a subscript.
    pub fn add(&mut self, stmt: &Stmt) {
        self.stmt(stmt);
    }

    /// Adds a place.
    pub fn insert(&mut self, place: &Place) {
        self.0.insert(place);
    }

    /// Whether a place is among them.
    pub fn contains(&self, place: &Place) -> bool {
        self.0.contains(&std::ptr::from_ref(place))
    }
}

impl Visitor for Places {
    fn load(&mut self, place: &Place) {
        self.store(place);
    }

    fn store(&mut self, place: &Place) {
        if place.path.iter().any(|projection| !matches!(projection, Projection::Field(_))) {
            self.insert(place);
        }
        walk_place(self, place);
    }
}
