//! The translation unit: file-scope declarations in order, then functions, callees first, then kernels.

use super::attributes::LeadsTo;
use super::call_graph::{Survey, order};
use super::candidates::{Candidate, Waiting};
use super::context::{Level, Lowering};
use super::function::Effects;
use super::record::{HiddenParam, PointerField};
use super::record_result::RecordResult;
use super::scope::{Scope, Symbol};
use super::template::StructInstance;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Item};
use crate::ir::{FunctionId, Module, StructId, Type};
use crate::rules;
use crate::source::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A function as its callers see it.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Set once its body is lowered without an error.
    pub(super) id: Option<FunctionId>,
    /// `Void`, a scalar or a struct.
    pub(super) result: Type,
    /// What the IR's function returns where the result has pointers.
    pub(super) returned: Option<RecordResult>,
    /// Types of the parameters.
    pub(super) params: Vec<Type>,
    /// For each parameter, whether it is a reference.
    pub(super) references: Vec<bool>,
    /// For each parameter that is an array of pointers, how many they are. The others are hidden parameters.
    pub(super) pointer_counts: Vec<Option<u32>>,
    /// For each parameter, whether the function writes the memory behind it.
    pub(super) writes: Vec<bool>,
    /// It prints: a call is none of a pure function.
    pub(super) prints: bool,
    /// For each parameter, what memory it is said to lead to.
    pub(super) leads_to: Vec<Option<LeadsTo>>,
    /// Pointers in structs behind its parameters, which it takes after those.
    pub(super) hidden: Vec<HiddenParam>,
    /// What stands for arguments that a call leaves out.
    pub(super) defaults: Vec<Option<ast::Expr>>,
    pub(super) is_kernel: bool,
    /// A definition was seen.
    pub(super) is_defined: bool,
    pub(super) span: Span,
}

impl Head {
    /// Arguments that a call must give.
    pub(super) fn required(&self) -> usize {
        self.defaults.iter().rposition(Option::is_none).map_or(0, |last| last + 1)
    }
}

/// The state of lowering one translation unit.
pub(super) struct Unit<'f> {
    /// What `@shared` arrays are built for whose sizes a launch decides.
    pub(super) sizes: &'f crate::Sizes,
    pub(super) found: &'f mut Vec<Diagnostic>,
    pub(super) module: Module,
    /// Scalars that each struct has; none where the IR has a placeholder for a struct of pointers alone.
    pub(super) struct_scalars: Vec<u64>,
    /// Pointers that each struct has; what is left of it is the IR's.
    pub(super) pointer_fields: Vec<Vec<PointerField>>,
    /// The structs of complex numbers whose parts are `float` and `double`, once they are named.
    pub(super) complex: [Option<StructId>; 2],
    /// Pointers of the function being lowered that may lead into several arrays.
    pub(super) choosing: HashSet<(Span, String)>,
    /// File-scope names.
    pub(super) symbols: Scope,
    /// By name, or by key where calls choose.
    pub(super) functions: HashMap<String, Head>,
    /// The names whose calls choose.
    pub(super) sets: HashMap<String, Vec<Candidate>>,
    /// What calls may choose, by key.
    pub(super) waiting: HashMap<String, Waiting>,
    /// Functions that are lowered because a call wants them, each with that call.
    pub(super) open: Vec<(String, Span)>,
    pub(super) struct_templates: HashMap<String, Rc<ast::StructDecl>>,
    pub(super) instances: Vec<StructInstance>,
    /// Names of functions that take references.
    pub(super) references: HashSet<String>,
    /// Functions that were lowered because calls wanted them.
    pub(super) made: usize,
    /// More functions were made than may be.
    pub(super) is_over_limit: bool,
}

/// Lowers a unit. The module holds what could be lowered; it may be used only where no error was found.
pub(crate) fn lower(unit: &ast::Unit, sizes: &crate::Sizes, found: &mut Vec<Diagnostic>) -> Module {
    let first = found.len();
    let mut state = Unit {
        sizes,
        found: &mut *found,
        module: Module::default(),
        struct_scalars: Vec::new(),
        pointer_fields: Vec::new(),
        complex: [None; 2],
        choosing: HashSet::new(),
        symbols: Scope::new(0),
        functions: HashMap::new(),
        sets: super::candidates::sets(unit),
        waiting: HashMap::new(),
        open: Vec::new(),
        struct_templates: HashMap::new(),
        instances: Vec::new(),
        references: HashSet::new(),
        made: 0,
        is_over_limit: false,
    };
    for item in &unit.items {
        // Findings are reported where they are made; the next item stands on its own.
        let _ = state.item(item);
    }
    state.bodies(unit);
    let mut module = state.module;
    let structs = module.structs.iter_mut().map(|of| &mut of.name);
    structs.chain(module.functions.iter_mut().map(|of| &mut of.name)).for_each(|name| *name = plain_name(name));
    // Functions are lowered callees first; a reader goes through the file from its top.
    found[first..].sort_by_key(|finding| (finding.span.file, finding.span.start));
    // What several functions of one template break is said once, and of an attribute that is misspelt nothing else.
    let mut seen = HashSet::new();
    let own = found.split_off(first);
    let is_misspelt = |finding: &Diagnostic| finding.rule == Some(rules::UNKNOWN_ATTRIBUTE);
    let misspelt: HashSet<Span> = own.iter().filter(|finding| is_misspelt(finding)).map(|of| of.span).collect();
    let is_said = |finding: &Diagnostic| is_misspelt(finding) || !misspelt.contains(&finding.span);
    let own = own.into_iter().filter(is_said);
    found.extend(own.filter(|finding| seen.insert((finding.span, finding.message.clone()))));
    module
}

/// A name of a namespace or template as one word: hints have letters, digits and `_`.
pub(super) fn plain_name(name: &str) -> String {
    if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return name.to_owned();
    }
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

impl Unit<'_> {
    fn item(&mut self, item: &Item) -> Lowered<()> {
        let mut file = Lowering::new(self, Level::File, HashSet::new());
        match item {
            Item::Struct(decl) if !decl.template.is_empty() => {
                self.struct_templates.insert(decl.name.name.clone(), Rc::new(decl.clone()));
                Ok(())
            }
            Item::StaticAssert { condition, message, span } => file.static_assert(condition, message.as_deref(), *span),
            Item::Struct(decl) => file.declare_struct(decl),
            Item::Typedef(typedef) => file.declare_typedef(typedef),
            Item::Enum(decl) => file.declare_enum(decl),
            Item::Global(declaration) => file.declare_global(declaration),
            Item::Function(function) if self.sets.contains_key(&function.name.name) => self.candidate(function),
            Item::Function(function) => self.head(function),
        }
    }

    /// Enters a function's head; a definition must agree with its prototypes.
    fn head(&mut self, function: &ast::Function) -> Lowered<()> {
        let name = &function.name;
        let head = match Lowering::new(self, Level::File, HashSet::new()).head(function) {
            Ok(head) => head,
            Err(Reported) => {
                if self.symbols.get(&name.name).is_none() {
                    self.symbols.bind(&name.name, Symbol::Refused);
                }
                return Err(Reported);
            }
        };
        let Some(known) = self.functions.get_mut(&name.name) else {
            if !self.symbols.bind(&name.name, Symbol::Function) {
                self.found.push(Diagnostic::error(
                    rules::DECLARED_TWICE,
                    name.span,
                    format!("`{}` is declared twice in one scope", name.name),
                ));
            }
            self.functions.insert(name.name.clone(), head);
            return Ok(());
        };
        let message = if known.is_defined && head.is_defined {
            format!("`{}` is defined twice", name.name)
        } else if known.params != head.params
            || known.pointer_counts != head.pointer_counts
            || known.result != head.result
            || known.is_kernel != head.is_kernel
        {
            format!("`{}` is declared with other types than before", name.name)
        } else {
            known.is_defined |= head.is_defined;
            for (known, new) in known.leads_to.iter_mut().zip(head.leads_to) {
                *known = known.or(new);
            }
            return Ok(());
        };
        self.found.push(
            Diagnostic::error(rules::DECLARED_TWICE, name.span, message).label(known.span, "first declared here"),
        );
        Err(Reported)
    }

    fn bodies(&mut self, unit: &ast::Unit) {
        let functions: Vec<&ast::Function> = unit
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(f) if f.body.is_some() => Some(f),
                _ => None,
            })
            .collect();
        let has_reference = |f: &ast::Function| f.params.iter().any(|param| param.ty.reference.is_some());
        let of_references = functions.iter().filter(|f| has_reference(f));
        let references: HashSet<&str> = of_references.map(|f| f.name.name.as_str()).collect();
        self.references = references.iter().map(|&name| name.to_owned()).collect();
        let mut surveys: HashMap<String, Survey<'_>> = HashMap::new();
        for function in &functions {
            surveys.entry(function.name.name.clone()).or_default().merge(Survey::of(function, &references));
        }
        let chosen: HashSet<&str> = self.sets.keys().map(String::as_str).collect();
        let order = order(unit, &surveys, &chosen, self.found);
        let definitions: HashMap<&str, &ast::Function> = functions.iter().map(|f| (f.name.name.as_str(), *f)).collect();
        let assigned = |name: &str| surveys.get(name).map(|s| s.assigned.clone()).unwrap_or_default();
        let lower_all = |state: &mut Self, names: &[String]| {
            for name in names.iter().filter(|n| !order.recursive.contains(*n)) {
                if let Some(function) = definitions.get(name.as_str()).filter(|_| !state.sets.contains_key(name)) {
                    state.device_function(function, assigned(name));
                }
            }
        };
        lower_all(self, &order.reached);
        for function in functions.iter().filter(|f| super::function::is_kernel(f)) {
            self.kernel(function, assigned(&function.name.name));
        }
        let reached = self.module.functions.len();
        lower_all(self, &order.unreached);
        let candidates = self.sets.values().flatten().filter_map(|candidate| candidate.key.clone());
        let mut keys: Vec<String> = candidates.collect();
        keys.sort();
        for key in keys {
            let _ = self.ensure(&key, None, 0);
        }
        // The others were lowered for their findings.
        self.module.functions.truncate(reached);
    }

    fn device_function(&mut self, function: &ast::Function, assigned: HashSet<String>) {
        let name = function.name.name.as_str();
        let Some(head) = self.functions.get(name).cloned() else {
            return;
        };
        let lower = |unit: &mut Self| Lowering::new(unit, Level::Function, assigned.clone()).function(function, &head);
        let Ok((lowered, Effects { writes, prints, returned }, hidden)) = self.with_choices(lower) else {
            return;
        };
        let id = FunctionId(self.module.functions.len() as u32);
        self.module.functions.push(lowered);
        if let Some(head) = self.functions.get_mut(name) {
            head.id = Some(id);
            head.writes = writes;
            head.prints = prints;
            head.returned = returned;
            head.hidden = hidden;
        }
    }

    /// Lowers a body, once more whenever a pointer turns out to lead into another array than before.
    pub(super) fn with_choices<T>(&mut self, lower: impl Fn(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.choosing.clear();
        let (found, structs, complex) = (self.found.len(), self.module.structs.len(), self.complex);
        let (constants, made) = (self.module.constants.len(), self.made);
        let mut kept = Vec::new();
        loop {
            let known = self.choosing.len();
            let result = lower(self);
            let makes = self.made > made;
            let is_refused =
                makes && self.found[found..].iter().any(|finding| finding.severity == crate::Severity::Error);
            if self.choosing.len() == known || is_refused {
                // What calls made is lowered once, and so are its warnings.
                kept.retain(|finding| !self.found[found..].contains(finding));
                self.found.append(&mut kept);
                return result;
            }
            if makes {
                // They may have what was made for them.
                kept.extend(self.found.drain(found..));
                continue;
            }
            self.found.truncate(found);
            self.module.structs.truncate(structs);
            self.struct_scalars.truncate(structs);
            self.pointer_fields.truncate(structs);
            self.complex = complex;
            self.module.constants.truncate(constants);
        }
    }

    fn kernel(&mut self, function: &ast::Function, assigned: HashSet<String>) {
        let Some(head) = self.functions.get(&function.name.name).cloned() else {
            return;
        };
        if function.name.name.contains("::") {
            let finding = Diagnostic::error(
                rules::BAD_DECLARATION,
                function.name.span,
                "a `@kernel` cannot stand in a namespace",
            );
            self.found.push(finding.hint("programs call it by its name alone: move it to the file"));
            return;
        }
        let lower = |unit: &mut Self| Lowering::new(unit, Level::Host, assigned.clone()).kernel(function, &head);
        if let Ok(kernel) = self.with_choices(lower) {
            self.module.kernels.push(kernel);
        }
    }
}
