//! Where the tests of this package find their files.

use std::path::PathBuf;

/// The package's directory as cargo names it to a running test, which may be elsewhere than where the test was built;
/// of a test that is started by hand, where it was built.
pub(crate) fn package_directory() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()).into()
}
