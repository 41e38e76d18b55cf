//! From a kernel's source to a loaded kernel.

use crate::Result;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::props::{IntoProps, Props};
use std::path::{Path, PathBuf};

/// Where a build came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildOrigin {
    /// Built by this device before.
    Memory,
    /// Found in the cache directory.
    Disk,
    /// Compiled now. `not_cached` says why the cache directory did not take it, where it did not.
    Compiled {
        /// Why it is not in the cache directory.
        not_cached: Option<String>,
    },
}

pub(crate) struct Program {
    text: String,
}
impl Program {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
    pub(crate) fn warnings(&self) -> &str {
        ""
    }
}

#[allow(dead_code)]
pub(crate) struct Programs {
    defaults: Props,
    cache_dir: Option<PathBuf>,
}
impl Programs {
    pub(crate) fn new(defaults: Props, cache_dir: Option<PathBuf>) -> Self {
        Self {
            defaults,
            cache_dir,
        }
    }
}

impl Device {
    /// Builds kernel `name` of the file at `path`.
    /// # Errors
    /// Not yet.
    pub fn build_kernel(
        &self,
        _path: impl AsRef<Path>,
        _name: &str,
        _props: impl IntoProps,
    ) -> Result<Kernel> {
        Err(crate::Error::unsupported("building", "not yet"))
    }
    /// Builds kernel `name` of a source text.
    /// # Errors
    /// Not yet.
    pub fn build_kernel_from_string(
        &self,
        _source: &str,
        _name: &str,
        _props: impl IntoProps,
    ) -> Result<Kernel> {
        Err(crate::Error::unsupported("building", "not yet"))
    }
}
