//! What the tests with a real Python share.

use ferrocca_insitu::python::Python;
use std::path::PathBuf;

/// A Python that can run scripts: that of `FERROCCA_TEST_PYTHON`, else the active one. Without one the test is
/// skipped, and says why; where `FERROCCA_REQUIRE_PYTHON` is set that is a failure.
pub(crate) fn python() -> Option<Python> {
    let found = match std::env::var_os("FERROCCA_TEST_PYTHON") {
        Some(program) => Python::at(program),
        None => Python::active(),
    };
    match found {
        Ok(python) => Some(python),
        Err(error) if std::env::var_os("FERROCCA_REQUIRE_PYTHON").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A script in a directory of its own.
pub(crate) fn script(directory: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, text).expect("the script is written");
    path
}
