//! Functions that a call chooses among: overloads, templates, and functions whose result is `auto`.
//!
//! Their names may stand for several functions, so each has a key in [`Unit::functions`]: the name and the types that tell
//! it apart. They are lowered when a call chooses them, and before the caller's body is complete: callees stay first.

use super::call::Passed;
use super::call_graph::Survey;
use super::constants::common;
use super::context::{Level, Lowering};
use super::expr::Value;
use super::function::Effects;
use super::module::{Head, Unit};
use super::scope::Symbol;
use super::template::Bindings;
use super::{Lowered, Reported};
use crate::diagnostic::{Diagnostic, Severity};
use crate::front::ast::{self, BaseType, Item};
use crate::ir::{FunctionId, Scalar, Type};
use crate::rules;
use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// One function of a name.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) function: Rc<ast::Function>,
    /// Of a function that is no template.
    pub(super) key: Option<String>,
}

/// A function that is lowered once a call wants it.
pub(super) struct Waiting {
    pub(super) function: Rc<ast::Function>,
    /// What names of its own mean: the arguments of a template.
    pub(super) bindings: Bindings,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Untouched,
    Open,
    Done,
}

/// An argument's type, as choosing needs it.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Value(Type),
    /// What is pointed to, and whether it is constant.
    Pointer(Type, bool),
}

/// Most functions that templates, overloads and lambdas may make.
const MAX_INSTANCES: usize = 1024;

/// So many calls are named that led to a template's finding.
const MAX_LABELS: usize = 4;

/// How far an argument is from a parameter: none, a promotion, a conversion.
type Distance = u8;

impl Waiting {
    pub(super) fn new(function: Rc<ast::Function>, bindings: Bindings) -> Self {
        Self { function, bindings, state: State::Untouched }
    }
}

/// Whether a type is `auto` at its root.
pub(super) fn is_auto(ty: &ast::TypeName) -> bool {
    matches!(ty.base, BaseType::Auto)
}

fn waits(function: &ast::Function) -> bool {
    !function.template.is_empty() || is_auto(&function.result) || function.params.iter().any(|p| is_auto(&p.ty))
}

/// The names whose calls choose.
pub(super) fn sets(unit: &ast::Unit) -> HashMap<String, Vec<Candidate>> {
    let mut definitions: HashMap<&str, (usize, bool)> = HashMap::new();
    let functions = || {
        unit.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    };
    for function in functions() {
        let (count, chooses) = definitions.entry(&function.name.name).or_default();
        *count += usize::from(function.body.is_some());
        *chooses |= waits(function);
    }
    let kernels = functions().filter(|f| super::function::is_kernel(f)).map(|f| f.name.name.as_str());
    for kernel in kernels {
        definitions.remove(kernel);
    }
    let names = definitions.into_iter().filter(|(_, (count, chooses))| *count > 1 || *chooses);
    names.map(|(name, _)| (name.to_owned(), Vec::new())).collect()
}

impl Unit<'_> {
    /// Enters one function of a set.
    pub(super) fn candidate(&mut self, function: &ast::Function) -> Lowered<()> {
        let name = &function.name.name;
        if function.body.is_none() {
            // The definition says the same.
            return Ok(());
        }
        let function = Rc::new(function.clone());
        let is_template = !function.template.is_empty() || function.params.iter().any(|p| is_auto(&p.ty));
        let key = if is_template { None } else { Some(self.enter(&function, Bindings::default(), None)?) };
        self.symbols.bind(name, Symbol::Function);
        self.sets.entry(name.clone()).or_default().push(Candidate { function, key });
        Ok(())
    }

    /// Enters a function that waits, and gives its key. Lambdas of one name are told apart by their place.
    pub(super) fn enter(
        &mut self,
        function: &Rc<ast::Function>,
        bindings: Bindings,
        lambda: Option<Span>,
    ) -> Lowered<String> {
        let mut heads = Lowering::new(self, Level::Function, std::collections::HashSet::new());
        heads.bind_all(&bindings);
        let head = heads.head(function)?;
        let types: Vec<String> = head.params.iter().map(|ty| heads.type_name(ty)).collect();
        let name = &function.name.name;
        let place = lambda.map_or(String::new(), |span| format!(" at {}:{}:{}", span.file, span.start, span.expansion));
        let key = format!("{name}{}({}){place}", bindings.shown(), types.join(", "));
        if let Some(known) = self.functions.get(&key) {
            if known.span == head.span {
                return Ok(key);
            }
            let message = format!("`{name}` is defined twice");
            let finding = Diagnostic::error(rules::DECLARED_TWICE, function.name.span, message)
                .label(known.span, "first declared here");
            self.found.push(finding);
            return Err(Reported);
        }
        if self.waiting.len() >= MAX_INSTANCES {
            if std::mem::replace(&mut self.is_over_limit, true) {
                return Err(Reported);
            }
            let message = format!("templates, overloads and lambdas make more than {MAX_INSTANCES} functions");
            self.found.push(Diagnostic::error(rules::LIMIT, function.name.span, message));
            return Err(Reported);
        }
        self.functions.insert(key.clone(), head);
        self.waiting.insert(key.clone(), Waiting::new(function.clone(), bindings));
        Ok(key)
    }

    /// Lowers a function that waits, unless that has been done; `call` is where it is wanted.
    pub(super) fn ensure(&mut self, key: &str, call: Option<Span>, depth: u32) -> Lowered<()> {
        let Some(waiting) = self.waiting.get_mut(key) else { return Ok(()) };
        match (waiting.state, call) {
            (State::Done, _) | (State::Open, None) => return Ok(()),
            (State::Open, Some(call)) => return Err(self.cycle(key, call)),
            (State::Untouched, _) => waiting.state = State::Open,
        }
        let (function, bindings) = (waiting.function.clone(), waiting.bindings.clone());
        self.open.push((key.to_owned(), call.unwrap_or_default()));
        let errors = self.found.len();
        self.lower_waiting(key, &function, &bindings, depth);
        if let (Some(call), false) = (call, bindings.is_empty()) {
            let wants = |f: &&mut Diagnostic| f.severity == Severity::Error && f.labels.len() < MAX_LABELS;
            for finding in self.found[errors..].iter_mut().filter(wants) {
                finding.labels.push((call, format!("for `{key}`, called here")));
            }
        }
        self.open.pop();
        if let Some(waiting) = self.waiting.get_mut(key) {
            waiting.state = State::Done;
        }
        Ok(())
    }

    /// `depth` is that of the call: what instances call is bounded as what is written.
    fn lower_waiting(&mut self, key: &str, function: &Rc<ast::Function>, bindings: &Bindings, depth: u32) {
        let Some(head) = self.functions.get(key).cloned() else { return };
        let references = self.references.clone();
        let references = references.iter().map(String::as_str).collect();
        let assigned = Survey::of(function, &references).assigned;
        self.made += 1;
        // The caller's own choices go on behind this body.
        let choosing = std::mem::take(&mut self.choosing);
        let lower = |unit: &mut Self| {
            let mut lowering = Lowering::new(unit, Level::Function, assigned.clone());
            lowering.bind_all(bindings);
            lowering.depth = depth;
            lowering.deduces = is_auto(&function.result);
            lowering.function(function, &head)
        };
        let lowered = self.with_choices(lower);
        self.choosing = choosing;
        let Ok((lowered, Effects { writes, prints, returned }, hidden)) = lowered else { return };
        let (id, result) = (FunctionId(self.module.functions.len() as u32), lowered.result.clone());
        self.module.functions.push(lowered);
        if let Some(head) = self.functions.get_mut(key) {
            *head = Head { id: Some(id), writes, prints, returned, hidden, result, ..head.clone() };
        }
    }

    fn cycle(&mut self, key: &str, call: Span) -> Reported {
        let start = self.open.iter().position(|(open, _)| open == key).unwrap_or(0);
        let names: Vec<&str> = self.open[start..].iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("recursion is not possible on devices: {} → {key}", names.join(" → "));
        let mut finding = Diagnostic::error(rules::RECURSION, call, message).hint("use a loop");
        for (name, call) in self.open.iter().skip(start + 1) {
            finding = finding.label(*call, format!("calls `{name}` here"));
        }
        self.found.push(finding);
        Reported
    }
}

impl Lowering<'_, '_> {
    /// Gives the names of a template's parameters their meaning.
    pub(super) fn bind_all(&mut self, bindings: &Bindings) {
        for (name, symbol) in bindings.symbols() {
            if let Some(scope) = self.scopes.first_mut() {
                scope.bind(name, symbol);
            }
        }
        self.bindings.clone_from(bindings);
    }

    /// What an expression would give.
    pub(super) fn type_of(&mut self, expr: &ast::Expr) -> Lowered<Given> {
        let found = self.unit.found.len();
        let (writes, prints) = (self.writes.clone(), self.prints);
        let (_, value) = self.captured(|s| s.value(expr));
        (self.writes, self.prints) = (writes, prints);
        let value = value?;
        // What is only a warning comes again when the value is wanted.
        self.unit.found.truncate(found);
        self.given_by(&value, expr.span)
    }

    /// The type of a value.
    pub(super) fn given_by(&mut self, value: &Value, span: Span) -> Lowered<Given> {
        match value {
            Value::Scalar(value) => Ok(Given::Value(value.ty.clone())),
            Value::Vector(vector) => Ok(Given::Value(Type::Struct(vector.id))),
            Value::Pointer(pointer) => Ok(Given::Pointer(pointer.pointee.clone(), pointer.is_const)),
            Value::Void => Err(self.error(rules::TYPE_MISMATCH, span, "this gives no value")),
        }
    }

    /// The key of the function that a call means, and its head.
    pub(super) fn choose_function(
        &mut self,
        name: &str,
        explicit: &[ast::TemplateArgument],
        arguments: &[Passed<'_>],
        span: Span,
    ) -> Lowered<String> {
        let given = self.given(arguments)?;
        let candidates = self.unit.sets.get(name).cloned().unwrap_or_default();
        let mut found: Vec<(Vec<Distance>, bool, String)> = Vec::new();
        for candidate in &candidates {
            let key = match &candidate.key {
                Some(key) if explicit.is_empty() => key.clone(),
                Some(_) => continue,
                None => match self.instance(&candidate.function, explicit, &given)? {
                    Some(key) => key,
                    None => continue,
                },
            };
            let Some(head) = self.unit.functions.get(&key) else { continue };
            if let Some(distances) = distances(self.unit, head, &given) {
                found.push((distances, candidate.key.is_none(), key));
            }
        }
        let better = |a: &(Vec<Distance>, bool, String), b: &(Vec<Distance>, bool, String)| {
            let no_worse = a.0.iter().zip(&b.0).all(|(a, b)| a <= b);
            no_worse && (a.0 != b.0 || (b.1 && !a.1))
        };
        let best = found.iter().find(|a| found.iter().all(|b| std::ptr::eq(*a, b) || better(a, b)));
        if let Some((_, _, key)) = best {
            return Ok(key.clone());
        }
        Err(self.no_choice(name, &candidates, &given, &found.into_iter().map(|of| of.2).collect::<Vec<_>>(), span))
    }

    fn no_choice(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        given: &[Given],
        found: &[String],
        span: Span,
    ) -> Reported {
        let types: Vec<String> = given
            .iter()
            .map(|given| match given {
                Given::Value(ty) => self.type_name(ty),
                Given::Pointer(ty, is_const) => {
                    format!("{}{} *", if *is_const { "const " } else { "" }, self.type_name(ty))
                }
            })
            .collect();
        let types = types.join(", ");
        let mut finding = match found {
            [] => Diagnostic::error(rules::OVERLOAD, span, format!("no `{name}` takes ({types})")),
            _ => Diagnostic::error(rules::OVERLOAD, span, format!("this call of `{name}` with ({types}) is ambiguous"))
                .hint(format!("convert an argument: it may mean {}", found.join(" or "))),
        };
        for candidate in candidates.iter().take(4) {
            finding = finding.label(candidate.function.span, "one that is known");
        }
        self.report(finding)
    }
}

/// How far each argument is from its parameter; nothing where one does not fit.
fn distances(unit: &Unit<'_>, head: &Head, given: &[Given]) -> Option<Vec<Distance>> {
    if given.len() > head.params.len() || given.len() < head.required() {
        return None;
    }
    let params = head.params.iter().zip(&head.references);
    given
        .iter()
        .zip(params)
        .map(|(given, (param, &reference))| match (given, param) {
            (Given::Value(ty), Type::Pointer(pointer)) if reference => {
                (pointer.dims.is_empty() && *ty == *pointer.element).then_some(0)
            }
            _ => distance(unit, given, param),
        })
        .collect()
}

fn distance(unit: &Unit<'_>, given: &Given, param: &Type) -> Option<Distance> {
    match (given, param) {
        (Given::Pointer(pointee, is_const), Type::Pointer(pointer)) => {
            let rows = super::types::array_of((*pointer.element).clone(), &pointer.dims);
            (rows == *pointee && !(pointer.mutable && *is_const)).then_some(u8::from(!pointer.mutable && !is_const))
        }
        (Given::Value(a), b) if a == b => Some(0),
        // A real number becomes a complex one where no function takes it as it is.
        (Given::Value(a), Type::Struct(b)) => {
            let parts = unit.parts_of_complex(*b)?;
            match a {
                Type::Struct(a) => unit.parts_of_complex(*a).map(|a| if a < parts { 1 } else { 2 }),
                a => a.scalar().map(|a| if common(a, a) <= parts { 3 } else { 4 }),
            }
        }
        (Given::Value(a), b) => {
            let (a, b) = (a.scalar()?, b.scalar()?);
            let promotes =
                (a.is_integer() && b == super::constants::promoted(a)) || (a, b) == (Scalar::F32, Scalar::F64);
            Some(if promotes { 1 } else { 2 })
        }
        _ => None,
    }
}
