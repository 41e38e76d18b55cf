//! The translation unit: file-scope declarations in order, then functions, callees first, then kernels.

use super::attributes::LeadsTo;
use super::call_graph::{Survey, order};
use super::context::{Level, Lowering};
use super::record::{HiddenParam, PointerField};
use super::scope::{Scope, Symbol};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Item};
use crate::ir::{FunctionId, Module, Type};
use crate::rules;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// A function as its callers see it.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Set once its body is lowered without an error.
    pub(super) id: Option<FunctionId>,
    /// `Void`, a scalar or a struct.
    pub(super) result: Type,
    /// Types of the parameters.
    pub(super) params: Vec<Type>,
    /// For each parameter, whether it is a reference.
    pub(super) references: Vec<bool>,
    /// For each parameter, whether the function writes the memory behind it.
    pub(super) writes: Vec<bool>,
    /// For each parameter, what memory it is said to lead to.
    pub(super) leads_to: Vec<Option<LeadsTo>>,
    /// Pointers in structs behind its parameters, which it takes after those.
    pub(super) hidden: Vec<HiddenParam>,
    pub(super) is_kernel: bool,
    /// A definition was seen.
    pub(super) is_defined: bool,
    pub(super) span: Span,
}

/// The state of lowering one translation unit.
pub(super) struct Unit<'f> {
    pub(super) found: &'f mut Vec<Diagnostic>,
    pub(super) module: Module,
    /// Scalars that each struct has.
    pub(super) struct_scalars: Vec<u64>,
    /// Pointers that each struct has; what is left of it is the IR's.
    pub(super) pointer_fields: Vec<Vec<PointerField>>,
    /// Pointers of the function being lowered that may lead into several arrays.
    pub(super) choosing: HashSet<(Span, String)>,
    /// File-scope names.
    pub(super) symbols: Scope,
    pub(super) functions: HashMap<String, Head>,
}

/// Lowers a unit. The module holds what could be lowered; it may be used only where no error was found.
pub(crate) fn lower(unit: &ast::Unit, found: &mut Vec<Diagnostic>) -> Module {
    let first = found.len();
    let mut state = Unit {
        found: &mut *found,
        module: Module::default(),
        struct_scalars: Vec::new(),
        pointer_fields: Vec::new(),
        choosing: HashSet::new(),
        symbols: Scope::new(0),
        functions: HashMap::new(),
    };
    for item in &unit.items {
        // Findings are reported where they are made; the next item stands on its own.
        let _ = state.item(item);
    }
    state.bodies(unit);
    let module = state.module;
    // Functions are lowered callees first; a reader goes through the file from its top.
    found[first..].sort_by_key(|finding| (finding.span.file, finding.span.start));
    module
}

impl Unit<'_> {
    fn item(&mut self, item: &Item) -> Lowered<()> {
        let mut file = Lowering::new(self, Level::File, HashSet::new());
        match item {
            Item::Struct(decl) => file.declare_struct(decl),
            Item::Typedef(typedef) => file.declare_typedef(typedef),
            Item::Enum(decl) => file.declare_enum(decl),
            Item::Global(declaration) => file.declare_global(declaration),
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
        } else if known.params != head.params || known.result != head.result || known.is_kernel != head.is_kernel {
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
        let surveys: HashMap<String, Survey> =
            functions.iter().map(|f| (f.name.name.clone(), Survey::of(f, &references))).collect();
        let order = order(unit, &surveys, self.found);
        let definitions: HashMap<&str, &ast::Function> = functions.iter().map(|f| (f.name.name.as_str(), *f)).collect();
        let assigned = |name: &str| surveys.get(name).map(|s| s.assigned.clone()).unwrap_or_default();
        let lower_all = |state: &mut Self, names: &[String]| {
            for name in names.iter().filter(|n| !order.recursive.contains(*n)) {
                if let Some(function) = definitions.get(name.as_str()) {
                    state.device_function(function, assigned(name));
                }
            }
        };
        lower_all(self, &order.reached);
        let reached = self.module.functions.len();
        for function in functions.iter().filter(|f| super::function::is_kernel(f)) {
            self.kernel(function, assigned(&function.name.name));
        }
        lower_all(self, &order.unreached);
        // The others were lowered for their findings.
        self.module.functions.truncate(reached);
    }

    fn device_function(&mut self, function: &ast::Function, assigned: HashSet<String>) {
        let name = function.name.name.as_str();
        let Some(head) = self.functions.get(name).cloned() else {
            return;
        };
        let lower = |unit: &mut Self| Lowering::new(unit, Level::Function, assigned.clone()).function(function, &head);
        let Ok((lowered, writes, hidden)) = self.with_choices(lower) else {
            return;
        };
        let id = FunctionId(self.module.functions.len() as u32);
        self.module.functions.push(lowered);
        if let Some(head) = self.functions.get_mut(name) {
            head.id = Some(id);
            head.writes = writes;
            head.hidden = hidden;
        }
    }

    /// Lowers a body, once more whenever a pointer turns out to lead into another array than before.
    fn with_choices<T>(&mut self, lower: impl Fn(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.choosing.clear();
        let (found, structs) = (self.found.len(), self.module.structs.len());
        let constants = self.module.constants.len();
        loop {
            let known = self.choosing.len();
            let result = lower(self);
            if self.choosing.len() == known {
                return result;
            }
            self.found.truncate(found);
            self.module.structs.truncate(structs);
            self.struct_scalars.truncate(structs);
            self.pointer_fields.truncate(structs);
            self.module.constants.truncate(constants);
        }
    }

    fn kernel(&mut self, function: &ast::Function, assigned: HashSet<String>) {
        let Some(head) = self.functions.get(&function.name.name).cloned() else {
            return;
        };
        let lower = |unit: &mut Self| Lowering::new(unit, Level::Host, assigned.clone()).kernel(function, &head);
        if let Ok(kernel) = self.with_choices(lower) {
            self.module.kernels.push(kernel);
        }
    }
}
