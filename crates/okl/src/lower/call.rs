//! Calls of device functions and built-in functions.

use super::attributes::LeadsTo;
use super::candidates::Given;
use super::constants::integer_of;
use super::context::{Level, Lowering};
use super::expr::Value;
use super::local_pointer::PointerId;
use super::module::Head;
use super::place::{Lvalue, Object};
use super::pointer::PointerValue;
use super::scope::Symbol;
use super::types::element_of;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{Argument, Expr, ExprKind, Pointer, Role, Scalar, StmtKind, Type, VarId};
use crate::rules;
use crate::source::Span;
use std::collections::BTreeMap;

/// What a call passes: what is written, or its value where choosing the function needed that.
#[derive(Clone)]
pub(super) enum Passed<'a> {
    Written(&'a ast::Expr),
    Known(Box<Value>, &'a ast::Expr),
}

impl Passed<'_> {
    fn span(&self) -> Span {
        match self {
            Self::Written(expr) => expr.span,
            Self::Known(_, expr) => expr.span,
        }
    }
}

impl Lowering<'_, '_> {
    fn passed(&mut self, argument: &Passed<'_>) -> Lowered<Value> {
        match argument {
            Passed::Written(expr) => self.value(expr),
            Passed::Known(value, _) => Ok((**value).clone()),
        }
    }

    /// The types of arguments whose values are known.
    pub(super) fn given(&mut self, arguments: &[Passed<'_>]) -> Lowered<Vec<Given>> {
        arguments
            .iter()
            .map(|argument| {
                let value = self.passed(argument)?;
                self.given_by(&value, argument.span())
            })
            .collect()
    }

    /// The values of all arguments, in order.
    pub(super) fn known_arguments<'a>(&mut self, arguments: &'a [ast::Expr]) -> Lowered<Vec<Passed<'a>>> {
        arguments.iter().map(|argument| Ok(Passed::Known(Box::new(self.value(argument)?), argument))).collect()
    }

    /// `name(arguments)`; where its value is not wanted, the result means nothing.
    pub(super) fn call(
        &mut self,
        name: &ast::Ident,
        arguments: &[ast::Expr],
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        if let Some(object) = self.dim_object(name, arguments, span) {
            return object.and_then(|object| self.load(object));
        }
        if let Some(Symbol::Lambda(lambda)) = self.lookup(&name.name) {
            return self.call_lambda(&lambda, arguments, span, wanted);
        }
        if self.unit.sets.contains_key(&name.name) {
            return self.call_chosen(&name.name, &[], arguments, span, wanted);
        }
        match self.unit.functions.get(&name.name).cloned() {
            Some(head) => {
                let arguments: Vec<_> = arguments.iter().map(Passed::Written).collect();
                self.call_function(&name.name, &head, &arguments, span, wanted)
            }
            None if name.name == "printf" => self.printf(arguments, span, wanted),
            None if name.name == "__builtin_prefetch" => self.prefetch(arguments, span, wanted),
            None => {
                let special = (self.atomic_call(&name.name, arguments, span, wanted))
                    .or_else(|| self.subgroup_call(&name.name, arguments, span))
                    .or_else(|| self.vector_call(&name.name, arguments, span))
                    .or_else(|| self.complex_call(&name.name, arguments, span));
                match special {
                    Some(value) => value,
                    None => self.math_or_unknown(name, arguments, span),
                }
            }
        }
    }

    /// A call of a name that stands for several functions, or for a template with these arguments.
    pub(super) fn call_chosen(
        &mut self,
        name: &str,
        types: &[ast::TemplateArgument],
        arguments: &[ast::Expr],
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        let arguments = self.known_arguments(arguments)?;
        let key = self.choose_function(name, types, &arguments, span)?;
        let depth = self.depth;
        self.unit.ensure(&key, Some(span), depth)?;
        let Some(head) = self.unit.functions.get(&key).cloned() else { return Err(Reported) };
        self.call_function(name, &head, &arguments, span, wanted)
    }

    fn math_or_unknown(&mut self, name: &ast::Ident, arguments: &[ast::Expr], span: Span) -> Lowered<Value> {
        match self.math_call(&name.name, arguments, span) {
            Some(value) => value,
            None => Err(self.unknown_function(name)),
        }
    }

    fn unknown_function(&mut self, name: &ast::Ident) -> Reported {
        let (message, hint) = match name.name.as_str() {
            "puts" | "putchar" | "fprintf" | "sprintf" => {
                ("of C's functions that print there is `printf` alone", "write `printf(\"…\\n\", …)`")
            }
            "__syncthreads" | "barrier" => {
                ("a barrier is written `@barrier;`", "inner loops are separated by barriers already")
            }
            "assert" => (
                "`assert` is not in the language",
                "print what fails: `if (!(x > 0)) printf(\"x is %g\\n\", x);`; a device opened with `checked=true` finds races and \
                 accesses out of range by itself",
            ),
            "get_global_id" | "get_local_id" | "get_group_id" | "get_local_size" | "get_global_size" => (
                "items are not numbered by functions here",
                "the indices of the `@outer` and `@inner` loops number the groups and their items",
            ),
            "malloc" | "free" => {
                ("memory cannot be allocated in a kernel", "allocate on the host, or use `@shared` and local arrays")
            }
            other if other.starts_with("atomic") => {
                let names: Vec<_> = super::atomic::function_names().map(|name| format!("`{name}`")).collect();
                let hint = format!(
                    "write `@atomic` before the assignment, as in `@atomic sum += value;`, or use one of {}",
                    names.join(", ")
                );
                return self.report(
                    Diagnostic::error(rules::UNDECLARED, name.span, format!("function `{other}` is not declared"))
                        .hint(hint),
                );
            }
            _ => {
                if matches!(self.lookup(&name.name), Some(super::scope::Symbol::Refused)) {
                    return Reported;
                }
                if let Some(symbol) = self.lookup(&name.name) {
                    let has_elements = match symbol {
                        super::scope::Symbol::Var(var) => {
                            matches!(self.body.var(var).ty, Type::Pointer(_) | Type::Array(..))
                        }
                        super::scope::Symbol::Pointer(_) | super::scope::Symbol::Table(_) => true,
                        _ => false,
                    };
                    let text = format!("`{}` is not a function", name.name);
                    let hint = format!("an element of memory or an array is written `{}[i]`", name.name);
                    let diagnostic = Diagnostic::error(rules::WRONG_NAME_KIND, name.span, text);
                    return self.report(if has_elements { diagnostic.hint(hint) } else { diagnostic });
                }
                let functions: Vec<String> = self.unit.functions.keys().cloned().collect();
                let elsewhere = super::subgroup::hint_for(&name.name);
                let own = functions.iter().map(String::as_str);
                let known = own.chain(super::math::names()).chain(super::complex_math::names());
                let near = super::scope::nearest(&name.name, known);
                let diagnostic = Diagnostic::error(
                    rules::UNDECLARED,
                    name.span,
                    format!("function `{}` is not declared", name.name),
                );
                return self.report(match near {
                    _ if elsewhere.is_some() => diagnostic.hint(elsewhere.unwrap_or_default()),
                    Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
                    None => diagnostic.hint("define it in this file, or include the file that does"),
                });
            }
        };
        self.report(Diagnostic::error(rules::NOT_IN_OKL, name.span, message).hint(hint))
    }

    pub(super) fn call_function(
        &mut self,
        name: &str,
        head: &Head,
        arguments: &[Passed<'_>],
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        self.check_call(name, head, arguments.len(), span)?;
        let defaults = head.defaults.iter().skip(arguments.len()).flatten().map(Passed::Written);
        let mut lowered = Vec::with_capacity(arguments.len());
        let mut arrays = BTreeMap::new();
        let mut failed = false;
        for (position, argument) in arguments.iter().cloned().chain(defaults).enumerate() {
            let is_default = position >= arguments.len();
            // A default means what it meant where the function is declared.
            let scopes = if is_default { std::mem::take(&mut self.scopes) } else { Vec::new() };
            let lowered_argument = self.argument(name, head, position, &argument, &mut arrays);
            if is_default {
                self.scopes = scopes;
            }
            match lowered_argument {
                Ok(argument) => lowered.push(argument),
                Err(Reported) => failed = true,
            }
        }
        // Without an id the function itself was refused, which is enough to say.
        let id = head.id.filter(|_| !failed).ok_or(Reported)?;
        self.hidden_arguments(name, head, &mut lowered, &arrays, span)?;
        let pure = !head.writes.contains(&true) && !head.prints;
        if head.prints {
            self.check_print(&format!("`{name}` prints"), span)?;
        }
        if let Some(returned) = head.returned.as_ref().filter(|_| wanted) {
            return self.call_for_record((id, head, returned), lowered, span);
        }
        match &head.result {
            Type::Void => {
                self.emit(StmtKind::Call { function: id, arguments: lowered, result: None }, span);
                Ok(Value::Void)
            }
            ty if pure && wanted => Ok(Value::Scalar(Expr { kind: ExprKind::Call(id, lowered), ty: ty.clone(), span })),
            ty if wanted => {
                let result = self.temporary("result", ty.clone(), None, false, span);
                self.emit(StmtKind::Call { function: id, arguments: lowered, result: Some(result) }, span);
                Ok(Value::Scalar(self.read(result, span)))
            }
            _ => {
                self.emit(StmtKind::Call { function: id, arguments: lowered, result: None }, span);
                Ok(Value::Void)
            }
        }
    }

    /// Whether a function can be called here with so many arguments.
    fn check_call(&mut self, name: &str, head: &Head, count: usize, span: Span) -> Lowered<()> {
        if head.is_kernel {
            return Err(self.error(
                rules::KERNEL_CALL,
                span,
                format!("`{name}` is a `@kernel`: it is launched from the host, not called"),
            ));
        }
        if matches!(self.level, Level::Host | Level::File) {
            return Err(self.report(
                Diagnostic::error(rules::HOST_READ, span, format!("device function `{name}` cannot be called on the host, where loop bounds and code outside `@outer` loops run"))
                    .hint("use a macro, or call it inside the `@outer` loop"),
            ));
        }
        if !head.is_defined {
            return Err(self.report(
                Diagnostic::error(
                    rules::UNDEFINED_FUNCTION,
                    span,
                    format!("function `{name}` is declared but nowhere defined"),
                )
                .label(head.span, "declared here")
                .hint("define it in this file or in one that it includes"),
            ));
        }
        if !(head.required()..=head.params.len()).contains(&count) {
            let plural = if head.params.len() == 1 { "" } else { "s" };
            let least =
                if head.required() < head.params.len() { format!("{} to ", head.required()) } else { String::new() };
            return Err(self.report(
                Diagnostic::error(
                    rules::ARGUMENT_COUNT,
                    span,
                    format!("`{name}` takes {least}{} argument{plural}, not {}", head.params.len(), count),
                )
                .label(head.span, "declared here"),
            ));
        }
        Ok(())
    }

    /// One argument; `arrays` gets those that are arrays of pointers, of which this is the first pointer.
    fn argument(
        &mut self,
        name: &str,
        head: &Head,
        position: usize,
        argument: &Passed<'_>,
        arrays: &mut BTreeMap<usize, PointerId>,
    ) -> Lowered<Argument> {
        let span = argument.span();
        let label = format!("argument {} of `{name}`", position + 1);
        match &head.params[position] {
            Type::Pointer(expected) if head.references[position] => {
                let written = head.writes.get(position).copied().unwrap_or(expected.mutable);
                let (expr, is_known) = match argument {
                    Passed::Written(expr) => (*expr, false),
                    Passed::Known(_, expr) => (*expr, true),
                };
                let (effects, place) = self.captured(|s| s.reference_argument(&label, expected, written, expr));
                if is_known && !effects.is_empty() {
                    let message =
                        format!("{label} is a reference and must not have side effects in a call that chooses");
                    return Err(self.error(rules::WRONG_ARGUMENT, span, message));
                }
                self.out.extend(effects);
                place
            }
            Type::Pointer(expected) if let Some(count) = head.pointer_counts[position] => {
                let array = self.pointer_array_argument(&label, count, argument)?;
                arrays.insert(position, array);
                let written = head.writes.get(position).copied().unwrap_or(expected.mutable);
                self.element_argument(&label, expected, written, (array, 0), span)
            }
            Type::Pointer(expected) => {
                let written = head.writes.get(position).copied().unwrap_or(expected.mutable);
                let promise = head.leads_to.get(position).copied().flatten();
                let pointer = self.pointer_argument(&label, expected, written, argument)?;
                if let (Some(promise), Argument::Pointer(place)) = (promise, &pointer) {
                    self.check_leads_to(&label, promise, place.root, span)?;
                }
                Ok(pointer)
            }
            Type::Void => {
                // The parameter was refused; the argument may hold findings of its own.
                self.passed(argument)?;
                Err(Reported)
            }
            ty => {
                let value = match self.passed(argument)? {
                    Value::Scalar(value) => value,
                    Value::Vector(vector) => self.composed(vector)?,
                    Value::Pointer(_) => {
                        return Err(self.error(
                            rules::WRONG_ARGUMENT,
                            span,
                            format!("{label} must be a value, not a pointer"),
                        ));
                    }
                    Value::Void => {
                        return Err(self.error(rules::WRONG_ARGUMENT, span, format!("{label} gives no value")));
                    }
                };
                self.converted(value, ty, span).map(Argument::Value)
            }
        }
    }

    /// A parameter that is said to lead to some memory is given no pointer that is known to lead elsewhere.
    fn check_leads_to(&mut self, label: &str, promise: LeadsTo, root: VarId, span: Span) -> Lowered<()> {
        let is_kernel = self.level != Level::Function;
        let found = match self.body.var(root).role {
            Role::Param(n) if !is_kernel => self.leads_to.get(n as usize).copied().flatten().unwrap_or(promise),
            Role::Param(_) => LeadsTo::Global,
            Role::Shared | Role::Exchange(_) => LeadsTo::Shared,
            // Each of its arrays was looked at where the pointer was set.
            _ if self.choices.contains(root) => promise,
            _ => {
                let name = self.called(root);
                let message =
                    format!("{label} must lead to {}; `{name}` is neither `@shared` nor global", promise.word());
                return Err(self.error(rules::WRONG_ARGUMENT, span, message));
            }
        };
        if found == promise {
            return Ok(());
        }
        Err(self.error(
            rules::WRONG_ARGUMENT,
            span,
            format!("{label} must lead to {}, not to {}", promise.word(), found.word()),
        ))
    }

    fn pointer_argument(
        &mut self,
        label: &str,
        expected: &Pointer,
        written: bool,
        argument: &Passed<'_>,
    ) -> Lowered<Argument> {
        let span = argument.span();
        let p = match self.passed(argument)? {
            Value::Pointer(p) => p,
            Value::Scalar(value) if integer_of(&value) == Some(0) => {
                return Err(self.error(
                    rules::NULL_POINTER,
                    span,
                    "null pointers are not in the language: a pointer must point into memory",
                ));
            }
            _ => {
                return Err(self.report(
                    Diagnostic::error(rules::WRONG_ARGUMENT, span, format!("{label} must be a pointer"))
                        .hint("write `&` before a variable"),
                ));
            }
        };
        self.pointer_for(label, expected, written, p, span)
    }

    /// The local array of at least so many pointers that an argument names.
    fn pointer_array_argument(&mut self, label: &str, count: u32, argument: &Passed<'_>) -> Lowered<PointerId> {
        let span = argument.span();
        let named = match argument {
            Passed::Written(expr) => match self.object(expr)? {
                Object::Local(id) if self.is_pointer_array(id) => Some(id),
                _ => None,
            },
            Passed::Known(..) => None,
        };
        match named {
            Some(id) if self.pointer_count(id) >= count as usize => Ok(id),
            Some(id) => {
                let message = format!("{label} must have {count} pointers, not {}", self.pointer_count(id));
                Err(self.error(rules::WRONG_ARGUMENT, span, message))
            }
            None => {
                let finding =
                    Diagnostic::error(rules::WRONG_ARGUMENT, span, format!("{label} must be an array of pointers"));
                Err(self.report(finding.hint(format!("declare a local array: `T *name[{count}];`"))))
            }
        }
    }

    /// One pointer of an array for a parameter.
    pub(super) fn element_argument(
        &mut self,
        label: &str,
        expected: &Pointer,
        written: bool,
        (array, number): (PointerId, u32),
        span: Span,
    ) -> Lowered<Argument> {
        let index = Expr::int(i64::from(number), Scalar::I32, span);
        let element = self.pointer_element(array, index, span)?;
        let value = self.local_pointer(element, span)?;
        self.pointer_for(label, expected, written, value, span)
    }

    /// A pointer for a parameter.
    pub(super) fn pointer_for(
        &mut self,
        label: &str,
        expected: &Pointer,
        written: bool,
        p: PointerValue,
        span: Span,
    ) -> Lowered<Argument> {
        let rows = super::types::array_of((*expected.element).clone(), &expected.dims);
        if p.pointee != rows {
            let (wanted, got) = (self.type_name(&rows), self.type_name(&p.pointee));
            return Err(self.error(
                rules::WRONG_ARGUMENT,
                span,
                format!("{label} must point to `{wanted}`, not to `{got}`"),
            ));
        }
        if p.is_const && expected.mutable {
            let root = self.called(p.root);
            return Err(self.report(
                Diagnostic::error(
                    rules::WRITE_TO_CONSTANT,
                    span,
                    format!("{label} may be written, but `{root}` is constant"),
                )
                .hint("declare the function's parameter `const` if it only reads"),
            ));
        }
        let var = self.body.var(p.root);
        if matches!(var.role, Role::Outer(_) | Role::Inner(_)) {
            return Err(self.error(
                rules::NO_ADDRESS,
                span,
                "the index of a parallel loop has no address; copy it to a variable",
            ));
        }
        if written {
            let object = Lvalue {
                root: p.root,
                path: p.prefix.clone(),
                ty: element_of(&p.pointee).clone(),
                is_const: false,
                span,
            };
            self.check_write(&object)?;
        } else {
            self.check_read(p.root, span)?;
        }
        self.argument_place(p, span).map(Argument::Pointer)
    }
}
