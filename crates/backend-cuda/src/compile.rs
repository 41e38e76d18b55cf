//! Options of NVRTC, and the way from emitted text to an artifact.

use crate::artifact::Parts;
use crate::error;
use crate::find::{self, Found};
use crate::nvrtc::Nvrtc;
use crate::range;
use ferrocca_core::Result;
use ferrocca_core::props::Props;
use okl::Compiled;

/// Which NVRTC a device compiles with, and for what.
pub(crate) struct Compiler {
    /// Path of the library, where the device's props name one.
    pub(crate) named: Option<String>,
    /// What the driver is for: `(13, 0)`.
    pub(crate) driver: (u32, u32),
    /// `sm_90`
    pub(crate) architecture: String,
    /// Most bytes of shared memory that a group may declare.
    pub(crate) max_shared_bytes: u64,
}

impl Compiler {
    /// The library. Looking for it again is cheap.
    pub(crate) fn found(&self) -> Result<Found> {
        find::find(self.named.as_deref(), self.driver)
    }

    /// NVRTC's options for kernels with these props.
    pub(crate) fn options(&self, props: &Props) -> Result<Vec<String>> {
        let contract = match props.get_str("fp_contract")? {
            None | Some("off") => false,
            Some("fast") => true,
            Some(other) => {
                return Err(error::props(format!("property `fp_contract`: expected `off` or `fast`, got `{other}`")));
            }
        };
        let mut options = base_options(&self.architecture, contract);
        if props.get_bool("lineinfo")?.unwrap_or(false) {
            options.push("--generate-line-info".to_owned());
        }
        options.extend(props.get_str("compiler_flags")?.unwrap_or("").split_whitespace().map(str::to_owned));
        Ok(options)
    }

    /// Emitted text to an artifact.
    pub(crate) fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        let _range = range::open(c"build");
        let options = self.options(props)?;
        let cubin = Nvrtc::of(&self.found()?)?.compile(&text.with_line_directives(), &options)?;
        Ok(Parts { cubin: &cubin, options: &options.join("\n"), text: &text.text }.join())
    }
}

/// The options that every text is compiled with. Contraction is off unless it is asked for, so that a kernel has the
/// same bits here and on the CPU.
pub(crate) fn base_options(architecture: &str, contract: bool) -> Vec<String> {
    vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned(), format!("--fmad={contract}")]
}
