//! Ascent's C interface: `ascent_open`, `ascent_publish`, `ascent_execute`, `ascent_close`.

use crate::conduit::{self, Conduit, PLAIN, RawNode};
use crate::grid::UniformGrid;
use crate::mesh::{Buffers, Transfer, describe};
use ferrocca_core::{Error, Result};
use ferrocca_insitu::{Control, Frame, Hook, Run};
use std::ffi::c_void;
use std::path::Path;

/// `Ascent *`.
type Instance = *mut c_void;
type WithNode = unsafe extern "C" fn(Instance, RawNode);

/// Publishes each frame to Ascent as a uniform mesh, and executes its actions: those of `ascent_actions.yaml` in the current
/// directory, or of the file that the option `actions_file` names.
pub struct AscentHook {
    conduit: Conduit,
    functions: Functions,
    grid: UniformGrid,
    transfer: Transfer,
    options: Vec<(String, String)>,
    buffers: Buffers,
    instance: Option<Instance>,
}

#[derive(Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn() -> Instance,
    destroy: unsafe extern "C" fn(Instance),
    open: WithNode,
    publish: WithNode,
    execute: WithNode,
    close: unsafe extern "C" fn(Instance),
}

// SAFETY: the instance is used by one thread at a time, through `&mut self`; Ascent ties it to none.
unsafe impl Send for AscentHook {}

impl AscentHook {
    /// Opens a libascent: a file, or a name that the system's loader finds (`libascent.so`).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] where it does not load or lacks a function.
    pub fn open(library: impl AsRef<Path>, grid: UniformGrid) -> Result<Self> {
        let library = conduit::open("Ascent", library.as_ref())?;
        let open = || {
            // SAFETY: names and types are those of Ascent's `ascent.h`.
            let functions = unsafe {
                Functions {
                    create: conduit::function(library, "ascent_create")?,
                    destroy: conduit::function(library, "ascent_destroy")?,
                    open: conduit::function(library, "ascent_open")?,
                    publish: conduit::function(library, "ascent_publish")?,
                    execute: conduit::function(library, "ascent_execute")?,
                    close: conduit::function(library, "ascent_close")?,
                }
            };
            let conduit = Conduit::of(library, PLAIN)?;
            let (transfer, options, buffers) = (Transfer::default(), Vec::new(), Buffers::new());
            Ok(Self { conduit, functions, grid, transfer, options, buffers, instance: None })
        };
        open().map_err(|error: Error| error.while_doing("opening libascent"))
    }

    /// An option of Ascent's, such as `actions_file` or `default_dir`.
    #[must_use]
    pub fn option(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((path.into(), value.into()));
        self
    }

    /// How fields are handed over.
    #[must_use]
    pub fn transfer(mut self, transfer: Transfer) -> Self {
        self.transfer = transfer;
        self
    }

    fn end(&mut self) {
        if let Some(instance) = self.instance.take() {
            // SAFETY: the instance is open, and this is its last use.
            unsafe {
                (self.functions.close)(instance);
                (self.functions.destroy)(instance);
            }
        }
    }
}

impl Hook for AscentHook {
    fn start(&mut self, _run: &Run) -> Result<()> {
        self.end();
        let options = self.conduit.node();
        for (path, value) in &self.options {
            options.set_text(path, value)?;
        }
        // SAFETY: the instance is new, and the node is live.
        unsafe {
            let instance = (self.functions.create)();
            (self.functions.open)(instance, options.raw());
            self.instance = Some(instance);
        }
        Ok(())
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        let Some(instance) = self.instance else {
            return Err(Error::invalid("Ascent is not open: `start` comes before `step`"));
        };
        let (mesh, actions) = (self.conduit.node(), self.conduit.node());
        // SAFETY: the nodes are used in this call, in which the solver leaves its fields alone, and so do we the buffers.
        unsafe {
            describe(&mesh, "", frame, &self.grid, self.transfer, &mut self.buffers)?;
            (self.functions.publish)(instance, mesh.raw());
            (self.functions.execute)(instance, actions.raw());
        }
        Ok(Control::Continue)
    }

    fn finish(&mut self, _run: &Run) -> Result<()> {
        self.end();
        Ok(())
    }
}

impl Drop for AscentHook {
    fn drop(&mut self) {
        self.end();
    }
}
