//! C family.
