//! The examples of the compiler's rules: the wrong one breaks its rule and no other, the right one compiles for all targets.

use crate::native;
use crate::targets::{Labelled, validate_wgsl};
use crate::text::compare;
use okl::rules::{self, Rule};
use okl::{Checks, Diagnostics, NoIncludes, Request};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const LABELS: [&str; 5] = ["cpu", "cuda", "opencl", "opencl_loops", "wgsl"];

pub(crate) fn check(rule: &'static Rule, compilers: &[PathBuf]) -> Result<(), String> {
    let labels = if rule.target.is_empty() { &LABELS[..] } else { &[rule.target][..] };
    // There nothing prints.
    let is_silent = |label: &str| label == "wgsl" && rule.target.is_empty() && rule.wrong.contains("printf");
    for label in labels.iter().filter(|label| !is_silent(label)) {
        check_wrong(rule, label)?;
    }
    let right = rule.right_kernels();
    let mut texts = Vec::new();
    for label in LABELS.into_iter().filter(|label| !is_silent(label)) {
        let at = |e: String| format!("the right example, for {label}:\n{e}\n{right}");
        let labelled = Labelled::new(label)?;
        let compiled = okl::compile(&request(&right), &*labelled.target).map_err(|found| at(found.to_string()))?;
        if !compiled.warnings.list.is_empty() {
            return Err(at(compiled.warnings.to_string()));
        }
        if let Some(capabilities) = labelled.naga {
            compiled
                .extra_texts
                .values()
                .chain([&compiled.text])
                .try_for_each(|text| validate_wgsl(text, capabilities))
                .map_err(at)?;
        }
        if label == "cpu" {
            texts.push(compiled.text);
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    compilers.iter().try_for_each(|compiler| native::load_all(compiler, &texts, &[]).map(drop))
}

/// Everything that is found in the wrong example is of its rule.
fn check_wrong(rule: &'static Rule, label: &str) -> Result<(), String> {
    let wrong = rule.wrong_kernels();
    let labelled = Labelled::new(label)?;
    let found: Diagnostics = match okl::compile_with(&request(&wrong), &*labelled.target, Checks::default()) {
        Ok(compiled) => compiled.warnings,
        Err(found) => found,
    };
    let is_it = |finding: &okl::Diagnostic| finding.rule == Some(rule) && finding.severity == rule.severity;
    match !found.list.is_empty() && found.list.iter().all(is_it) {
        true => Ok(()),
        false => Err(format!("the wrong example does not break {} alone, for {label}:\n{found}\n{wrong}", rule.code)),
    }
}

fn request(source: &str) -> Request<'_> {
    Request { name: "example.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes }
}

/// Codes and names are there once, codes rise, and the page in `docs` is made of the table.
pub(crate) fn check_table(package: &Path) -> Result<(), String> {
    let mut seen = HashSet::new();
    let mut last = "";
    for rule in rules::all() {
        let is_code = rule.code.len() == 4 && rule.code.starts_with('K') && rule.code > last;
        let is_name = rule.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        if !is_code || !is_name || !seen.insert(rule.code) || !seen.insert(rule.name) {
            return Err(format!(
                "{} `{}`: codes rise, and a name is there once, in small letters",
                rule.code, rule.name
            ));
        }
        if !rule.sentence.ends_with('.') || !rule.why.ends_with('.') {
            return Err(format!("{}: its sentences end with a full stop", rule.code));
        }
        last = rule.code;
    }
    compare(&package.join("../../docs/rules.md"), &rules::document())
}
