//! The kernel property `okl`: OCCA's settings of its compiler.

use super::request::bad;
use crate::Result;
use crate::props::Props;
use std::path::PathBuf;

/// What OCCA knows.
const KNOWN: &[&str] = &["enabled", "validate", "add_barriers", "include_paths", "restrict", "strict_headers"];

/// What becomes of them.
pub(super) struct OklSettings {
    pub(super) include_paths: Vec<PathBuf>,
    pub(super) ignores_restrict: bool,
}

impl OklSettings {
    /// Reads them. `validate` and `add_barriers` may have any value: kernels are checked all the same, and barriers that a
    /// kernel does not need change no result.
    pub(super) fn of(props: &Props) -> Result<Self> {
        let okl = props.get_props("okl")?;
        okl.check_known("`okl`", KNOWN.iter().copied())?;
        okl.get_bool("validate")?;
        okl.get_bool("add_barriers")?;
        if okl.get_bool("enabled")? == Some(false) {
            return Err(bad(
                "`okl/enabled: false` says that the text is not OKL but the device's own language, such as CUDA C++. Only \
                 Rust programs can build such text, with `Device::build_native_kernel`; Python and the command `ferrocca` \
                 build OKL alone: remove the property there, and write the kernel in OKL"
                    .to_owned(),
            ));
        }
        if okl.get_bool("strict_headers")? == Some(false) {
            return Err(bad(
                "`okl/strict_headers: false` would leave headers that are not found to another compiler, and kernels are \
                 translated as a whole here: name their directories in `okl/include_paths`"
                    .to_owned(),
            ));
        }
        let ignores_restrict = match okl.get_str("restrict")? {
            None | Some("restrict" | "__restrict__" | "__restrict") => false,
            Some("disabled") => true,
            Some(word) => {
                return Err(bad(format!(
                    "`okl/restrict` takes 'disabled' or the word itself, which each target spells in its own way; got '{word}'"
                )));
            }
        };
        let include_paths = okl.get_strings("include_paths")?.into_iter().map(PathBuf::from).collect();
        Ok(Self { include_paths, ignores_restrict })
    }
}
