//! What the types refuse at compile time.

use std::process::Command;

/// The compiler whose words the expected texts are; others refuse the same with words of their own.
const BLESSED: &str = "rustc 1.95.";

#[test]
fn misuse_does_not_compile() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc starts").stdout;
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(BLESSED) {
        eprintln!("skipped: the expected texts are those of {BLESSED}*, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
