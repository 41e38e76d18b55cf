//! The way from source to text, in one call.

use crate::bounds::Known;
use crate::deep_stack::on_deep_stack;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::front::ast::Unit;
use crate::front::lex::Token;
use crate::front::{parse, preprocess};
use crate::ir::{self, Line, Module, Pass};
use crate::passes::check_accesses::{Checked, Means, Recorded, What};
use crate::signature::bounds::{Access, Bounds};
use crate::signature::{Check, HostPlaces, NestPlaces, Signature};
use crate::source::{SourceMap, Span};
use crate::target::Target;
use crate::{bounds, lower, passes, rules, valid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Reads the files that `#include` names. The compiler itself reads nothing.
pub trait Includes {
    /// Finds `name` as written between quotes or (`angled`) angle brackets, seen from the file `from`.
    /// Answers the path at which it was found and its text.
    /// # Errors
    /// A sentence that says why it is not available.
    fn read(&self, name: &str, angled: bool, from: &str) -> Result<(String, String), String>;
}

/// Finds nothing.
pub struct NoIncludes;

impl Includes for NoIncludes {
    fn read(&self, name: &str, _angled: bool, _from: &str) -> Result<(String, String), String> {
        Err(format!("`{name}` cannot be included here: no include directory is set"))
    }
}

/// What is to be compiled.
pub struct Request<'a> {
    /// Name of the source as the user knows it, for diagnostics: a path or `<string>`.
    pub name: &'a str,
    /// The source.
    pub source: &'a str,
    /// The mode that it is compiled for (`Serial`, `CPU`, `CUDA` …): decides the per-mode macros.
    pub mode: &'a str,
    /// Macro definitions, `(name, replacement)`; the name may carry a parameter list: `SQ(x)`.
    pub defines: &'a [(String, String)],
    /// Where `#include` finds its files.
    pub includes: &'a dyn Includes,
}

/// A file that was included, so that a cache can notice its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeRecord {
    /// Path at which it was found.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Text for the target's compiler and what a launch needs.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Readable, deterministic text, without `#line`.
    pub text: String,
    /// Further texts of the target's, by name.
    pub extra_texts: BTreeMap<String, String>,
    /// For each line of `text`: the source file (index into `files`) and 1-based line that it comes from.
    pub lines: Vec<Option<(u32, u32)>>,
    /// Names of the source files.
    pub files: Vec<String>,
    /// One per kernel, in source order: parameters, the host part, the nests.
    pub signatures: Vec<Signature>,
    /// The checked IR, as the user wrote the kernels.
    pub module: Module,
    /// The same with checks at accesses, which the target's passes are given.
    pub with_checks: Module,
    /// The target's passes.
    pub passes: Vec<Pass>,
    /// Every included file.
    pub includes: Vec<IncludeRecord>,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl Compiled {
    /// A text for the target's compiler that is no OKL: it has no signatures. `name` is its file.
    pub fn native(name: &str, text: String) -> Self {
        Self {
            lines: (1..=text.lines().count() as u32).map(|line| Some((0, line))).collect(),
            text,
            extra_texts: BTreeMap::new(),
            files: vec![name.to_owned()],
            signatures: Vec::new(),
            module: Module::default(),
            with_checks: Module::default(),
            passes: Vec::new(),
            includes: Vec::new(),
            warnings: Diagnostics::default(),
        }
    }

    /// The text of the checked IR, or of what stands after one of the target's passes.
    /// # Errors
    /// The target has no such pass; the sentence lists those that it has.
    pub fn ir(&self, after: Option<&str>) -> Result<String, String> {
        let Some(last) = after else { return Ok(ir::dump(&self.module)) };
        if !self.passes.iter().any(|pass| pass.name == last) {
            let names: Vec<_> = self.passes.iter().map(|pass| pass.name).collect();
            return Err(format!("there is no pass `{last}` here; the passes are: {}", names.join(", ")));
        }
        let mut module = self.with_checks.clone();
        on_deep_stack(|| ir::run_passes(&self.passes, after, &mut module));
        Ok(ir::dump(&module))
    }

    /// The text with `#line` directives, so that the target's compiler reports OKL lines.
    pub fn with_line_directives(&self) -> String {
        let mut out = String::with_capacity(self.text.len() * 2);
        let mut expected = None;
        for (index, line) in self.text.lines().enumerate() {
            let at = self.lines.get(index).copied().flatten();
            if let Some((file, number)) = at {
                if expected != at {
                    let name =
                        self.files.get(file as usize).map_or("", String::as_str).replace('\\', "/").replace('"', "'");
                    let _ = writeln!(out, "#line {number} \"{name}\"");
                }
                expected = Some((file, number + 1));
            } else {
                expected = expected.map(|(file, number)| (file, number + 1));
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }
}

/// Which accesses are checked when a kernel runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Checks {
    /// None, and a launch proves nothing: whoever launches vouches for every index.
    None,
    /// Those that no launch can prove to lie within their memory.
    #[default]
    Unproven,
    /// The same where launches are given constant memory for each `const` pointer to integers, whose contents they know.
    UnprovenOfConstants,
    /// All: a launch proves nothing.
    All,
}

/// What a caller may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which accesses are checked.
    pub checks: Checks,
    /// `@restrict` promises nothing: parameters may overlap.
    pub ignores_restrict: bool,
    /// For kernels by name: the sizes that their `@shared` arrays are built for, in the order of
    /// [`Signature::sizes`]; 1 where nothing is said.
    pub sizes: Sizes,
}

/// Sizes of `@shared` arrays, by the name of the kernel.
pub type Sizes = BTreeMap<String, Vec<u32>>;

impl From<Checks> for Options {
    fn from(checks: Checks) -> Self {
        Self { checks, ..Self::default() }
    }
}

/// What the front end gives to lowering.
struct Parsed {
    unit: Unit,
    tokens: Vec<Token>,
    includes: Vec<IncludeRecord>,
    found: Vec<Diagnostic>,
    map: SourceMap,
}

impl Parsed {
    /// Makes warnings of what is not in OKL, or uses the host's variables, and no kernel reaches: it is left out of the text.
    fn leave_out_unreached(&mut self) {
        let lacking = [Some(rules::NOT_IN_OKL), Some(rules::GLOBAL_VARIABLE)];
        let is_lacking = |finding: &Diagnostic| lacking.contains(&finding.rule);
        if !self.found.iter().any(is_lacking) {
            return;
        }
        let place = |span: Span| {
            let site = self.map.call_site(span);
            (site.file, site.start)
        };
        let parts = parse::unreached(&self.tokens, &self.unit.parts);
        let parts: Vec<_> = parts.into_iter().map(|(first, last)| place(first)..=place(last)).collect();
        for finding in self.found.iter_mut().filter(|finding| is_lacking(finding)) {
            if parts.iter().any(|part| part.contains(&place(finding.span))) {
                finding.severity = Severity::Warning;
                finding.rule = Some(rules::LEFT_OUT);
                finding.message.push_str("; no kernel uses this, it is left out");
            }
        }
    }
}

/// Source to checked IR, independent of any target's text.
/// # Errors
/// Every finding of the preprocessor, the parser and lowering.
pub fn to_ir(request: &Request<'_>) -> Result<(Module, Vec<IncludeRecord>, Diagnostics), Diagnostics> {
    to_ir_of_sizes(request, &Sizes::new())
}

/// As [`to_ir`], for certain sizes of `@shared` arrays.
/// # Errors
/// As [`to_ir`].
pub fn to_ir_of_sizes(
    request: &Request<'_>,
    sizes: &Sizes,
) -> Result<(Module, Vec<IncludeRecord>, Diagnostics), Diagnostics> {
    on_deep_stack(|| check(parse_source(request)?, sizes))
}

/// Source to text for `target`, with checks where no launch can prove an access.
/// # Errors
/// Every finding, rendered with its place by [`Diagnostics`]'s `Display`.
pub fn compile(request: &Request<'_>, target: &dyn Target) -> Result<Compiled, Diagnostics> {
    compile_with(request, target, Checks::default())
}

/// Source to text for `target`.
/// # Errors
/// As [`compile`].
pub fn compile_with(
    request: &Request<'_>,
    target: &dyn Target,
    options: impl Into<Options>,
) -> Result<Compiled, Diagnostics> {
    let Options { checks, ignores_restrict, sizes } = options.into();
    on_deep_stack(|| {
        let (mut module, includes, mut diagnostics) = check(parse_source(request)?, &sizes)?;
        if ignores_restrict {
            drop_restrict(&mut module);
        }
        target.check(&module, &mut diagnostics.list);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let passes = target.passes();
        let mut with_checks = module.clone();
        let (bounds, checked, lines) = check_accesses(&mut with_checks, target, &diagnostics.map, checks);
        debug_assert_eq!(ir::verify(&with_checks), Ok(()), "checks of accesses broke a rule of the IR");
        let mut prepared = with_checks.clone();
        ir::run_passes(&passes, None, &mut prepared);
        let mut emitted = target.emit(&prepared, &diagnostics.map);
        for (signature, bounds) in emitted.signatures.iter_mut().zip(bounds) {
            signature.nests.iter_mut().zip(bounds).for_each(|(nest, bounds)| nest.bounds = bounds);
        }
        for (signature, kernel) in emitted.signatures.iter_mut().zip(&with_checks.kernels) {
            signature.places = host_places(kernel, &diagnostics.map);
        }
        for signature in emitted.signatures.iter_mut().filter(|signature| signature.faults) {
            signature.checked.clone_from(&checked);
        }
        for (signature, kernel) in emitted.signatures.iter_mut().zip(&module.kernels) {
            if !target.prints() && kernel.nests.iter().any(|nest| ir::prints(&module, &nest.stmts)) {
                signature.lines.clone_from(&lines);
            }
        }
        let files = &diagnostics.map.files;
        Ok(Compiled {
            text: emitted.text,
            extra_texts: emitted.extra_texts,
            lines: emitted.lines,
            files: files.iter().map(|file| file.name.clone()).collect(),
            signatures: emitted.signatures,
            module,
            with_checks,
            passes,
            includes,
            warnings: diagnostics,
        })
    })
}

/// A module that no source was, to text for `target`, without checks of accesses: whoever made it vouches for them. `name` is
/// what diagnostics and listings call it.
/// # Errors
/// What the target cannot do.
pub fn compile_module(name: &str, module: Module, target: &dyn Target) -> Result<Compiled, Diagnostics> {
    on_deep_stack(|| {
        let mut map = SourceMap::default();
        map.add(name, "");
        let mut found = Vec::new();
        target.check(&module, &mut found);
        let warnings = Diagnostics { list: found, map };
        if warnings.has_errors() {
            return Err(warnings);
        }
        debug_assert_eq!(ir::verify(&module), Ok(()), "a module breaks a rule of the IR:\n{}", ir::dump(&module));
        let passes = target.passes();
        let mut prepared = module.clone();
        ir::run_passes(&passes, None, &mut prepared);
        let emitted = target.emit(&prepared, &warnings.map);
        Ok(Compiled {
            text: emitted.text,
            extra_texts: emitted.extra_texts,
            lines: emitted.lines,
            files: vec![name.to_owned()],
            signatures: emitted.signatures,
            with_checks: module.clone(),
            module,
            passes,
            includes: Vec::new(),
            warnings,
        })
    })
}

/// Where what the host computes stands.
fn host_places(kernel: &ir::Kernel, map: &SourceMap) -> HostPlaces {
    let axis = |axis: &Option<ir::Axis>| axis.as_ref().map_or(String::new(), |axis| bounds::column(map, axis.span));
    let nest = |nest: &ir::Nest| {
        let mut places = NestPlaces { outer: nest.outer.each_ref().map(axis), ..NestPlaces::default() };
        ir::for_regions(&nest.stmts, &mut |region| {
            if places.inner.iter().all(String::is_empty) {
                places.inner = region.axes.each_ref().map(axis);
            }
        });
        places
    };
    let slot = |var| bounds::column(map, kernel.body.var(var).span);
    HostPlaces { slots: kernel.host_variables().map(slot).collect(), loops: kernel.nests.iter().map(nest).collect() }
}

fn drop_restrict(module: &mut Module) {
    let bodies = module.functions.iter_mut().map(|f| &mut f.body).chain(module.kernels.iter_mut().map(|k| &mut k.body));
    for variable in bodies.flat_map(|body| &mut body.vars) {
        if let ir::Type::Pointer(pointer) = &mut variable.ty {
            pointer.restrict = false;
        }
    }
}

/// Finds the bounds of each nest of each kernel, and adds checks and what is left of lines where the target cannot print;
/// answers what has a check and the lines, too.
fn check_accesses(
    module: &mut Module,
    target: &dyn Target,
    map: &SourceMap,
    checks: Checks,
) -> (Vec<Vec<Bounds>>, Vec<Check>, Vec<Line>) {
    let means = |index| Means { index, prints: target.prints(), wraps: target.wraps() };
    if checks == Checks::None {
        let index = target.index_type().unwrap_or(ir::Scalar::I64);
        let recorded = passes::check_accesses::run(module, &ir::Places::default(), means(index));
        return (Vec::new(), Vec::new(), recorded.lines);
    }
    let (found, places) = match checks {
        Checks::All => (Vec::new(), ir::Places::all(module)),
        Checks::UnprovenOfConstants => bounds_of(module, map, Known::Contents),
        _ => {
            let (mut found, places) = bounds_of(module, map, Known::Lengths);
            note_constants(module, map, &mut found);
            (found, places)
        }
    };
    let Some(index) = target.index_type() else { return (found, Vec::new(), Vec::new()) };
    let Recorded { checked, lines } = passes::check_accesses::run(module, &places, means(index));
    let checked = checked.into_iter().map(|Checked { what, span }| match what {
        What::Index(name) => Check::Index(Access { name, at: bounds::column(map, span) }),
        What::Division(ty) => Check::Division(bounds::division(map, span), ty),
    });
    (found, checked.collect(), lines)
}

/// The bounds of each nest of each kernel, and the places of which nothing can be proven.
fn bounds_of(module: &Module, map: &SourceMap, known: Known) -> (Vec<Vec<Bounds>>, ir::Places) {
    let mut places = ir::Places::default();
    let of_kernel = |kernel| bounds::of_kernel(module, kernel, known, map, &mut places);
    (module.kernels.iter().map(of_kernel).collect(), places)
}

/// Notes what launches prove besides whose memory is constant.
fn note_constants(module: &Module, map: &SourceMap, found: &mut [Vec<Bounds>]) {
    for (kernel, found) in module.kernels.iter().zip(found) {
        let is_proven = |bounds: &Bounds| bounds.unproven.is_empty() && bounds.unproven_divisions.is_empty();
        if !found.iter().all(is_proven) {
            let known = bounds::of_kernel(module, kernel, Known::Contents, map, &mut ir::Places::default());
            found.iter_mut().zip(&known).for_each(|(bounds, known)| bounds.note_constants(known));
        }
    }
}

fn parse_source(request: &Request<'_>) -> Result<Parsed, Diagnostics> {
    let mut map = SourceMap::default();
    let mut found = Vec::new();
    let preprocessed = preprocess::preprocess(request, &mut map, &mut found);
    let unit = parse::parse(&preprocessed.tokens, lower::takes_arguments, &mut found);
    let mut parsed = Parsed { unit, tokens: preprocessed.tokens, includes: preprocessed.includes, found, map };
    parsed.leave_out_unreached();
    if has_errors(&parsed.found) {
        return Err(Diagnostics { list: parsed.found, map: parsed.map });
    }
    Ok(parsed)
}

fn check(mut parsed: Parsed, sizes: &Sizes) -> Result<(Module, Vec<IncludeRecord>, Diagnostics), Diagnostics> {
    let module = lower::lower(&parsed.unit, sizes, &mut parsed.found);
    parsed.leave_out_unreached();
    let Parsed { includes, mut found, map, .. } = parsed;
    if !has_errors(&found) {
        valid::check(&module, &map, &mut found);
    }
    let diagnostics = Diagnostics { list: found, map };
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    Ok((module, includes, diagnostics))
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|finding| finding.severity == Severity::Error)
}
