//! The house's arrows: which crate may depend on which, and who alone knows Python.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Every crate of the workspace, and the crates of the workspace that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ferrocca-okl", &[]),
    ("ferrocca-core", &["ferrocca-okl"]),
    ("ferrocca-backend-cpu", &["ferrocca-core", "ferrocca-okl", "ferrocca-backend-reference"]),
    ("ferrocca-backend-cuda", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-opencl", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-reference", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-wgpu", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-primitives", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-spectra", &["ferrocca-core", "ferrocca-primitives"]),
    ("ferrocca-conformance", &["ferrocca-core", "ferrocca-okl", "ferrocca-primitives"]),
    ("ferrocca-macros", &["ferrocca-okl"]),
    ("ferrocca-ndarray", &["ferrocca-core"]),
    ("ferrocca-insitu", &["ferrocca-core"]),
    ("ferrocca-insitu-catalyst", &["ferrocca-core", "ferrocca-insitu"]),
    ("ferrocca-burgers", &["ferrocca-comm", "ferrocca-core", "ferrocca-insitu"]),
    ("ferrocca-comm", &["ferrocca-core"]),
    (
        "ferrocca",
        &[
            "ferrocca-core",
            "ferrocca-okl",
            "ferrocca-backend-cpu",
            "ferrocca-backend-cuda",
            "ferrocca-backend-opencl",
            "ferrocca-backend-reference",
            "ferrocca-backend-wgpu",
            "ferrocca-comm",
            "ferrocca-insitu",
            "ferrocca-insitu-catalyst",
            "ferrocca-macros",
            "ferrocca-ndarray",
            "ferrocca-primitives",
        ],
    ),
    ("ferrocca-insitu-py", &["ferrocca", "ferrocca-burgers", "ferrocca-spectra"]),
    ("ferrocca-cli", &["ferrocca", "ferrocca-burgers"]),
    ("xtask", &[]),
];

/// What tests, examples and benchmarks may use besides: the suite, and for those of the facade everything it fronts.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("ferrocca-core", &["ferrocca-conformance"]),
    ("ferrocca-backend-cpu", &["ferrocca-conformance"]),
    ("ferrocca-backend-cuda", &["ferrocca-conformance"]),
    ("ferrocca-insitu", &["ferrocca-backend-cpu", "ferrocca-conformance", "ferrocca-okl"]),
    ("ferrocca-insitu-catalyst", &["ferrocca-backend-cpu", "ferrocca-conformance"]),
    ("ferrocca-primitives", &["ferrocca-backend-cpu"]),
    ("ferrocca-ndarray", &["ferrocca-backend-cpu"]),
    ("ferrocca-comm", &["ferrocca-backend-cpu", "ferrocca-backend-cuda", "ferrocca-backend-reference"]),
    ("ferrocca-spectra", &["ferrocca"]),
    ("ferrocca", &["ferrocca-conformance", "ferrocca-burgers"]),
];

struct Dependency {
    from: String,
    to: String,
    in_tests_only: bool,
}

fn dependencies() -> (Vec<String>, Vec<Dependency>) {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut packages = Vec::new();
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().expect("a list of packages") {
        packages.push(text(&package["name"]));
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            found.push(Dependency {
                from: text(&package["name"]),
                to: text(&dependency["name"]),
                in_tests_only: dependency["kind"] == "dev",
            });
        }
    }
    (packages, found)
}

fn allowed(table: &[(&str, &[&str])], from: &str, to: &str) -> bool {
    table.iter().any(|(name, targets)| *name == from && targets.contains(&to))
}

#[test]
fn every_dependency_follows_an_arrow() {
    let (packages, dependencies) = dependencies();
    for package in &packages {
        assert!(ALLOWED.iter().any(|(name, _)| name == package), "`{package}` has no row in this test's table");
    }
    let wrong: Vec<String> = dependencies
        .iter()
        .filter(|dependency| packages.contains(&dependency.to))
        .filter(|Dependency { from, to, in_tests_only }| {
            !(allowed(ALLOWED, from, to) || *in_tests_only && allowed(ALLOWED_IN_TESTS, from, to))
        })
        .map(|Dependency { from, to, in_tests_only }| {
            format!("{from} -> {to}{}", if *in_tests_only { " (in tests)" } else { "" })
        })
        .collect();
    assert!(wrong.is_empty(), "against the arrows: {}", wrong.join(", "));
}

#[test]
fn only_the_python_extension_knows_pyo3() {
    let (_, dependencies) = dependencies();
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for dependency in &dependencies {
        users.entry(&dependency.to).or_default().push(&dependency.from);
    }
    for (name, users) in &users {
        if name.starts_with("pyo3") || *name == "numpy" {
            assert!(users.iter().all(|user| *user == "ferrocca-insitu-py"), "{name} is used by {users:?}");
        }
    }
}

#[test]
fn the_language_reads_nothing_and_the_solver_names_no_backend() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let absent = [
        ("crates/okl/src", &["std::fs", "std::process", "std::net", "std::env"][..]),
        ("crates/burgers/src", &["backend_", "pyo3", "Python", "mode=", "CUDA", "Serial"][..]),
    ];
    for (directory, words) in absent {
        let mut pending = vec![root.join(directory)];
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a directory of sources");
                pending.extend(entries.map(|entry| entry.expect("an entry").path()));
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source file");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let found = words.iter().find(|word| line.contains(**word));
                assert!(found.is_none(), "{}: `{line}` uses {found:?}", path.display());
            }
        }
    }
}

#[test]
fn the_packaged_kernel_is_the_one_in_kernels() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let kernel = std::fs::read_to_string(root.join("kernels/burgers.okl")).expect("kernels/burgers.okl");
    assert!(
        kernel == burgers::KERNEL_SOURCE,
        "crates/burgers/kernels/burgers.okl differs from kernels/burgers.okl: `cargo xtask bless` copies it"
    );
}

/// The layers of okl, and what each may use of the others. What stands in no row (`source`, `diagnostic`, the compiler's
/// front page) is below or above all of them.
const OKL_LAYERS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("signature", &["ir"]),
    ("bounds", &["ir", "signature"]),
    ("target", &["ir", "signature"]),
    // Of the IR the front end knows the scalar types.
    ("front", &["ir"]),
    ("lower", &["front", "ir", "target"]),
    // Races are found in the description of the accesses.
    ("valid", &["bounds", "ir", "target"]),
    ("passes", &["ir", "target"]),
    // What checks everything reports the faults of the interpreter.
    ("back", &["ir", "signature", "target", "valid", "passes", "interp"]),
    ("interp", &["ir"]),
];

/// The modules of a crate's root that a source file names: `crate::a::…` and each part of `crate::{a::…, b}`.
fn modules_used(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let first_word =
        |text: &str| -> String { text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push(first_word(rest));
            continue;
        };
        let (mut depth, mut starts_part) = (1, true);
        for (index, character) in group.char_indices() {
            if std::mem::take(&mut starts_part) {
                found.push(first_word(&group[index..]));
            }
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => starts_part = depth == 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// What a file of a layer uses against the arrows.
fn against_the_layers(layer: &str, source: &str) -> Vec<String> {
    let Some((_, allowed)) = OKL_LAYERS.iter().find(|(name, _)| *name == layer) else { return Vec::new() };
    let is_layer = |name: &String| OKL_LAYERS.iter().any(|(layer, _)| layer == name);
    let used = modules_used(source).into_iter().filter(is_layer);
    used.filter(|name| name != layer && !allowed.contains(&name.as_str())).collect()
}

#[test]
fn the_layers_of_okl_are_acyclic() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/okl/src");
    let mut wrong = Vec::new();
    for (layer, _) in OKL_LAYERS {
        let mut pending = vec![root.join(layer), root.join(format!("{layer}.rs"))];
        pending.retain(|path| path.exists());
        assert!(!pending.is_empty(), "okl has no module `{layer}`");
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a directory of sources");
                pending.extend(entries.map(|entry| entry.expect("an entry").path()));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                wrong.extend(against_the_layers(layer, &text).iter().map(|name| format!("{}: {name}", path.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "against the layers of okl:\n{}", wrong.join("\n"));
}

#[test]
fn an_arrow_between_layers_that_is_not_allowed_is_seen() {
    let ways = [
        "use crate::back::cpu;",
        "use crate::{ir::{Body, Expr}, back, source::Span};",
        "use crate::{\n    ir::{self, Module},\n    back::{\n        cpu,\n    },\n};",
        "fn f() -> crate::back::signature::Slots {",
    ];
    for way in ways {
        assert_eq!(against_the_layers("passes", way), ["back"], "{way}");
        assert!(against_the_layers("back", way).is_empty(), "{way}");
    }
    assert!(against_the_layers("passes", "// not `crate::back`\nuse crate::ir::{back, lower};").is_empty());
    assert_eq!(against_the_layers("interp", "use crate::{lower, passes::simt, ir};"), ["lower", "passes"]);
}
