//! Memory that a hook may keep: the solver goes on in other memory, and nothing is copied.

use crate::Field;
use ferrocca_core::{AnyMemory, Element, Memory};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A field's memory that hooks may keep ([`Field::keep`]). The solver may read what is kept, and writes to other memory until
/// the last handle of the hook's is gone, on whichever thread.
pub struct Keepable<T: Element> {
    memory: Memory<T>,
    /// What hooks see, whose last handle lets go one of `users`. `None` while it is kept.
    shown: Option<AnyMemory>,
    users: Arc<()>,
    /// Set by a hook that keeps it.
    asked: AtomicBool,
}

impl<T: Element> Keepable<T> {
    /// Memory that nobody else has a handle of.
    pub fn new(memory: Memory<T>) -> Self {
        let users = Arc::new(());
        let shown = Some(memory.untyped().lent(Box::new(users.clone())));
        Self { memory, shown, users, asked: AtomicBool::new(false) }
    }

    /// The memory, to be read.
    pub fn memory(&self) -> &Memory<T> {
        &self.memory
    }

    /// The memory, in whose place the caller may put other: not while [`is_kept`](Self::is_kept) says that a hook reads it.
    pub fn memory_mut(&mut self) -> &mut Memory<T> {
        self.shown = None;
        self.users = Arc::new(());
        &mut self.memory
    }

    /// The whole of it for a frame, as [`Field::new`]. A hook that writes its fields must not keep them: for frames of hooks
    /// that only look ([`Hook::only_looks`](crate::Hook::only_looks)).
    pub fn field<'a>(&'a self, name: &'a str) -> Field<'a> {
        match &self.shown {
            Some(shown) => Field::untyped(name, shown).keepable(&self.asked),
            None => Field::new(name, &self.memory),
        }
    }

    /// Whether a hook has kept it and still has a handle.
    pub fn is_kept(&mut self) -> bool {
        if std::mem::take(self.asked.get_mut()) {
            self.shown = None;
        }
        if self.shown.is_none() {
            // Unlike a look at the count, this comes after all that the hook's threads have read.
            if Arc::get_mut(&mut self.users).is_none() {
                return true;
            }
            self.shown = Some(self.memory.untyped().lent(Box::new(self.users.clone())));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca_core::Device;

    #[test]
    fn memory_is_kept_until_the_last_handle_is_gone() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let mut memory = Keepable::new(device.malloc_from(&[1.0, 2.0]).unwrap());
        let seen = memory.field("u").memory().clone();
        assert!(!memory.is_kept(), "a hook that has not asked sees what the solver writes");
        drop(seen);
        for _ in 0..2 {
            let kept = memory.field("u").keep().unwrap();
            let again = kept.clone();
            assert!(memory.is_kept() && memory.field("u").keep().is_none());
            drop(kept);
            assert!(memory.is_kept());
            std::thread::spawn(move || drop(again)).join().unwrap();
            assert!(!memory.is_kept());
        }
        assert!(Field::new("u", memory.memory()).keep().is_none(), "of a solver that has no other memory");
    }
}
