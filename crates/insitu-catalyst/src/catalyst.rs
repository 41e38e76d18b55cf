//! The Catalyst API, version 2: `catalyst_initialize`, `catalyst_execute`, `catalyst_finalize`.

use crate::conduit::{self, Conduit, IN_CATALYST, Node, RawNode};
use crate::grid::UniformGrid;
use crate::mesh::{Buffers, Transfer, describe};
use ferrocca_core::{Error, Result};
use ferrocca_insitu::{Control, Frame, Hook, Run};
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The channel that the mesh goes by.
const CHANNEL: &str = "catalyst/channels/mesh/";

type Call = unsafe extern "C" fn(RawNode) -> c_int;

/// Catalyst has one state for a process.
static IS_INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Hands each frame to a Catalyst implementation, such as ParaView's, as a uniform mesh on the channel `mesh`.
///
/// Of one process one such hook runs at a time. After an error of the run the implementation is finalised when the hook is
/// dropped.
pub struct CatalystHook {
    conduit: Conduit,
    initialize: Call,
    execute: Call,
    finalize: Call,
    grid: UniformGrid,
    transfer: Transfer,
    implementation: Option<(String, Option<PathBuf>)>,
    scripts: Vec<PathBuf>,
    buffers: Buffers,
    is_running: bool,
}

impl CatalystHook {
    /// Opens a libcatalyst: a file, or a name that the system's loader finds (`libcatalyst.so`).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] where it does not load or lacks a function.
    pub fn open(library: impl AsRef<Path>, grid: UniformGrid) -> Result<Self> {
        let library = conduit::open("Catalyst", library.as_ref())?;
        // SAFETY: names and types are those of Catalyst's `catalyst_api.h`.
        let function = |name: &str| unsafe { conduit::function::<Call>(library, name) };
        let open = || {
            Ok(Self {
                conduit: Conduit::of(library, IN_CATALYST)?,
                initialize: function("catalyst_initialize")?,
                execute: function("catalyst_execute")?,
                finalize: function("catalyst_finalize")?,
                grid,
                transfer: Transfer::default(),
                implementation: None,
                scripts: Vec::new(),
                buffers: Buffers::new(),
                is_running: false,
            })
        };
        open().map_err(|error: Error| error.while_doing("opening libcatalyst"))
    }

    /// The implementation to load (`catalyst_load/implementation`), `paraview` for ParaView's, and the directory where it
    /// lies. Without it the environment decides: `CATALYST_IMPLEMENTATION_NAME`, `CATALYST_IMPLEMENTATION_PATHS`.
    #[must_use]
    pub fn implementation(mut self, name: impl Into<String>, directory: Option<impl Into<PathBuf>>) -> Self {
        self.implementation = Some((name.into(), directory.map(Into::into)));
        self
    }

    /// Adds a script for the implementation to run (`catalyst/scripts/scriptN`).
    #[must_use]
    pub fn script(mut self, path: impl Into<PathBuf>) -> Self {
        self.scripts.push(path.into());
        self
    }

    /// How fields are handed over.
    #[must_use]
    pub fn transfer(mut self, transfer: Transfer) -> Self {
        self.transfer = transfer;
        self
    }

    fn parameters(&self, node: &Node<'_>) -> Result<()> {
        if let Some((name, directory)) = &self.implementation {
            node.set_text("catalyst_load/implementation", name)?;
            if let Some(directory) = directory {
                node.set_text(&format!("catalyst_load/search_paths/{name}"), text(directory)?)?;
            }
        }
        for (number, script) in self.scripts.iter().enumerate() {
            node.set_text(&format!("catalyst/scripts/script{number}"), text(script)?)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_running) {
            return Ok(());
        }
        let node = self.conduit.node();
        // SAFETY: the implementation was initialised, and the node is live.
        let status = unsafe { (self.finalize)(node.raw()) };
        IS_INITIALIZED.store(false, Ordering::Release);
        check("catalyst_finalize", status)
    }
}

impl Hook for CatalystHook {
    fn start(&mut self, _run: &Run) -> Result<()> {
        let node = self.conduit.node();
        self.parameters(&node)?;
        if IS_INITIALIZED.swap(true, Ordering::AcqRel) {
            return Err(Error::invalid("Catalyst runs in this process already: it has one state for all of it"));
        }
        // SAFETY: the node is live, and nobody else calls Catalyst, which the flag sees to.
        let status = unsafe { (self.initialize)(node.raw()) };
        let done = check("catalyst_initialize", status);
        drop(node);
        self.is_running = done.is_ok();
        IS_INITIALIZED.store(self.is_running, Ordering::Release);
        done
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        let node = self.conduit.node();
        node.set_int("catalyst/state/timestep", frame.step as i64)?;
        node.set_float("catalyst/state/time", frame.time)?;
        node.set_text(&format!("{CHANNEL}type"), "mesh")?;
        // SAFETY: the node is used in this call, in which the solver leaves its fields alone, and so do we the buffers.
        unsafe {
            describe(&node, &format!("{CHANNEL}data/"), frame, &self.grid, self.transfer, &mut self.buffers)?;
            check("catalyst_execute", (self.execute)(node.raw()))?;
        }
        Ok(Control::Continue)
    }

    fn finish(&mut self, _run: &Run) -> Result<()> {
        self.end()
    }
}

impl Drop for CatalystHook {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.end();
    }
}

/// What `enum catalyst_status` says.
fn check(function: &str, status: c_int) -> Result<()> {
    let reason = match status {
        0 => return Ok(()),
        1 => "there is no implementation",
        2 => "another implementation was loaded before",
        3 => "the implementation was not found: `implementation(name, directory)` says where it is",
        4 => "what was loaded is no implementation of Catalyst",
        5 => "the implementation lacks a function",
        6 => "the implementation is of a version that this libcatalyst does not take",
        7 => "the implementation has another Conduit than this libcatalyst",
        _ => "the implementation failed; its own output has the reason",
    };
    Err(Error::invalid(format!("`{function}` answered {status}: {reason}")))
}

/// A path that can be handed over.
fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::invalid(format!("the path {} is not UTF-8", path.display())))
}
