//! What is published: every crate from its package, and the Python package as wheel and sources.

use crate::process::{Result, cargo, check, output, root};
use crate::python::Environment;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crates that are published, each behind those that it needs.
struct Crates {
    in_order: Vec<String>,
    needs: BTreeMap<String, Vec<String>>,
}

impl Crates {
    fn of_workspace() -> Result<Self> {
        let text = output(&mut cargo("metadata --no-deps --format-version 1")).ok_or("`cargo metadata` failed")?;
        let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("`cargo metadata`: {error}"))?;
        let packages = metadata["packages"].as_array().ok_or("`cargo metadata` names no packages")?;
        let mut needs = BTreeMap::new();
        for package in packages.iter().filter(|package| package["publish"].is_null()) {
            let of_tests = |dependency: &Value| dependency["kind"] == "dev";
            let own = package["dependencies"].as_array().into_iter().flatten();
            let own = own.filter(|dependency| dependency["path"].is_string() && !of_tests(dependency));
            let names = own.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned)).collect();
            needs.insert(package["name"].as_str().unwrap_or_default().to_owned(), names);
        }
        let mut crates = Self { in_order: Vec::new(), needs };
        for name in crates.needs.keys().cloned().collect::<Vec<_>>() {
            let mut order = std::mem::take(&mut crates.in_order);
            crates.visit(&name, &mut order);
            crates.in_order = order;
        }
        Ok(crates)
    }

    /// Appends `name` behind what it needs.
    fn visit(&self, name: &str, order: &mut Vec<String>) {
        if order.iter().any(|known| known == name) {
            return;
        }
        for needed in self.needs.get(name).into_iter().flatten() {
            self.visit(needed, order);
        }
        order.push(name.to_owned());
    }

    /// What a program gets that depends on `name`.
    fn closure(&self, name: &str) -> Vec<String> {
        let mut order = Vec::new();
        self.visit(name, &mut order);
        order
    }
}

/// Builds every published crate from its package, in which only its own files are; then a solver of somebody else on
/// those packages.
pub(crate) fn package() -> Result {
    let crates = Crates::of_workspace()?;
    let mut packages = cargo("package --allow-dirty");
    check(packages.args(crates.in_order.iter().flat_map(|name| ["--package", name])))?;
    let target = root().join("target/package");
    let embed = target.join("embed");
    copy_directory(&root().join("examples/embed"), &embed)?;
    let mut build = cargo("test --quiet --target-dir");
    build.arg(target.join("embed-target")).current_dir(&embed);
    for name in crates.closure("ferrocca") {
        // `cargo package` leaves each package unpacked beside its archive.
        let path = target.join(format!("{name}-{}", env!("CARGO_PKG_VERSION")));
        let patch = format!("patch.crates-io.{name}.path={:?}", path.display().to_string());
        build.arg("--config").arg(patch);
    }
    check(&mut build)
}

/// All of a release but its publication: the packages, the wheel and the Python sources. Says what is still to be done.
pub(crate) fn dry_run() -> Result {
    let version = env!("CARGO_PKG_VERSION");
    package()?;
    let environment = Environment::prepare()?;
    let files = root().join("target/release-files");
    wheel(&environment, &["--release", "--sdist"], &files)?;

    let mut open = Vec::new();
    let changelog =
        fs::read_to_string(root().join("CHANGELOG.md")).map_err(|error| format!("CHANGELOG.md: {error}"))?;
    if !changelog.contains(&format!("\n## [{version}]")) {
        open.push(format!("give the section `[Unreleased]` of CHANGELOG.md its name: `## [{version}] - DATE`"));
    }
    let status = output(Command::new("git").args(["status", "--porcelain"]).current_dir(root()));
    if status.is_none_or(|status| !status.is_empty()) {
        open.push("commit what is not committed".to_owned());
    }
    let tags = output(Command::new("git").args(["tag", "--list", &format!("v{version}")]).current_dir(root()));
    if tags.is_some_and(|tags| !tags.is_empty()) {
        open.push(format!("choose another version: there is a tag v{version} already"));
    }
    println!("\nThe packages of {version} build. Nothing was published.");
    open.iter().for_each(|line| println!("First {line}."));
    println!("Then publish, in this order:");
    for name in Crates::of_workspace()?.in_order {
        println!("  cargo publish --package {name}");
    }
    println!("  twine upload {}/*", files.display());
    println!("  git tag v{version} && git push origin v{version}");
    Ok(())
}

/// Builds the wheel into `files`, which is emptied before, with further `options` of maturin; then tries it in an environment where
/// nothing else is installed, not even NumPy.
pub(crate) fn wheel(environment: &Environment, options: &[&str], files: &Path) -> Result {
    let failed = |error: std::io::Error| format!("{}: {error}", files.display());
    if files.exists() {
        fs::remove_dir_all(files).map_err(failed)?;
    }
    let mut maturin = environment.program("maturin");
    maturin.args(["build", "--quiet", "--manifest-path", "crates/insitu-py/Cargo.toml"]).args(options).arg("--out");
    check(maturin.arg(files))?;
    let mut built = fs::read_dir(files).map_err(failed)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = built.find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    let wheel = wheel.ok_or("maturin has built no wheel")?;
    let clean = Environment::of_package(root().join("target/clean-environment"), &wheel)?;
    check(clean.program("python").args(["-m", "ferrocca", "info"]))?;
    let script = "import ferrocca\nmemory = ferrocca.Device('Serial').malloc(3)\nmemory.fill(2.0)\nassert memoryview(memory).tolist() == [2.0] * 3";
    check(clean.program("python").args(["-c", script]))
}

/// Packs the Python sources into `files`, and asks cargo whether what was packed is a whole workspace.
pub(crate) fn sources(environment: &Environment, files: &Path) -> Result {
    let mut maturin = environment.program("maturin");
    maturin.args(["sdist", "--manifest-path", "crates/insitu-py/Cargo.toml", "--out"]);
    check(maturin.arg(files))?;
    let name = concat!("ferrocca-", env!("CARGO_PKG_VERSION"));
    let mut unpack = environment.program("python");
    check(unpack.args(["-m", "tarfile", "--extract"]).arg(files.join(format!("{name}.tar.gz"))).arg(files))?;
    let mut metadata = cargo("metadata --offline --quiet --format-version 1 --manifest-path");
    match output(metadata.arg(files.join(name).join("Cargo.toml"))) {
        Some(_) => Ok(()),
        None => Err(format!("cargo refuses the Python sources that were unpacked in {}", files.display())),
    }
}

/// Copies the files of a directory and of those below it, but nothing that was built there.
fn copy_directory(from: &Path, to: &Path) -> Result {
    let failed = |error: std::io::Error| format!("copying {} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (source, destination) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy_directory(&source, &destination)?,
            false => fs::copy(&source, &destination).map(|_| ()).map_err(failed)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_stands_behind_what_it_needs() {
        let crates = Crates::of_workspace().unwrap();
        let place = |name: &str| crates.in_order.iter().position(|known| known == name);
        for (name, needs) in &crates.needs {
            for needed in needs {
                assert!(place(needed).is_some() && place(needed) < place(name), "{needed} before {name}");
            }
        }
        assert_eq!(place("xtask"), None);
        let embedded = crates.closure("ferrocca");
        assert!(embedded.iter().any(|name| name == "ferrocca-primitives"), "{embedded:?}");
        assert!(embedded.iter().all(|name| name != "ferrocca-cli"), "{embedded:?}");
    }
}
