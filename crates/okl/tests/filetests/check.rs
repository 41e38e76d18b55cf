//! The one check: a file against everything that it demands.

use crate::adversarial;
use crate::bounds;
use crate::case::{Case, Expected, Finding, Run};
use crate::native::{self, Loaded, Split};
use crate::round_trip;
use crate::setup::{Argument, Setup, compare_bytes, is_name};
use crate::targets::{Labelled, validate_wgsl};
use crate::text::{check_text, compare, is_blessing, snapshot, stale};
use crate::value::{Operand, element_bytes};
use okl::ir::{self, Kernel, Line, Module, Type};
use okl::passes;
use okl::signature::{ParameterKind, Signature};
use okl::target::{Emitted, Target};
use okl::{Checks, Compiled, Diagnostic, Diagnostics, Includes, Request, Severity, SourceMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Finds included files beside the kernels, in `include/`.
struct Folder(PathBuf);

impl Includes for Folder {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(self.0.join(name)).map_err(|e| format!("`{name}`: {e}"))?;
        Ok((format!("include/{name}"), text))
    }
}

/// Checks one file; the error says everything that is wrong with it.
pub(crate) fn check(path: &Path, compilers: &[PathBuf]) -> Result<(), String> {
    let case = Case::read(path)?;
    if let Some(pass) = &case.pass {
        return check_pass(path, &case, pass);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let includes = Folder(folder.join("include"));
    let name = format!("{}.okl", case.name);
    let request =
        Request { name: &name, source: &case.source, mode: &case.mode, defines: &case.defines, includes: &includes };
    let (module, diagnostics) = match okl::to_ir_of_sizes(&request, &case.sizes) {
        Err(diagnostics) if case.errors.is_empty() => {
            return Err(format!("refused:\n{diagnostics}"));
        }
        Err(diagnostics) if is_blessing() => {
            return bless_findings(path, &case.source, &diagnostics);
        }
        Err(diagnostics) => return match_findings(&case.errors, &case.warnings, &diagnostics),
        Ok(_) if !case.errors.is_empty() => {
            return Err(format!("accepted, but errors are expected: {:?}", case.errors));
        }
        Ok((module, _, diagnostics)) => (module, diagnostics),
    };
    match_findings(&[], &case.warnings, &diagnostics)?;
    round_trip::check(&module)?;
    let mut done = Vec::new();
    for run in &case.runs {
        let at = |e: String| format!("line {}: {e}", run.line);
        done.extend(interpret(&module, &diagnostics.map, run, case.tolerance, &[]).map_err(at)?);
    }
    for label in &case.targets {
        let in_label = |e: String| format!("for target {label}:\n{e}");
        let labelled = Labelled::new(label)?;
        let expected = case.target_errors.iter().filter(|(of, _)| of == label).map(|(_, error)| error.clone());
        let expected: Vec<Finding> = expected.collect();
        let compiled = match okl::compile_with(&request, &*labelled.target, case.options(Checks::default())) {
            Err(found) => {
                match_findings(&expected, &case.warnings, &found).map_err(in_label)?;
                continue;
            }
            Ok(_) if !expected.is_empty() => return Err(in_label(format!("accepted, expected {expected:?}"))),
            Ok(compiled) => compiled,
        };
        check_lines(&compiled).map_err(in_label)?;
        // Without checks; where the target cannot print, lines are left to be printed.
        let plain = okl::compile_with(&request, &*labelled.target, case.options(Checks::None));
        let plain = plain.map_err(|found| in_label(found.to_string()))?;
        check_prepared(&plain, &diagnostics.map, &case).map_err(in_label)?;
        let checked = check_checked(&request, &*labelled.target, &diagnostics.map, &case).map_err(in_label)?;
        let again = okl::compile_with(&request, &*labelled.target, case.options(Checks::default()))
            .map_err(|found| in_label(found.to_string()))?;
        if again.text != compiled.text || again.extra_texts != compiled.extra_texts {
            return Err(in_label("the same source gave another text the second time".into()));
        }
        check_text(&case.text_checks, label, &compiled.text)?;
        if case.texts.contains(label) {
            compare(&snapshot(folder, &case.name, label, labelled.ending), &compiled.text)?;
        }
        if let Some(capabilities) = labelled.naga {
            let texts = compiled.extra_texts.values().chain([&compiled.text]);
            let mut texts = texts.chain(checked.extra_texts.values()).chain([&checked.text]);
            texts.try_for_each(|text| validate_wgsl(text, capabilities)).map_err(in_label)?;
        }
        if label == "cpu" {
            check_bounds(&compiled, &done).map_err(in_label)?;
            let options = case.options(Checks::UnprovenOfConstants);
            let of_constants = okl::compile_with(&request, &*labelled.target, options);
            let of_constants = of_constants.map_err(|found| in_label(found.to_string()))?;
            check_bounds(&of_constants, &done).map_err(|error| in_label(format!("of constant memory: {error}")))?;
            for compiler in compilers {
                run_native(&module, (&of_constants.text, &of_constants.signatures), compiler, &done, &Split::ALL[..1])
                    .map_err(|e| format!("of constant memory:\n{e}\n{}", of_constants.text))?;
                run_native(&module, (&compiled.text, &compiled.signatures), compiler, &done, &Split::ALL)?;
                run_native(&module, (&checked.text, &checked.signatures), compiler, &done, &Split::ALL)
                    .map_err(|e| format!("with checks:\n{e}\n{}", checked.text))?;
            }
        }
        for round in 0..adversarial::rounds() {
            let renamed = emit_renamed(&labelled, &plain.with_checks, &diagnostics.map, round).map_err(in_label)?;
            if let ("cpu", Some(compiler)) = (label.as_str(), compilers.first()) {
                run_native(&module, (&renamed.text, &renamed.signatures), compiler, &done, &Split::ALL[..1])
                    .map_err(|e| format!("under other names:\n{e}\n{}", renamed.text))?;
            }
        }
    }
    Ok(())
}

/// The text of the same kernels under names that mean something to the target, which naga takes where it is WGSL.
fn emit_renamed(labelled: &Labelled, module: &Module, map: &SourceMap, round: u64) -> Result<Emitted, String> {
    let mut renamed = adversarial::renamed(module, round);
    ir::run_passes(&labelled.target.passes(), None, &mut renamed);
    let emitted = labelled.target.emit(&renamed, map);
    if let Some(capabilities) = labelled.naga {
        let mut texts = emitted.extra_texts.values().chain([&emitted.text]);
        texts.try_for_each(|text| validate_wgsl(text, capabilities)).map_err(|e| format!("under other names:\n{e}"))?;
    }
    Ok(emitted)
}

/// What the target's passes make of a kernel gives the same, and its text is read back.
fn check_prepared(compiled: &Compiled, map: &SourceMap, case: &Case) -> Result<(), String> {
    let mut prepared = compiled.with_checks.clone();
    ir::run_passes(&compiled.passes, None, &mut prepared);
    round_trip::check(&prepared)?;
    let lines: Vec<_> = compiled.signatures.iter().map(|signature| &signature.lines[..]).collect();
    let lines = lines.into_iter().find(|lines| !lines.is_empty()).unwrap_or_default();
    for run in case.runs.iter().filter(|run| matches!(run.expected, Expected::Values(_))) {
        interpret(&prepared, map, run, case.tolerance, lines)
            .map_err(|e| format!("line {}, after the passes: {e}\n{}", run.line, ir::dump(&prepared)))?;
    }
    Ok(())
}

/// With checks at every access the kernels give the same, and no check finds anything.
fn check_checked(request: &Request<'_>, target: &dyn Target, map: &SourceMap, case: &Case) -> Result<Compiled, String> {
    let compiled = okl::compile_with(request, target, case.options(Checks::All)).map_err(|found| found.to_string())?;
    let mut checked = compiled.module.clone();
    let pass = passes::ALL.iter().find(|pass| pass.name == "check_accesses").ok_or("the pass is gone")?;
    let all: Vec<_> = std::iter::once(*pass).chain(compiled.passes.iter().copied()).collect();
    for last in ["check_accesses", all[all.len() - 1].name] {
        ir::run_passes(&all, Some(last), &mut checked);
        round_trip::check(&checked)?;
        for run in case.runs.iter().filter(|run| matches!(run.expected, Expected::Values(_))) {
            interpret(&checked, map, run, case.tolerance, &[])
                .map_err(|e| format!("line {}, with checks, after `{last}`: {e}\n{}", run.line, ir::dump(&checked)))?;
        }
        checked = compiled.module.clone();
    }
    Ok(compiled)
}

/// What a launch proves of the accesses of the calls is what the interpreter sees, with memory that is shorter, too.
fn check_bounds(compiled: &Compiled, done: &[Done<'_>]) -> Result<(), String> {
    for call in done {
        let name = &call.kernel.name;
        let position = compiled.module.kernels.iter().position(|kernel| kernel.name == *name);
        let signature = position.and_then(|position| compiled.signatures.get(position));
        let signature = signature.ok_or_else(|| format!("no signature of `{name}`"))?;
        for short in [0, 1, 2, 7] {
            let mut setup = call.before.clone();
            for (argument, param) in setup.arguments.iter_mut().zip(&signature.params) {
                if let (Argument::Memory { bytes, .. }, ParameterKind::Pointer { element, .. }) =
                    (argument, &param.kind)
                {
                    *bytes = bytes.saturating_sub(short * element.bytes());
                }
            }
            let known = bounds::known(signature, &setup);
            if known == bounds::Known::Within
                && let Ok(report) = setup.clone().trace(&compiled.module, name)
            {
                let footprints = bounds::footprints(signature, &setup);
                bounds::compare_footprints(signature, &setup, &footprints, &report.accesses).map_err(|e| {
                    format!("line {}, {short} elements short: {e}\n{}", call.line, signature.footprint_text())
                })?;
            }
            let run = setup.clone().interpret(&compiled.module, name);
            let checked = setup.interpret(&compiled.with_checks, name);
            bounds::compare(known, &run)
                .and_then(|()| bounds::compare_checked(known, &run, &checked))
                .map_err(|e| format!("line {}, {short} elements short: {e}\n{}", call.line, signature.bounds_text()))?;
        }
    }
    Ok(())
}

/// Every line of the text comes from a line of a source, or from none, and some do.
fn check_lines(compiled: &Compiled) -> Result<(), String> {
    let is_somewhere = |&(file, line): &(u32, u32)| (file as usize) < compiled.files.len() && line >= 1;
    let (count, lines) = (compiled.text.lines().count(), &compiled.lines);
    if lines.len() == count && lines.iter().flatten().all(is_somewhere) && lines.iter().any(Option::is_some) {
        return Ok(());
    }
    Err(format!("{count} lines of text come from {lines:?} of {:?}", compiled.files))
}

/// What stands between the IR that a pass is given and what it makes of that.
const BECOMES: &str = "// becomes\n";

/// Checks a pass alone: what it makes of the IR in the file, and that calls give the same before and after it.
fn check_pass(path: &Path, case: &Case, name: &str) -> Result<(), String> {
    let pass = passes::ALL.iter().find(|pass| pass.name == name).ok_or_else(|| format!("there is no pass `{name}`"))?;
    let (given, expected) = case.source.split_once(BECOMES).unwrap_or((&case.source, ""));
    let before = ir::parse(given).map_err(|e| e.to_string())?;
    ir::verify(&before).map_err(|rule| format!("the IR that is given breaks a rule: {rule}"))?;
    let mut after = before.clone();
    ir::run_passes(&[*pass], None, &mut after);
    ir::verify(&after).map_err(|rule| format!("the pass breaks a rule: {rule}\n{}", ir::dump(&after)))?;
    round_trip::check(&after)?;
    for (module, run) in [&before, &after].into_iter().flat_map(|module| case.runs.iter().map(move |run| (module, run)))
    {
        interpret(module, &SourceMap::default(), run, case.tolerance, &[])
            .map_err(|e| format!("line {}: {e}", run.line))?;
    }
    let text = ir::dump(&after);
    if is_blessing() {
        return std::fs::write(path, format!("{given}{BECOMES}{text}")).map_err(|e| e.to_string());
    }
    if text == expected { Ok(()) } else { Err(format!("it becomes:\n{text}FERROCCA_BLESS=1 accepts it")) }
}

/// A call that the interpreter has run: before, after, and how near others must come.
struct Done<'m> {
    line: usize,
    kernel: &'m Kernel,
    before: Setup,
    after: Setup,
    tolerance: u32,
}

fn interpret<'m>(
    module: &'m Module,
    map: &SourceMap,
    run: &Run,
    tolerance: Option<u32>,
    lines: &[Line],
) -> Result<Option<Done<'m>>, String> {
    let kernel = module.kernels.iter().find(|k| k.name == run.kernel);
    let kernel = kernel.ok_or_else(|| format!("there is no kernel `{}`", run.kernel))?;
    let before = Setup::new(module, kernel, &run.arguments)?;
    let mut after = before.clone();
    after.lines = lines.to_vec();
    let result = after.interpret(module, &run.kernel);
    let expected = match (&run.expected, result) {
        (Expected::Values(values), Ok(report)) => (values, report),
        (Expected::Fault(finding), Err(fault)) => {
            let diagnostic = fault.diagnostic();
            let found = find(&diagnostic, map);
            if found.line != finding.line || found.column != finding.column || !found.text.contains(&finding.text) {
                let (line, column) = (found.line, found.column);
                return Err(format!("another fault, @{line}:{column}:\n{}", diagnostic.render(map)));
            }
            return Ok(None);
        }
        (Expected::Values(_), Err(fault)) => return Err(fault.diagnostic().render(map)),
        (Expected::Fault(finding), Ok(_)) => return Err(format!("no fault, expected {finding:?}")),
    };
    let (values, report) = expected;
    before.check_coarsened(module, kernel, &after)?;
    // Passes may let the items run in another order.
    let is_lowered = kernel.nests.iter().all(|nest| nest.dialect == ir::Dialect::Lowered);
    after.compare_printed(run.printed.as_deref().unwrap_or("").as_bytes(), is_lowered)?;
    let tolerance = tolerance.unwrap_or(report.tolerance_ulp);
    for (name, operand) in values {
        let position = kernel.params.iter().position(|&id| is_name(name, &kernel.body.var(id).name));
        let position = position.ok_or_else(|| format!("no parameter `{name}`"))?;
        let Type::Pointer(pointer) = &kernel.body.var(kernel.params[position]).ty else {
            return Err(format!("`{name}` is no memory"));
        };
        let Operand::List(list) = operand else {
            return Err(format!("`{name}` is compared with a list"));
        };
        let mut want = Vec::new();
        for element in list {
            want.extend(element_bytes(element, &pointer.element, module)?);
        }
        compare_bytes(name, after.bytes(position), &want, &pointer.element, module, tolerance)
            .map_err(|e| format!("interpreter: {e}"))?;
    }
    Ok(Some(Done { line: run.line, kernel, before, after, tolerance }))
}

/// Runs the calls that the interpreter has run; kernels are known by their position, because their names may be others.
fn run_native(
    module: &Module,
    (text, signatures): (&str, &[Signature]),
    compiler: &Path,
    done: &[Done<'_>],
    splits: &[Split],
) -> Result<(), String> {
    let loaded: Loaded = native::load_all(compiler, &[text], &[])?;
    for call in done {
        let position = module.kernels.iter().position(|kernel| kernel.name == call.kernel.name);
        let signature = position.and_then(|position| signatures.get(position));
        let signature = signature.ok_or_else(|| format!("no signature of `{}`", call.kernel.name))?;
        for &split in splits {
            let at = |e: String| format!("line {}, {} with groups split {split:?}: {e}", call.line, compiler.display());
            let mut setup = call.before.clone();
            loaded.run(signature, &mut setup, split).map_err(at)?;
            setup.compare_printed(&call.after.printed, false).map_err(at)?;
            setup.compare(&call.after, module, call.kernel, call.tolerance).map_err(at)?;
        }
    }
    Ok(())
}

fn find(diagnostic: &Diagnostic, map: &SourceMap) -> Finding {
    let span = map.call_site(diagnostic.span);
    let (line, column) = map.file(span).map_or((0, 0), |file| file.line_column(span.start));
    Finding { text: diagnostic.message.clone(), line, column }
}

/// Every expected finding is there once, and there is no other.
fn match_findings(errors: &[Finding], warnings: &[Finding], diagnostics: &Diagnostics) -> Result<(), String> {
    let mut wrong = String::new();
    for (severity, expected) in [(Severity::Error, errors), (Severity::Warning, warnings)] {
        let mut open = expected.to_vec();
        for diagnostic in diagnostics.list.iter().filter(|d| d.severity == severity) {
            let found = find(diagnostic, &diagnostics.map);
            let says = |part: &str| {
                found.text.contains(part) || diagnostic.hint.as_ref().is_some_and(|hint| hint.contains(part))
            };
            let known =
                open.iter().position(|want| says(&want.text) && (found.line, found.column) == (want.line, want.column));
            match known {
                Some(index) => drop(open.remove(index)),
                None => {
                    let (line, column) = (found.line, found.column);
                    let _ = writeln!(wrong, "not expected, @{line}:{column}:\n{}", diagnostic.render(&diagnostics.map));
                }
            }
        }
        for finding in open {
            let _ = writeln!(wrong, "expected but missing: {severity:?} {finding:?}");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Writes the `// error:` and `// warning:` lines of a refused file anew, after its prose.
fn bless_findings(path: &Path, source: &str, diagnostics: &Diagnostics) -> Result<(), String> {
    let is_finding = |line: &&str| line.starts_with("// error: ") || line.starts_with("// warning: ");
    let is_head = |line: &&str| line.starts_with("//");
    let old = source.lines().take_while(is_head).filter(is_finding).count();
    let new = diagnostics.list.len();
    let mut lines: Vec<String> =
        source.lines().take_while(is_head).filter(|l| !is_finding(l)).map(Into::into).collect();
    for diagnostic in &diagnostics.list {
        let Finding { text, line, column } = find(diagnostic, &diagnostics.map);
        let key = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        // The file's own lines move with the number of findings above them.
        lines.push(format!("// {key}: {text} @{}:{column}", line as usize + new - old));
    }
    lines.extend(source.lines().skip_while(is_head).map(Into::into));
    std::fs::write(path, lines.join("\n") + "\n").map_err(|e| format!("{}: {e}", path.display()))
}

/// Snapshots that no file names.
pub(crate) fn stale_snapshots(directory: &Path, kernels: &[PathBuf]) -> Result<(), String> {
    let mut named = Vec::new();
    for path in kernels {
        let case = Case::read(path)?;
        for label in &case.texts {
            named.push(snapshot(directory, &case.name, label, Labelled::new(label)?.ending));
        }
    }
    stale(directory, &named)
}
