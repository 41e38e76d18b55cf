//! What the types refuse at compile time.

use std::process::Command;

/// The compiler whose words the expected texts are; others refuse the same with words of their own.
const BLESSED: &str = "rustc 1.95.";

/// Flags that cargo prefers to all others.
const FLAGS_VARIABLE: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Those that trybuild 1.0 checks the cases with. It checks what they depend on without the last one, so that cargo would do that
/// once more for the cases.
const FLAGS: [&str; 5] = ["--cfg", "trybuild", "--verbose", "-Adead_code", "--diagnostic-width=140"];

#[test]
fn misuse_does_not_compile() {
    let flags = FLAGS.join("\x1f");
    if std::env::var(FLAGS_VARIABLE).is_ok_and(|given| given == flags) {
        trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
        return;
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc starts").stdout;
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(BLESSED) {
        eprintln!("skipped: the expected texts are those of {BLESSED}*, this is {version}");
        return;
    }
    // Variables of this process are shared with other threads: this test once more, in a process of its own.
    let mut test = Command::new(std::env::current_exe().expect("a test has a path"));
    test.args(["--exact", "misuse_does_not_compile", "--nocapture"]).env(FLAGS_VARIABLE, flags);
    assert!(test.status().expect("this program starts once more").success(), "see above");
}
