//! Whether a module keeps the rules of [`crate::ir`].
//!
//! For us, not for authors: debug builds and tests run it on everything that is lowered and after every pass.
//!
//! | file | rules |
//! | --- | --- |
//! | `module` | structs, constants, functions, kernels: what their parts refer to |
//! | `scope` | 1, 5, 6, 7, 8: structure, levels, declarations and roles |
//! | `typing` | 2, 3, 4: expressions and places have the types that they say |
//!
//! Nothing here looks at names: they are hints.

mod module;
mod scope;
mod typing;

pub use module::verify;
