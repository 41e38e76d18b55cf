//! Hide sets: the macros that a token must not expand again, by Prosser's algorithm, which C's wording came from.
//! Sets share their tails: a set is one name added to another set.

use std::collections::HashMap;
use std::sync::Arc;

/// A set; the default is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct HideSet(u32);

/// All sets of one run.
#[derive(Default)]
pub(super) struct HideSets {
    /// Set `n + 1` is this name and that set.
    nodes: Vec<(u32, HideSet)>,
    interned: HashMap<(u32, HideSet), HideSet>,
    names: HashMap<Arc<str>, u32>,
    unions: HashMap<(HideSet, HideSet), HideSet>,
}

impl HideSets {
    fn names(&self, mut set: HideSet) -> impl Iterator<Item = u32> + '_ {
        std::iter::from_fn(move || {
            let (name, rest) = *self.nodes.get(set.0.checked_sub(1)? as usize)?;
            set = rest;
            Some(name)
        })
    }

    /// Whether `name` is in `set`.
    pub(super) fn contains(&self, set: HideSet, name: &str) -> bool {
        set != HideSet::default() && self.names.get(name).is_some_and(|&name| self.names(set).any(|n| n == name))
    }

    fn add(&mut self, set: HideSet, name: u32) -> HideSet {
        if self.names(set).any(|n| n == name) {
            return set;
        }
        let nodes = &mut self.nodes;
        *self.interned.entry((name, set)).or_insert_with(|| {
            nodes.push((name, set));
            HideSet(nodes.len() as u32)
        })
    }

    /// `set` and `name`.
    pub(super) fn with(&mut self, set: HideSet, name: &Arc<str>) -> HideSet {
        let next = self.names.len() as u32;
        let name = *self.names.entry(name.clone()).or_insert(next);
        self.add(set, name)
    }

    /// What is in either.
    pub(super) fn union(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b || a == HideSet::default() {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let names: Vec<u32> = self.names(a).collect();
        let union = names.into_iter().rev().fold(b, |set, name| self.add(set, name));
        self.unions.insert((a, b), union);
        union
    }

    /// What is in both.
    pub(super) fn intersection(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b {
            return a;
        }
        let both: Vec<u32> = self.names(a).filter(|&name| self.names(b).any(|n| n == name)).collect();
        both.into_iter().rev().fold(HideSet::default(), |set, name| self.add(set, name))
    }
}
