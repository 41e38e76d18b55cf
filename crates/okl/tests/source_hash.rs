//! The hash that names the compiler in cache keys covers every file that the compiler is made of, embedded ones too.

#[path = "../build.rs"]
#[allow(dead_code)]
mod build_script;
mod support;

use std::path::{Path, PathBuf};

/// The files that `source` embeds, as paths.
fn embedded(source: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(source).unwrap();
    let directory = source.parent().unwrap();
    ["include_str!(", "include_bytes!(", "include!("]
        .iter()
        .flat_map(|macro_call| text.split(macro_call).skip(1))
        .map(|rest| {
            let literal = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let (name, _) = literal.unwrap_or_else(|| panic!("{}: embeds no literal path", source.display()));
            let path = directory.join(name);
            path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
        .collect()
}

#[test]
fn every_embedded_file_is_hashed() {
    let root = support::package_directory().join("src").canonicalize().unwrap();
    let hashed = build_script::hashed_files(&root).unwrap();
    let sources = hashed.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let embedded: Vec<PathBuf> = sources.flat_map(|source| embedded(source)).collect();
    assert!(embedded.iter().any(|file| file.ends_with("back/cpu/f16_of_f32.c")), "{embedded:?}");
    let missing: Vec<_> = embedded.iter().filter(|file| !hashed.contains(file)).collect();
    assert!(missing.is_empty(), "a change of these files would leave stale artifacts in caches: {missing:?}");
}
