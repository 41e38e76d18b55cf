//! Heads of functions and kernels, and the bodies of device functions.

use super::attributes::{LeadsTo, Lower, Place, lower_of};
use super::context::{Level, Lowering};
use super::module::Head;
use super::record::HiddenParam;
use super::record_result::RecordResult;
use super::scope::Symbol;
use super::types::array_of;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, AttributeArgument, TypeName};
use crate::ir::{Function, Role, Stmt, StmtKind, Type, VarId};
use crate::rules;

/// See [`Lowering::function`].
pub(super) type LoweredFunction = (Function, Effects, Vec<HiddenParam>);

/// What a call does besides giving a value.
pub(super) struct Effects {
    /// For each parameter, whether the memory behind it is written.
    pub(super) writes: Vec<bool>,
    /// Something is printed.
    pub(super) prints: bool,
    /// Where the pointers of the value lead.
    pub(super) returned: Option<RecordResult>,
}

/// Whether a function is a `@kernel`.
pub(super) fn is_kernel(function: &ast::Function) -> bool {
    function.attributes.iter().any(|a| matches!(lower_of(a), Lower::Kernel))
}

impl Lowering<'_, '_> {
    /// A function's types.
    pub(super) fn head(&mut self, function: &ast::Function) -> Lowered<Head> {
        let is_kernel = is_kernel(function);
        self.check_attributes(&function.attributes, if is_kernel { Place::Kernel } else { Place::Function });
        let result = match self.result_type(function, is_kernel) {
            Err(Reported) if is_kernel => Ok(Type::Void),
            result => result,
        };
        let mut params = Vec::with_capacity(function.params.len());
        let mut leads_to = Vec::with_capacity(function.params.len());
        let mut references = Vec::with_capacity(function.params.len());
        let mut pointer_counts = Vec::with_capacity(function.params.len());
        for param in &function.params {
            let place = if is_kernel { Place::Parameter } else { Place::FunctionParameter };
            self.check_attributes(&param.attributes, place);
            let restrict = param.attributes.iter().any(|a| matches!(lower_of(a), Lower::Restrict));
            // What a launch passes nobody else sees: a kernel's reference to what it does not change is the value.
            let is_copied =
                is_kernel && param.ty.is_const && param.ty.pointers.is_empty() && param.ty.is_value_reference();
            references.push(param.ty.is_value_reference() && !is_copied);
            let (ty, count) = match param.ty.reference {
                Some(_) if is_copied => (self.resolve(&TypeName { reference: None, ..param.ty.clone() }), None),
                Some(_) => (self.reference_type(&param.ty, is_kernel), None),
                None => match self.resolve_parameter(&param.ty, is_kernel) {
                    Ok((declared, count)) => (Ok(declared), count),
                    Err(Reported) => (Err(Reported), None),
                },
            };
            pointer_counts.push(count);
            let ty = ty.and_then(|declared| self.parameter_type(&declared, restrict, param.span));
            let ty = ty.and_then(|ty| self.check_pointer_fields(&ty, is_kernel, param.span).map(|()| ty));
            leads_to.push(self.leads_to(&param.attributes, ty.as_ref().ok()));
            // A refused parameter is `void`: calls and the body are looked at all the same.
            params.push(ty.unwrap_or(Type::Void));
        }
        let writes = params.iter().map(|ty| matches!(ty, Type::Pointer(p) if p.mutable)).collect();
        let is_defined = function.body.is_some();
        let defaults = self.defaults(function, is_kernel);
        let (result, span) = (result?, function.span);
        let returned = self.record_result(&function.name.name, &result, function.result.span)?;
        let hidden = Vec::new();
        Ok(Head {
            id: None,
            result,
            returned,
            params,
            references,
            pointer_counts,
            writes,
            prints: false,
            leads_to,
            hidden,
            defaults,
            is_kernel,
            is_defined,
            span,
        })
    }

    /// What stands for arguments that are left out: of the last parameters alone.
    fn defaults(&mut self, function: &ast::Function, is_kernel: bool) -> Vec<Option<ast::Expr>> {
        let first = function.params.iter().position(|p| p.default.is_some()).unwrap_or(function.params.len());
        for param in &function.params[first..] {
            match &param.default {
                Some(default) if is_kernel => {
                    self.error(
                        rules::BAD_DECLARATION,
                        default.span,
                        "a parameter of a `@kernel` has no default: a launch gives every argument",
                    );
                }
                Some(_) => {}
                None => {
                    self.error(
                        rules::BAD_DECLARATION,
                        param.span,
                        "a parameter behind one with a default needs a default too",
                    );
                }
            }
        }
        function.params.iter().map(|p| p.default.clone()).collect()
    }

    /// What a parameter's attributes promise of its memory; only a pointer leads to any.
    fn leads_to(&mut self, attributes: &[Attribute], ty: Option<&Type>) -> Option<LeadsTo> {
        let (promise, span) = LeadsTo::of(attributes)?;
        match ty {
            Some(Type::Pointer(_)) => Some(promise),
            Some(_) => {
                self.error(
                    rules::MISPLACED_ATTRIBUTE,
                    span,
                    "this attribute is for pointers; this parameter is a value",
                );
                None
            }
            None => None,
        }
    }

    fn result_type(&mut self, function: &ast::Function, is_kernel: bool) -> Lowered<Type> {
        if super::candidates::is_auto(&function.result) {
            // The body says it.
            return Ok(Type::Void);
        }
        let declared = self.resolve(&function.result)?;
        let span = function.result.span;
        if declared.pointer.is_some() || !declared.dims.is_empty() {
            return Err(self.report(
                Diagnostic::error(
                    rules::NOT_IN_OKL,
                    span,
                    "functions that return pointers are not in the language yet",
                )
                .hint("return an index"),
            ));
        }
        if let Some(restrict) = function.attributes.iter().find(|a| matches!(lower_of(a), Lower::Restrict)) {
            let message = format!("`@restrict` is for pointers; `{}` returns none", function.name.name);
            return Err(self.error(rules::MISPLACED_ATTRIBUTE, restrict.span, message));
        }
        if is_kernel && declared.element != Type::Void {
            return Err(self.error(rules::KERNEL_CALL, span, "a `@kernel` returns `void`"));
        }
        Ok(array_of(declared.element, &[]))
    }

    /// Declares the parameters and binds their names.
    pub(super) fn declare_params(&mut self, function: &ast::Function, head: &Head) -> Vec<VarId> {
        let mut vars = Vec::with_capacity(head.params.len());
        let mut leads_to = Vec::with_capacity(head.params.len());
        let mut arrays = Vec::new();
        for (position, (param, ty)) in function.params.iter().zip(&head.params).enumerate() {
            let unnamed = ast::Ident { name: "unnamed".to_owned(), span: param.span };
            let name = param.name.as_ref().unwrap_or(&unnamed);
            let is_const = param.ty.is_const && !matches!(ty, Type::Pointer(_));
            // What a lambda captures through another one has a name that no source has.
            let shown = super::module::plain_name(&name.name);
            leads_to.resize(vars.len(), None);
            leads_to.push(head.leads_to[position]);
            if let (true, Type::Struct(id)) = (head.is_kernel && self.holds_pointers(ty), ty) {
                let var = self.declare_record_parameter(function, name, *id, is_const, &mut vars);
                if param.name.is_some() {
                    self.bind(&name.name, name.span, Symbol::Var(var));
                }
                continue;
            }
            let var = self.variable(&shown, ty.clone(), Role::Param(vars.len() as u32), is_const, name.span);
            if param.name.is_some() {
                let is_refused = *ty == Type::Void;
                let moves = matches!(ty, Type::Pointer(_)) && self.assigned.contains(&name.name);
                if let (false, Some(count)) = (is_refused, head.pointer_counts[position]) {
                    arrays.push((name.clone(), var, count));
                    vars.push(var);
                    continue;
                }
                let symbol = match (is_refused, moves) {
                    (false, _) if head.references[position] => Symbol::Reference(var),
                    (true, _) => Symbol::Refused,
                    (false, true) => Symbol::Pointer(self.moving_parameter(var, name)),
                    (false, false) => Symbol::Var(var),
                };
                self.bind(&name.name, name.span, symbol);
                self.bind_dimensions(name, &param.ty, &param.attributes.iter().collect::<Vec<_>>());
            }
            vars.push(var);
        }
        self.writes = vec![false; vars.len()];
        leads_to.resize(vars.len(), None);
        self.leads_to = leads_to;
        for (name, first, count) in arrays {
            let symbol = self.pointer_array_parameter(first, &name, count).map_or(Symbol::Refused, Symbol::Pointer);
            self.bind(&name.name, name.span, symbol);
        }
        vars
    }

    /// A device function, its effects, and its hidden parameters.
    pub(super) fn function(mut self, function: &ast::Function, head: &Head) -> Lowered<LoweredFunction> {
        let errors = self.unit.found.len();
        let mut params = self.declare_params(function, head);
        self.result = head.result.clone();
        self.returned = head.returned.clone();
        debug_assert_eq!(self.level, Level::Function);
        if let Some(body) = &function.body {
            self.scoped(|s| s.stmts(&body.stmts));
        }
        if self.unit.found[errors..].iter().any(|d| d.severity == crate::Severity::Error) {
            return Err(Reported);
        }
        let mut stmts = std::mem::take(&mut self.out);
        if self.result != Type::Void && !always_returns(&stmts) {
            let name = &function.name;
            let message = format!("`{}` may end without returning a value", name.name);
            let warning = Diagnostic::warning(rules::MISSING_RETURN, name.span, message);
            self.unit.found.push(warning.hint("end it with `return` and a value"));
        }
        self.expand_choices(&mut [&mut stmts])?;
        params.extend(self.hidden.iter().map(|hidden| hidden.var));
        super::finalize::finish(&mut self.body, &mut [&mut stmts]);
        let is_pure = !self.writes.contains(&true) && !self.prints;
        let lowered = Function {
            name: function.name.name.clone(),
            result: self.returned.as_ref().map_or(self.result, RecordResult::ty),
            params,
            body: self.body,
            stmts,
            is_pure,
            reports: false,
            span: function.span,
        };
        let effects = Effects { writes: self.writes, prints: self.prints, returned: self.returned };
        Ok((lowered, effects, self.hidden))
    }

    /// `@simd_length(16)`: a wish of OCCA's for Intel's SYCL compiler. Nothing here has it, which is said.
    pub(super) fn check_simd_length(&mut self, attribute: &Attribute) -> Lowered<()> {
        let length = match attribute.arguments.as_slice() {
            [AttributeArgument::Expr(expr)] => self.integer_constant(expr, "the length in `@simd_length`")?,
            _ => return Err(self.error(rules::ATTRIBUTE_ARGUMENTS, attribute.span, "`@simd_length` takes one length")),
        };
        if length < 1 {
            let message = format!("the length in `@simd_length` must be positive; this one is {length}");
            return Err(self.error(rules::ATTRIBUTE_ARGUMENTS, attribute.span, message));
        }
        self.report(
            Diagnostic::warning(
                rules::UNUSED_ATTRIBUTE,
                attribute.span,
                "`@simd_length` is read over: it is a wish for Intel's SYCL compiler alone",
            )
            .hint("leave it out: each compiler chooses the width of its vectors"),
        );
        Ok(())
    }

    /// `@max_inner_dims(x[, y[, z]])`
    pub(super) fn set_max_inner_dims(&mut self, attribute: &Attribute) -> Lowered<()> {
        let mut dims = [1u32; 3];
        if attribute.arguments.is_empty() || attribute.arguments.len() > 3 {
            return Err(self.error(
                rules::ATTRIBUTE_ARGUMENTS,
                attribute.span,
                "`@max_inner_dims` takes one to three sizes",
            ));
        }
        for (dim, argument) in dims.iter_mut().zip(&attribute.arguments) {
            let AttributeArgument::Expr(expr) = argument else {
                return Err(self.error(
                    rules::ATTRIBUTE_ARGUMENTS,
                    attribute.span,
                    "`@max_inner_dims` takes integer constants",
                ));
            };
            let value = self.integer_constant(expr, "a size in `@max_inner_dims`")?;
            match u32::try_from(value) {
                Ok(value) if value > 0 => *dim = value,
                _ => {
                    return Err(self.error(
                        rules::ATTRIBUTE_ARGUMENTS,
                        expr.span,
                        format!("a size in `@max_inner_dims` must be positive; this one is {value}"),
                    ));
                }
            }
        }
        self.max_inner_dims = Some(dims);
        Ok(())
    }
}

/// Whether the end of a list is never reached.
pub(super) fn always_returns(stmts: &[Stmt]) -> bool {
    stmts.last().is_some_and(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(stmts) => always_returns(stmts),
        StmtKind::If { then, otherwise, .. } => always_returns(then) && always_returns(otherwise),
        StmtKind::Loop(l) => l.condition.is_none() && !has_break(&l.body),
        StmtKind::Switch { arms, .. } => {
            arms.iter().any(|a| a.is_default)
                && arms.iter().all(|a| (a.falls_through || always_returns(&a.body)) && !has_break(&a.body))
        }
        _ => false,
    })
}

/// Whether a list breaks out of the loop or switch around it.
fn has_break(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::Block(stmts) => has_break(stmts),
        StmtKind::If { then, otherwise, .. } => has_break(then) || has_break(otherwise),
        _ => false,
    })
}
