//! Names the state of the compiler's own source, so that a cache can tell what an older compiler emitted.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src");
    println!("cargo::rerun-if-changed=src");
    let mut hasher = DefaultHasher::new();
    for file in hashed_files(&root)? {
        let text = std::fs::read(&file)?;
        hasher.write_usize(text.len());
        hasher.write(&text);
    }
    println!("cargo::rustc-env=OKL_SOURCE_HASH={:016x}", hasher.finish());
    Ok(())
}

/// Every file below `directory`, whatever it is called: texts that the emitters embed decide the output as code does.
pub(crate) fn hashed_files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(hashed_files(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
