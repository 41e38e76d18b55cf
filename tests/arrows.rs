//! The house's arrows: which crate may depend on which, and who alone knows Python.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Every crate of the workspace, and the crates of the workspace that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ferrocca-okl", &[]),
    ("ferrocca-core", &["ferrocca-okl"]),
    ("ferrocca-backend-cpu", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-cuda", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-opencl", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-backend-wgpu", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-conformance", &["ferrocca-core", "ferrocca-okl"]),
    ("ferrocca-insitu", &["ferrocca-core"]),
    ("ferrocca-burgers", &["ferrocca-core", "ferrocca-insitu"]),
    (
        "ferrocca",
        &[
            "ferrocca-core",
            "ferrocca-okl",
            "ferrocca-backend-cpu",
            "ferrocca-backend-cuda",
            "ferrocca-backend-opencl",
            "ferrocca-backend-wgpu",
            "ferrocca-insitu",
        ],
    ),
    ("ferrocca-insitu-py", &["ferrocca", "ferrocca-burgers"]),
    ("ferrocca-cli", &["ferrocca", "ferrocca-burgers"]),
    ("xtask", &[]),
];

/// What tests, examples and benchmarks may use besides: the suite, and for those of the facade everything it fronts.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("ferrocca-core", &["ferrocca-conformance"]),
    ("ferrocca-backend-cpu", &["ferrocca-conformance"]),
    ("ferrocca-backend-cuda", &["ferrocca-conformance"]),
    ("ferrocca-insitu", &["ferrocca-backend-cpu", "ferrocca-conformance", "ferrocca-okl"]),
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
