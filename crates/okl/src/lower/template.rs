//! Templates of functions and structs: arguments deduced or given, and what is made of them (monomorphisation).

use super::candidates::{Given, is_auto};
use super::context::{Level, Lowering};
use super::scope::Symbol;
use super::types::{Declared, array_of};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, BaseType, TemplateArgument, TemplateParam, TypeName};
use crate::ir::{Literal, Scalar, StructId, Type};
use crate::rules;
use crate::source::Span;
use std::rc::Rc;

/// Longest list of arguments as it is spelled.
const MAX_SHOWN: usize = 1000;

/// An argument of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound {
    Type(Type),
    Value(i64, Scalar),
}

/// What the parameters of a template stand for, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<(String, Bound)>,
    /// What a lambda sees of the types and constants around it.
    locals: Vec<(String, Symbol)>,
    /// How the arguments are spelled: `<float, 3>`.
    shown: String,
}

/// A struct that a template made.
pub(super) struct StructInstance {
    template: String,
    arguments: Vec<Bound>,
    id: StructId,
}

impl Bindings {
    pub(super) fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// `<float, 3>`, or nothing.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Each name with its meaning.
    pub(super) fn symbols(&self) -> impl Iterator<Item = (&str, Symbol)> {
        let locals = self.locals.iter().map(|(name, symbol)| (name.as_str(), symbol.clone()));
        let bound = self.bound.iter().map(|(name, bound)| {
            let symbol = match bound {
                Bound::Type(ty) => Symbol::Typedef(Declared::of(ty.clone())),
                Bound::Value(value, scalar) => Symbol::Literal(Literal::Int(*value), *scalar),
            };
            (name.as_str(), symbol)
        });
        bound.chain(locals)
    }

    /// The same with what a lambda sees besides.
    pub(super) fn with_locals(&self, locals: &[(String, Symbol)]) -> Self {
        Self { locals: [&self.locals, locals].concat(), ..self.clone() }
    }
}

impl Lowering<'_, '_> {
    /// The key of a function that a template makes for a call; nothing where its parameters do not fit.
    pub(super) fn instance(
        &mut self,
        template: &Rc<ast::Function>,
        explicit: &[TemplateArgument],
        given: &[Given],
    ) -> Lowered<Option<String>> {
        if given.len() > template.params.len() || explicit.len() > template.template.len() {
            return Ok(None);
        }
        let mut known: Vec<Option<Bound>> = Vec::new();
        for (position, param) in template.template.iter().enumerate() {
            let bound = explicit.get(position).map(|argument| self.template_bound(param, argument)).transpose()?;
            known.push(bound);
        }
        let mut autos = Vec::new();
        for (position, param) in template.params.iter().enumerate() {
            let Some(given) = given.get(position) else { continue };
            if is_auto(&param.ty) {
                autos.push((position, deduced(&param.ty, given)));
            } else if !self.deduce(&template.template, &mut known, &param.ty, given) {
                return Ok(None);
            }
        }
        let Some(bindings) = self.complete_bindings(&template.template, known)? else { return Ok(None) };
        let mut function = template.clone();
        if !autos.is_empty() {
            let own = Rc::make_mut(&mut function);
            for (position, ty) in autos {
                let Some(ty) = ty else { return Ok(None) };
                own.params[position].ty = ty;
            }
        }
        self.unit.enter(&function, bindings, None).map(Some)
    }

    /// Finds arguments of a template in the type of one of a call's; `false` where they contradict each other.
    fn deduce(&self, params: &[TemplateParam], known: &mut [Option<Bound>], wanted: &TypeName, given: &Given) -> bool {
        let ty = match (given, wanted.pointers.len()) {
            (Given::Pointer(pointee, _), 1) => pointee,
            (Given::Pointer(pointee, _), 0) if !wanted.dims.is_empty() => pointee,
            (Given::Value(ty), 0) => ty,
            _ => return true,
        };
        match &wanted.base {
            BaseType::Named(name) => {
                let Some(position) = params.iter().position(|p| p.ty.is_none() && p.name.name == name.name) else {
                    return true;
                };
                // A type that was given, or found before, converts what comes.
                if known[position].is_none() {
                    known[position] = Some(Bound::Type(super::types::element_of(ty).clone()));
                    return true;
                }
                let Given::Pointer(..) = given else {
                    return true;
                };
                known[position] == Some(Bound::Type(ty.clone()))
            }
            BaseType::Template(name, arguments) => {
                let of_struct = |of: &&StructInstance| Type::Struct(of.id) == *ty && of.template == name.name;
                let Some(of) = self.unit.instances.iter().find(of_struct) else { return false };
                for (argument, bound) in arguments.iter().zip(&of.arguments) {
                    let name = match argument {
                        TemplateArgument::Type(TypeName { base: BaseType::Named(name), .. }) => &name.name,
                        TemplateArgument::Value(ast::Expr { kind: ast::ExprKind::Name(name), .. }) => name,
                        _ => continue,
                    };
                    if let Some(position) = params.iter().position(|p| p.name.name == *name) {
                        if known[position].as_ref().is_some_and(|known| known != bound) {
                            return false;
                        }
                        known[position] = Some(bound.clone());
                    }
                }
                true
            }
            _ => true,
        }
    }

    /// The whole list of arguments, with defaults; nothing where one is missing.
    fn complete_bindings(&mut self, params: &[TemplateParam], known: Vec<Option<Bound>>) -> Lowered<Option<Bindings>> {
        let mut bindings = Bindings::default();
        let mut shown = Vec::new();
        for (param, known) in params.iter().zip(known) {
            let bound = match (known, &param.default) {
                (Some(bound), _) => bound,
                (None, Some(default)) => {
                    // A default may name the parameters before it.
                    let so_far = bindings.clone();
                    self.scoped(|s| {
                        for (name, symbol) in so_far.symbols() {
                            s.scopes.last_mut().map(|scope| scope.bind(name, symbol));
                        }
                        s.template_bound(param, default)
                    })?
                }
                (None, None) => return Ok(None),
            };
            shown.push(match &bound {
                Bound::Type(ty) => self.type_name(ty),
                Bound::Value(value, _) => value.to_string(),
            });
            bindings.bound.push((param.name.name.clone(), bound));
        }
        if !shown.is_empty() {
            bindings.shown = format!("<{}>", shown.join(", "));
        }
        if bindings.shown.len() > MAX_SHOWN {
            let Some(param) = params.first() else { return Ok(None) };
            let message = format!("these template arguments have a name of more than {MAX_SHOWN} letters");
            return Err(self.report(
                Diagnostic::error(rules::LIMIT, param.name.span, message)
                    .hint("templates of templates may not go on for ever"),
            ));
        }
        Ok(Some(bindings))
    }

    /// An argument as it is written.
    fn template_bound(&mut self, param: &TemplateParam, argument: &TemplateArgument) -> Lowered<Bound> {
        let name = &param.name.name;
        match (argument, &param.ty) {
            (TemplateArgument::Type(ty), None) => {
                let declared = self.resolve(ty)?;
                let dims: Option<Vec<u32>> = declared.dims.iter().copied().collect();
                match (declared.pointer, dims) {
                    (None, Some(dims)) if declared.element != Type::Void => {
                        Ok(Bound::Type(array_of(declared.element, &dims)))
                    }
                    _ => Err(self.error(
                        rules::TEMPLATE_ARGUMENT,
                        ty.span,
                        format!("`{name}` must be a number's or struct's type"),
                    )),
                }
            }
            (TemplateArgument::Value(value), Some(ty)) => {
                let declared = self.resolve(ty)?;
                let Some(scalar) = declared.element.scalar().filter(|scalar| scalar.is_integer()) else {
                    return Err(self.error(
                        rules::TEMPLATE_ARGUMENT,
                        ty.span,
                        "values of templates are integers in OKL",
                    ));
                };
                let integer = self.integer_constant(value, &format!("template argument `{name}`"))?;
                match i64::try_from(integer) {
                    Ok(integer) => Ok(Bound::Value(integer, scalar)),
                    Err(_) => Err(self.error(
                        rules::TEMPLATE_ARGUMENT,
                        value.span,
                        format!("{integer} does not fit a template argument"),
                    )),
                }
            }
            (TemplateArgument::Type(ty), Some(_)) => Err(self.error(
                rules::TEMPLATE_ARGUMENT,
                ty.span,
                format!("template argument `{name}` is a value, not a type"),
            )),
            (TemplateArgument::Value(value), None) => Err(self.error(
                rules::TEMPLATE_ARGUMENT,
                value.span,
                format!("template argument `{name}` is a type, not a value"),
            )),
        }
    }

    /// `Name<arguments>` where a type is wanted.
    pub(super) fn struct_instance(
        &mut self,
        name: &ast::Ident,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Lowered<StructId> {
        let Some(template) = self.unit.struct_templates.get(&name.name).cloned() else {
            return Err(self.undeclared(&name.name, name.span, "template"));
        };
        if arguments.len() > template.template.len() {
            return Err(self.error(
                rules::TEMPLATE_ARGUMENT,
                span,
                format!("`{}` takes {} template arguments", name.name, template.template.len()),
            ));
        }
        let mut known = Vec::new();
        for (position, param) in template.template.iter().enumerate() {
            known.push(arguments.get(position).map(|argument| self.template_bound(param, argument)).transpose()?);
        }
        let Some(bindings) = self.complete_bindings(&template.template, known)? else {
            return Err(self.error(
                rules::TEMPLATE_ARGUMENT,
                span,
                format!("`{}` takes {} template arguments", name.name, template.template.len()),
            ));
        };
        let values: Vec<Bound> = bindings.bound.iter().map(|of| of.1.clone()).collect();
        let same = |of: &&StructInstance| of.template == name.name && of.arguments == values;
        if let Some(known) = self.unit.instances.iter().find(same) {
            return Ok(known.id);
        }
        let mut named = (*template).clone();
        named.name.name = format!("{}{}", name.name, bindings.shown());
        let mut fields = Lowering::new(self.unit, Level::Function, std::collections::HashSet::new());
        fields.depth = self.depth;
        fields.bind_all(&bindings);
        let id = fields.deeper(span, |s| s.lay_out_struct(&named))?;
        self.unit.instances.push(StructInstance { template: name.name.clone(), arguments: values, id });
        Ok(id)
    }
}

/// The type of an `auto` that a value is given to; nothing where `auto *` is given no pointer.
pub(super) fn deduced(written: &TypeName, given: &Given) -> Option<TypeName> {
    let (base, pointer) = match given {
        Given::Value(_) if !written.pointers.is_empty() => return None,
        Given::Value(ty) => (ty, None),
        Given::Pointer(pointee, is_const) => (pointee, Some(*is_const)),
    };
    let mut ty = TypeName { base: BaseType::Deduced(base.clone()), ..written.clone() };
    if let Some(is_const) = pointer {
        // The pointer's own `const` is that of `const auto`.
        let level = ast::PointerLevel { is_const: written.is_const && written.pointers.is_empty(), is_restrict: false };
        if ty.pointers.is_empty() {
            ty.pointers.push(level);
            ty.is_const = is_const;
        } else {
            ty.is_const |= is_const;
        }
    }
    Some(ty)
}

impl Lowering<'_, '_> {
    /// The type of a variable: what `auto` stands for is that of its value.
    pub(super) fn deduce_auto(&mut self, ty: &TypeName, value: Option<&ast::Expr>) -> Lowered<TypeName> {
        if !is_auto(ty) {
            return Ok(ty.clone());
        }
        let Some(value) = value else {
            return Err(self.error(rules::AUTO_TYPE, ty.span, "`auto` needs a value to take its type from"));
        };
        let given = self.type_of(value)?;
        match deduced(ty, &given) {
            Some(ty) => Ok(ty),
            None => Err(self.error(rules::AUTO_TYPE, value.span, "a pointer is expected here")),
        }
    }

    /// `static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self, condition: &ast::Expr, message: Option<&str>, span: Span) -> Lowered<()> {
        let value = self.integer_constant(condition, "the condition of a `static_assert`")?;
        if value != 0 {
            return Ok(());
        }
        let reason = message.map_or(String::new(), |message| format!(": {message}"));
        Err::<(), Reported>(self.error(rules::STATIC_ASSERT, span, format!("this assertion does not hold{reason}")))
    }
}
