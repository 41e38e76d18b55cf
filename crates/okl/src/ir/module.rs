//! A [`Module`] is cloned, compared, shown and dropped where its trees can be walked, whatever stack the thread has left.

use super::Module;
use crate::deep_stack::on_deep_stack;
use std::fmt;

impl Clone for Module {
    fn clone(&self) -> Self {
        on_deep_stack(|| Self {
            structs: self.structs.clone(),
            constants: self.constants.clone(),
            roots: self.roots.clone(),
            functions: self.functions.clone(),
            kernels: self.kernels.clone(),
        })
    }
}

impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        let Self { structs, constants, roots, functions, kernels } = self;
        on_deep_stack(|| {
            (structs, constants, roots) == (&other.structs, &other.constants, &other.roots)
                && (functions, kernels) == (&other.functions, &other.kernels)
        })
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        on_deep_stack(|| {
            let mut all = f.debug_struct("Module");
            all.field("structs", &self.structs).field("constants", &self.constants).field("roots", &self.roots);
            all.field("functions", &self.functions).field("kernels", &self.kernels).finish()
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The rest has no trees.
        if !self.functions.is_empty() || !self.kernels.is_empty() {
            on_deep_stack(|| {
                self.functions.clear();
                self.kernels.clear();
            });
        }
    }
}
