//! What kernels are compiled for: the trait that a target implements, and what the targets of this crate may ask of a
//! device.
//!
//! A target takes checked IR and makes text (or any other form) for one kind of compiler. Those of this crate are in
//! [`crate::back`]; any other crate can have one. Most need nothing but a table of words: see
//! [`crate::back::c_family`].

pub mod opencl;
pub mod wgsl;

pub use crate::signature::Hints;

use crate::diagnostic::Diagnostic;
use crate::ir::{Module, Pass, Scalar};
use crate::signature::Signature;
use crate::source::SourceMap;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What kernels are compiled for.
///
/// The same module, target and features give the same text: it is a cache key.
pub trait Target: Send + Sync + Debug {
    /// What diagnostics and listings call it: `CUDA C++`.
    fn name(&self) -> &str;

    /// Everything that decides the text, as text: it is part of a cache key. As given, what `Debug` says, which is right
    /// where that shows the type's name and every field.
    fn identity(&self) -> String {
        format!("{self:?}")
    }

    /// Refuses what the target, or its device, cannot do. What it lets pass can be emitted.
    fn check(&self, _module: &Module, _found: &mut Vec<Diagnostic>) {}

    /// Whether its text can print. Where it cannot, `printf` leaves a line in the record of faults
    /// ([`Signature::lines`]), and [`emit`](Self::emit) sees no [`StmtKind::Print`](crate::ir::StmtKind::Print).
    fn prints(&self) -> bool {
        true
    }

    /// Whether signed sums, differences and products that leave their type wrap in its text. Where they have no meaning, as
    /// in C, [`emit`](Self::emit) sees them in unsigned types unless launches prove that they fit.
    fn wraps(&self) -> bool {
        false
    }

    /// What changes a checked module into one that [`emit`](Self::emit) takes, in order.
    fn passes(&self) -> Vec<Pass> {
        Vec::new()
    }

    /// The type in which checks compare the index of an access with the number of elements: `I64`, or `I32` where the
    /// target has no wider ones. `None`: whoever runs the module checks accesses itself.
    fn index_type(&self) -> Option<Scalar> {
        Some(Scalar::I64)
    }

    /// Prints a module that has gone through the passes. It cannot fail.
    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted;
}

/// The text of a module, and what launches of its kernels need.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// For each line of the text, the file and 1-based line of the source.
    pub lines: Vec<Option<(u32, u32)>>,
    /// One per kernel.
    pub signatures: Vec<Signature>,
    /// Further texts that the target's backend knows by name.
    pub extra_texts: BTreeMap<String, String>,
}

impl Emitted {
    /// A text whose lines come from `lines`, and one signature per kernel.
    pub fn new(text: String, lines: Vec<Option<(u32, u32)>>, signatures: Vec<Signature>) -> Self {
        Self { text, lines, signatures, extra_texts: BTreeMap::new() }
    }

    /// The same with a further text.
    #[must_use]
    pub fn with_extra_text(mut self, name: &str, text: String) -> Self {
        self.extra_texts.insert(name.to_owned(), text);
        self
    }
}
