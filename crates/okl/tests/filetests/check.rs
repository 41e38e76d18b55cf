//! The one check: a file against everything that it demands.

use crate::case::{Case, Expected, Finding, Run};
use crate::native::{self, Loaded, Split};
use crate::round_trip;
use crate::setup::{Setup, compare_bytes, is_name};
use crate::value::{Operand, element_bytes};
use okl::back::{cpu::CpuTarget, cuda::CudaTarget, opencl::OpenClTarget, wgsl::WgslTarget};
use okl::ir::{Kernel, Module, Type};
use okl::target::Target;
use okl::target::opencl::{Features, Form};
use okl::target::wgsl;
use okl::{Compiled, Diagnostic, Diagnostics, Includes, Request, Severity, SourceMap};
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
    let folder = path.parent().unwrap_or(Path::new(""));
    let includes = Folder(folder.join("include"));
    let name = format!("{}.okl", case.name);
    let request =
        Request { name: &name, source: &case.source, mode: &case.mode, defines: &case.defines, includes: &includes };
    let (module, diagnostics) = match okl::to_ir(&request) {
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
        done.extend(interpret(&module, &diagnostics.map, run, case.tolerance).map_err(at)?);
    }
    if let Some(unknown) = case.targets.iter().find(|name| *name != "all" && TARGETS.iter().all(|(n, ..)| n != name)) {
        return Err(format!("unknown target `{unknown}`"));
    }
    for (name, target, extension) in TARGETS {
        if !case.targets.iter().any(|wanted| wanted == "all" || wanted == name) {
            continue;
        }
        let compiled = okl::compile(&request, *target).map_err(|d| format!("for target {name}:\n{d}"))?;
        compare_text(&folder.join("expected").join(format!("{}.{name}.{extension}", case.name)), &compiled.text)?;
        if *extension == "wgsl" {
            validate_wgsl(&compiled.text)?;
            compiled.extra_texts.values().try_for_each(|text| validate_wgsl(text))?;
        }
        if *name == "cpu" {
            for compiler in compilers {
                run_native(&module, &compiled, compiler, &done)?;
            }
        }
    }
    Ok(())
}

/// Every target: its name in the files, itself, what its text is called.
const TARGETS: &[(&str, &dyn Target, &str)] = &[
    ("cpu", &CpuTarget, "c"),
    ("cuda", &CudaTarget, "cu"),
    ("opencl", &OpenClTarget(Features::ALL), "cl"),
    ("opencl_loops", &OpenClTarget(Features { form: Form::Loops, ..Features::ALL }), "cl"),
    ("wgsl", &WgslTarget(wgsl::Features::ALL), "wgsl"),
];

/// Parses and validates WGSL as wgpu does.
fn validate_wgsl(text: &str) -> Result<(), String> {
    let numbered = || text.lines().enumerate().map(|(n, line)| format!("{:4} {line}\n", n + 1)).collect::<String>();
    let module = naga::front::wgsl::parse_str(text)
        .map_err(|e| format!("naga refuses the emitted text:\n{}\n{}", e.emit_to_string(text), numbered()))?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    let refused = |e: naga::WithSpan<naga::valid::ValidationError>| {
        format!("naga refuses the emitted text:\n{}\n{}", e.emit_to_string(text), numbered())
    };
    validator.validate(&module).map(drop).map_err(refused)
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
) -> Result<Option<Done<'m>>, String> {
    let kernel = module.kernels.iter().find(|k| k.name == run.kernel);
    let kernel = kernel.ok_or_else(|| format!("there is no kernel `{}`", run.kernel))?;
    let before = Setup::new(module, kernel, &run.arguments)?;
    let mut after = before.clone();
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

fn run_native(module: &Module, compiled: &Compiled, compiler: &Path, done: &[Done<'_>]) -> Result<(), String> {
    let loaded: Loaded = native::load_all(compiler, &[&compiled.text], &[])?;
    for call in done {
        let signature = compiled.signatures.iter().find(|s| s.kernel == call.kernel.name);
        let signature = signature.ok_or_else(|| format!("no signature of `{}`", call.kernel.name))?;
        for split in Split::ALL {
            let at = |e: String| format!("line {}, {} with groups split {split:?}: {e}", call.line, compiler.display());
            let mut setup = call.before.clone();
            loaded.run(signature, &mut setup, split).map_err(at)?;
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
            let known = open.iter().position(|want| {
                found.text.contains(&want.text) && (found.line, found.column) == (want.line, want.column)
            });
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

fn is_blessing() -> bool {
    std::env::var_os("FERROCCA_BLESS").is_some()
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

fn compare_text(path: &Path, text: &str) -> Result<(), String> {
    if is_blessing() {
        return std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    }
    let blessed =
        std::fs::read_to_string(path).map_err(|e| format!("{}: {e}\nFERROCCA_BLESS=1 writes it", path.display()))?;
    // A checkout may have turned line ends.
    let blessed = blessed.replace("\r\n", "\n");
    if blessed == text {
        return Ok(());
    }
    let (line, (was, is)) = blessed
        .lines()
        .chain(std::iter::repeat("<end>"))
        .zip(text.lines().chain(std::iter::repeat("<end>")))
        .enumerate()
        .find(|(_, (was, is))| was != is || *was == "<end>")
        .unwrap_or((0, ("", "")));
    Err(format!(
        "the emitted text differs from {} at line {}\n  was: {was}\n  is:  {is}\nFERROCCA_BLESS=1 accepts it",
        path.display(),
        line + 1
    ))
}

/// Snapshots whose kernel is gone.
pub(crate) fn stale_snapshots(directory: &Path, kernels: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory.join("expected")) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let stem = name.split('.').next().unwrap_or_default();
            !kernels.iter().any(|k| k.file_stem().is_some_and(|s| s == stem))
        })
        .collect()
}
