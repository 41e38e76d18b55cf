//! Lambdas: device functions whose captures are parameters.

use super::Lowered;
use super::candidates::{Given, is_auto};
use super::context::{Level, Lowering};
use super::expr::Value;
use super::place::Object;
use super::scope::Symbol;
use super::template::deduced;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, BaseType, Expr, ExprKind, Ident, Param, TypeName};
use crate::ir::Type;
use crate::rules;
use crate::source::Span;
use std::rc::Rc;

/// A lambda that a name stands for.
#[derive(Clone, Debug)]
pub(super) struct LambdaValue {
    /// Its parameters, those of its captures last.
    function: Rc<ast::Function>,
    /// The names under which calls find what is captured.
    captures: Vec<String>,
    /// Types, constants and other lambdas that its body sees.
    locals: Vec<(String, Symbol)>,
}

impl Lowering<'_, '_> {
    /// `auto name = [=](…) { … };`
    pub(super) fn declare_lambda(&mut self, name: &Ident, lambda: &ast::Lambda) -> Lowered<()> {
        if matches!(self.level, Level::Host | Level::File) {
            let finding = Diagnostic::error(
                rules::LAMBDA,
                name.span,
                "a lambda belongs inside the `@outer` loops, or to the file",
            );
            return Err(self.report(finding.hint("move it, or write a function")));
        }
        if let Some(param) = lambda.function.params.iter().find(|param| param.ty.reference.is_some()) {
            let finding = Diagnostic::error(rules::LAMBDA, param.span, "a lambda takes no references");
            return Err(self.report(finding.hint("take a pointer, or return the value")));
        }
        let mut function = lambda.function.clone();
        function.name = name.clone();
        let mut captures = Vec::new();
        let locals = self.visible_locals();
        let mut names = super::call_graph::Survey::names_of(&lambda.function);
        // What another lambda has captured goes on through this one.
        for (name, symbol) in &locals {
            if let (Symbol::Lambda(other), true) = (symbol, names.contains(name)) {
                names.extend(other.captures.iter().cloned());
            }
        }
        for captured in names {
            let is_param = function.params.iter().any(|p| p.name.as_ref().is_some_and(|n| n.name == captured));
            let local = self.scopes.iter().rev().find_map(|scope| scope.get(&captured)).cloned();
            let (false, Some(symbol @ (Symbol::Var(_) | Symbol::Pointer(_)))) = (is_param, local) else { continue };
            let span = name.span;
            let hidden = format!("{}@{captured}", name.name);
            let (param, symbol) = self.capture_variable(&captured, symbol, lambda.by_reference, span)?;
            if let Some(scope) = self.scopes.last_mut() {
                scope.bind(&hidden, symbol);
            }
            function.params.push(param);
            captures.push(hidden);
        }
        let value = LambdaValue { function: Rc::new(function), captures, locals };
        self.bind(&name.name, name.span, Symbol::Lambda(Rc::new(value)));
        Ok(())
    }

    /// Local types, constants and lambdas; inner ones hide outer ones.
    fn visible_locals(&self) -> Vec<(String, Symbol)> {
        let of = |symbol: &Symbol| {
            matches!(
                symbol,
                Symbol::Typedef(_) | Symbol::Struct(_) | Symbol::Literal(..) | Symbol::Complex(..) | Symbol::Lambda(_)
            )
        };
        let all = self.scopes.iter().flat_map(|scope| scope.all().filter(|(_, symbol)| of(symbol)));
        let all: std::collections::BTreeMap<String, Symbol> = all.map(|(n, s)| (n.to_owned(), s.clone())).collect();
        all.into_iter().collect()
    }

    /// The parameter of a captured variable, and what its argument is.
    fn capture_variable(
        &mut self,
        captured: &str,
        symbol: Symbol,
        by_reference: bool,
        span: Span,
    ) -> Lowered<(Param, Symbol)> {
        let expr = Expr { kind: ExprKind::Name(captured.to_owned()), span };
        let is_var = matches!(symbol, Symbol::Var(_));
        let mut kept = symbol;
        let given = match self.object(&expr)? {
            Object::Lvalue(lvalue) if !matches!(lvalue.ty, Type::Array(..)) => {
                let ty = lvalue.ty.clone();
                let fixed = self.info[lvalue.root.0 as usize].fixed;
                if is_var && !fixed && !by_reference {
                    // The value is that of now, whatever is assigned until the call.
                    let value = self.expr(&expr)?;
                    kept = Symbol::Var(self.temporary(captured, ty.clone(), Some(value), true, span));
                }
                Given::Value(ty)
            }
            _ => self.type_of(&expr)?,
        };
        let plain = TypeName {
            base: BaseType::Auto,
            is_const: matches!(given, Given::Value(_)),
            is_volatile: false,
            pointers: Vec::new(),
            dims: Vec::new(),
            reference: None,
            span,
        };
        let ty = deduced(&plain, &given).unwrap_or(plain);
        let name = Some(Ident { name: captured.to_owned(), span });
        Ok((Param { name, ty, attributes: Vec::new(), default: None, span }, kept))
    }

    /// A call of a lambda.
    pub(super) fn call_lambda(
        &mut self,
        lambda: &LambdaValue,
        arguments: &[Expr],
        span: Span,
        wanted: bool,
    ) -> Lowered<Value> {
        let own = lambda.function.params.len() - lambda.captures.len();
        let name = lambda.function.name.name.clone();
        if arguments.len() != own {
            let plural = if own == 1 { "" } else { "s" };
            return Err(self.error(
                rules::ARGUMENT_COUNT,
                span,
                format!("`{name}` takes {own} argument{plural}, not {}", arguments.len()),
            ));
        }
        let hidden = lambda.captures.iter().map(|name| Expr { kind: ExprKind::Name(name.clone()), span });
        let arguments: Vec<Expr> = arguments.iter().cloned().chain(hidden).collect();
        let arguments = self.known_arguments(&arguments)?;
        let given = self.given(&arguments)?;
        let mut function = lambda.function.clone();
        for (position, given) in given.iter().enumerate().take(own) {
            if is_auto(&function.params[position].ty) {
                let Some(ty) = deduced(&function.params[position].ty, given) else {
                    return Err(self.error(
                        rules::WRONG_ARGUMENT,
                        span,
                        format!("argument {} of `{name}` must be a pointer", position + 1),
                    ));
                };
                Rc::make_mut(&mut function).params[position].ty = ty;
            }
        }
        let bindings = self.bindings.with_locals(&lambda.locals);
        let key = self.unit.enter(&function, bindings, Some(function.span))?;
        let depth = self.depth;
        self.unit.ensure(&key, Some(span), depth)?;
        let Some(head) = self.unit.functions.get(&key).cloned() else { return Err(super::Reported) };
        self.call_function(&name, &head, &arguments, span, wanted)
    }
}
