//! `@dim(rows, columns)` and `@dimOrder`: `a(i, j)` is an element of an array or of what a pointer leads to, the first
//! index fastest.

use super::constants::integer_of;
use super::context::Lowering;
use super::place::Object;
use super::scope::Symbol;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, AttributeArgument, BaseType, TypeName};
use crate::ir::{BinaryOp, Expr};
use crate::rules;
use crate::source::Span;
use std::rc::Rc;

/// How many indices a variable takes, and how they count.
#[derive(Clone, Debug)]
pub(super) struct Dimensions {
    /// The sizes as written.
    sizes: Vec<ast::Expr>,
    /// The dimensions, fastest first.
    order: Vec<usize>,
}

fn of_name<'a>(attributes: impl IntoIterator<Item = &'a Attribute>, name: &str) -> Option<&'a Attribute> {
    attributes.into_iter().find(|attribute| attribute.name.name == name)
}

impl Lowering<'_, '_> {
    /// Notes what the attributes of a variable, or of its type, say of its indices. It is bound already.
    pub(super) fn bind_dimensions(&mut self, name: &ast::Ident, ty: &TypeName, attributes: &[&Attribute]) {
        let of_type = self.type_attributes(ty);
        let find = |name| of_name(attributes.iter().copied(), name).or_else(|| of_name(&of_type, name));
        let (Some(dim), order) = (find("dim").cloned(), find("dimOrder").cloned()) else {
            if let Some(order) = find("dimOrder") {
                self.error(rules::ATTRIBUTE_ARGUMENTS, order.span, "`@dimOrder` needs a `@dim`");
            }
            return;
        };
        let is_memory = match self.lookup(&name.name) {
            Some(Symbol::Var(var)) => {
                matches!(self.body.var(var).ty, crate::ir::Type::Array(..) | crate::ir::Type::Pointer(_))
            }
            Some(Symbol::Pointer(id)) => !self.is_pointer_array(id),
            _ => return,
        };
        if !is_memory {
            let message = format!("`@dim` is for arrays and pointers; `{}` is none", name.name);
            self.error(rules::MISPLACED_ATTRIBUTE, dim.span, message);
            return;
        }
        if let Ok(dimensions) = self.dimensions(&dim, order.as_ref())
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.bind_dimensions(&name.name, Rc::new(dimensions));
        }
    }

    /// The attributes of the `typedef` that a type names.
    pub(super) fn type_attributes(&self, ty: &TypeName) -> Vec<Attribute> {
        match &ty.base {
            BaseType::Named(base) => match self.lookup(&base.name) {
                Some(Symbol::Typedef(declared)) => declared.attributes,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn dimensions(&mut self, dim: &Attribute, order: Option<&Attribute>) -> Lowered<Dimensions> {
        let sizes = self.expressions(dim)?;
        let Some(order) = order else {
            return Ok(Dimensions { order: (0..sizes.len()).collect(), sizes });
        };
        let mut numbers = Vec::with_capacity(sizes.len());
        for expr in self.expressions(order)? {
            let number = self.integer_constant(&expr, "a dimension in `@dimOrder`")?;
            match usize::try_from(number) {
                Ok(number) if number < sizes.len() && !numbers.contains(&number) => numbers.push(number),
                _ => {
                    let message = format!("`@dimOrder` names each dimension from 0 to {} once", sizes.len() - 1);
                    return Err(self.error(rules::ATTRIBUTE_ARGUMENTS, expr.span, message));
                }
            }
        }
        if numbers.len() != sizes.len() {
            let message = format!("`@dimOrder` names {} dimensions of {}", numbers.len(), sizes.len());
            return Err(self.error(rules::ATTRIBUTE_ARGUMENTS, order.span, message));
        }
        Ok(Dimensions { sizes, order: numbers })
    }

    fn expressions(&mut self, attribute: &Attribute) -> Lowered<Vec<ast::Expr>> {
        let expr = |argument: &AttributeArgument| match argument {
            AttributeArgument::Expr(expr) => Some(expr.clone()),
            AttributeArgument::Attribute(_) | AttributeArgument::Named(..) => None,
        };
        let all: Option<Vec<ast::Expr>> = attribute.arguments.iter().map(expr).collect();
        all.filter(|all| !all.is_empty()).ok_or_else(|| {
            let message = format!("`@{}` takes a number for each dimension", attribute.name.name);
            self.error(rules::ATTRIBUTE_ARGUMENTS, attribute.span, message)
        })
    }

    /// What the call of a name means where it is the access to an array; with how many scopes its sizes are read.
    fn dimensions_of(&self, name: &str) -> Option<(Rc<Dimensions>, usize)> {
        let at = self.scopes.iter().rposition(|scope| scope.get(name).is_some())?;
        self.scopes[at].dimensions(name).map(|dimensions| (dimensions, at + 1))
    }

    /// `a(i, j)`; `None` where `a` has no `@dim`.
    pub(super) fn dim_object(
        &mut self,
        name: &ast::Ident,
        indices: &[ast::Expr],
        span: Span,
    ) -> Option<Lowered<Object>> {
        let (dimensions, depth) = self.dimensions_of(&name.name)?;
        Some(self.deeper(span, |s| s.element(name, &dimensions, depth, indices, span)))
    }

    fn element(
        &mut self,
        name: &ast::Ident,
        dimensions: &Dimensions,
        depth: usize,
        indices: &[ast::Expr],
        span: Span,
    ) -> Lowered<Object> {
        let count = dimensions.sizes.len();
        if indices.len() != count {
            let message = format!("`{}` takes {count} indices, not {}", name.name, indices.len());
            return Err(self.error(rules::BAD_SUBSCRIPT, span, message));
        }
        let mut values = Vec::with_capacity(count);
        for index in indices {
            values.push(self.among_bits(|s| s.expr(index))?);
        }
        let mut offset: Option<Expr> = None;
        for &number in dimensions.order.iter().rev() {
            let index = values[number].clone();
            offset = Some(match offset {
                None => index,
                Some(slower) => {
                    let size = self.dimension_size(&dimensions.sizes[number], depth)?;
                    let rows = self.arithmetic(BinaryOp::Mul, size, slower, span)?;
                    match integer_of(&index) {
                        Some(0) => rows,
                        _ => self.arithmetic(BinaryOp::Add, index, rows, span)?,
                    }
                }
            });
        }
        let offset = offset.ok_or(Reported)?;
        let base = ast::Expr { kind: ast::ExprKind::Name(name.name.clone()), span: name.span };
        self.indexed_by(&base, offset, span)
    }

    /// A size, in the scopes that its variable was declared in.
    fn dimension_size(&mut self, size: &ast::Expr, depth: usize) -> Lowered<Expr> {
        let inner = self.scopes.split_off(depth);
        let (effects, value) = self.captured(|s| s.expr(size));
        self.scopes.extend(inner);
        let value = value?;
        if effects.is_empty() {
            return Ok(value);
        }
        let finding = Diagnostic::error(rules::ATTRIBUTE_ARGUMENTS, size.span, "a size in `@dim` has side effects");
        Err(self.report(finding.hint("compute it in a variable before")))
    }
}
