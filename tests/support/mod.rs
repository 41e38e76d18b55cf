//! What the tests of this folder share.

#[allow(dead_code)] // Each test program has its own copy of this module, and not all of them start programs.
pub(crate) mod programs;

use std::path::PathBuf;

/// The package's directory as cargo names it to a running test, which may be elsewhere than where the test was built;
/// of a test that is started by hand, where it was built.
#[allow(dead_code)] // Each test program has its own copy of this module.
pub(crate) fn package_directory() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()).into()
}

/// Whether kernels can be compiled here. Without a C compiler a test says that it is skipped, unless
/// `FERROCCA_REQUIRE_CC` says that there must be one.
// Each test program has its own copy of this module, and not all of them compile for the host.
#[allow(dead_code)]
pub(crate) fn has_c_compiler() -> bool {
    let named = std::env::var("CC").into_iter();
    let usual = ["clang", "gcc", "cc"].map(str::to_owned);
    let found = named.chain(usual).any(|compiler| {
        let version = std::process::Command::new(compiler).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    assert!(
        found || std::env::var_os("FERROCCA_REQUIRE_CC").is_none(),
        "FERROCCA_REQUIRE_CC is set, and there is no C compiler"
    );
    if !found {
        eprintln!("skipped: there is no C compiler");
    }
    found
}

/// Whether a device can be opened here. Where it cannot, a test says so, unless `FERROCCA_REQUIRE_DEVICES` names its mode.
// Each test program has its own copy of this module, and not all of them open devices.
#[allow(dead_code)]
pub(crate) fn has_device(props: &str) -> bool {
    let Err(error) = ferrocca::Device::open(props) else { return true };
    let mode = props.split(',').next().unwrap_or(props).trim_start_matches("mode=");
    let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
    assert!(!required.split(',').any(|name| name.trim().eq_ignore_ascii_case(mode)), "{error}");
    eprintln!("skipped: {error}");
    false
}

/// Whether in-situ scripts can run here. Without a Python that has the package a test says that it is skipped, unless
/// `FERROCCA_REQUIRE_PYTHON` says that there must be one.
// Each test program has its own copy of this module, and not all of them run scripts.
#[allow(dead_code)]
pub(crate) fn has_python() -> bool {
    match ferrocca::insitu::python::Python::active() {
        Ok(_) => true,
        Err(error) if std::env::var_os("FERROCCA_REQUIRE_PYTHON").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            false
        }
    }
}
