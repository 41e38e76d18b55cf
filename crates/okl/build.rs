//! Names the state of the compiler's own source, so that a cache can tell what an older compiler emitted.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src");
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let text = std::fs::read(&file)?;
        hasher.write_usize(text.len());
        hasher.write(&text);
    }
    println!("cargo::rustc-env=OKL_SOURCE_HASH={:016x}", hasher.finish());
    Ok(())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}
