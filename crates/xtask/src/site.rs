//! `docs/` as a site, by mdBook.

use crate::process::{Result, cargo, check, output, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of mdBook that makes the site.
const VERSION: &str = "0.5.4";

/// Builds the site into `target/book`. What mdBook warns of is a failure.
pub(crate) fn site() -> Result {
    let mut mdbook = Command::new(find_or_install()?);
    mdbook.arg("build").current_dir(root()).env_remove("MDBOOK_LOG").env_remove("RUST_LOG");
    println!("+ mdbook build");
    let built =
        mdbook.stdin(Stdio::null()).output().map_err(|error| format!("mdbook could not be started: {error}"))?;
    let said = String::from_utf8_lossy(&built.stderr);
    if !built.status.success() || said.contains("WARN") || said.contains("ERROR") {
        return Err(format!("`mdbook build` found fault with docs/:\n{said}"));
    }
    println!("{}", root().join("target/book/index.html").display());
    Ok(())
}

/// The mdBook of this version: the user's, or one in `target/tools`. Built without its server, and without optimisation, it
/// takes half a minute on two cores.
fn find_or_install() -> Result<PathBuf> {
    let tools = root().join("target/tools");
    let own = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    for candidate in [Path::new("mdbook"), &own] {
        let version = output(Command::new(candidate).arg("--version"));
        if version.is_some_and(|version| version.trim_start_matches("mdbook v") == VERSION) {
            return Ok(candidate.to_path_buf());
        }
    }
    let mut install = cargo(&format!(
        "install mdbook --version ={VERSION} --locked --no-default-features --features search --debug --quiet --root"
    ));
    // Cargo builds in a directory that it removes, unless one is named.
    install.arg(&tools).env_remove("CARGO_TARGET_DIR");
    install.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    check(&mut install).map_err(|error| format!("{error}\nWith mdBook {VERSION} on PATH nothing is installed"))?;
    Ok(own)
}
