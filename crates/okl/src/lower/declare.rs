//! Declarations: locals, `@shared` and `@exclusive` memory, and constants of the file or of a kernel's host part.

use super::attributes::{Lower, Place as At, Storage, lower_of};
use super::constants::{binary, evaluate, literal_of, zero};
use super::context::{Level, Lowering};
use super::scope::Symbol;
use super::types::{Declared, array_of};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, Declaration, Declarator, TypeName};
use crate::ir::{
    BinaryOp, Constant, ConstantId, Expr, Initializer, Literal, Loop, Mark, Place, Projection, Role, Scalar, Stmt,
    StmtKind, Type, VarId,
};
use crate::rules;
use crate::source::Span;

/// Most values that a constant table may have.
const MAX_TABLE: u64 = 1 << 20;

/// Zeros that an initialiser leaves out are spelled out up to so many.
const MAX_SPELLED_ZEROS: u64 = 8;

fn assign(place: Place, value: Expr) -> Stmt {
    let span = place.span;
    Stmt { kind: StmtKind::Assign { place, op: None, value }, span }
}

impl Lowering<'_, '_> {
    /// A local declaration.
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.check_attributes(&declaration.attributes, At::Declaration);
        for declarator in &declaration.declarators {
            self.check_attributes(&declarator.attributes, At::Declaration);
            let all: Vec<&Attribute> = declaration.attributes.iter().chain(&declarator.attributes).collect();
            let outer = self.declaring.replace(declarator.name.clone());
            let result = self.declarator(declarator, &all);
            self.declaring = outer;
            if result.is_err() && self.scopes.last().is_some_and(|s| s.get(&declarator.name.name).is_none()) {
                // Uses of a refused variable are silent.
                self.bind(&declarator.name.name, declarator.name.span, Symbol::Refused);
            }
        }
    }

    fn declarator(&mut self, d: &Declarator, attributes: &[&Attribute]) -> Lowered<()> {
        self.declare_one(d, attributes)?;
        self.bind_dimensions(&d.name, &d.ty, attributes);
        Ok(())
    }

    fn declare_one(&mut self, d: &Declarator, attributes: &[&Attribute]) -> Lowered<()> {
        if let Some(of) = d.ty.reference {
            return self.declare_reference(d, attributes, of);
        }
        let of_type = self.type_attributes(&d.ty);
        let all: Vec<&Attribute> = attributes.iter().copied().chain(&of_type).collect();
        let storage = self.storage(&all)?;
        if let Some(ast::Initializer::Expr(ast::Expr { kind: ast::ExprKind::Lambda(lambda), .. })) = &d.init
            && super::candidates::is_auto(&d.ty)
        {
            return self.declare_lambda(&d.name, lambda);
        }
        let deduced;
        let d = if super::candidates::is_auto(&d.ty) {
            let value = match &d.init {
                Some(ast::Initializer::Expr(value)) => Some(value),
                _ => None,
            };
            deduced = Declarator { ty: self.deduce_auto(&d.ty, value)?, ..d.clone() };
            &deduced
        } else {
            d
        };
        // What one region writes to shared memory every later one sees, so that `volatile` asks for nothing more.
        let is_volatile = d.ty.is_volatile && storage != Storage::Shared;
        let name = &d.name;
        self.sizes.array = (storage == Storage::Shared).then(|| name.name.clone());
        let declared = self.resolve_local(&TypeName { is_volatile, ..d.ty.clone() });
        self.sizes.array = None;
        let declared = declared?;
        let restrict = attributes.iter().find(|a| matches!(lower_of(a), Lower::Restrict));
        if let (Some(restrict), None) = (restrict, &declared.pointer) {
            self.error(
                rules::MISPLACED_ATTRIBUTE,
                restrict.span,
                format!("`@restrict` is for pointers; `{}` is none", name.name),
            );
        }
        let global = attributes.iter().find(|a| matches!(lower_of(a), Lower::Global));
        if let (Some(global), None) = (global, &declared.pointer) {
            self.error(
                rules::MISPLACED_ATTRIBUTE,
                global.span,
                format!("`@globalPtr` is for pointers; `{}` is none", name.name),
            );
        }
        if declared.pointer.is_some() {
            return self.pointer_declarator(d, &declared, storage);
        }
        if declared.element == Type::Void {
            return Err(self.error(rules::BAD_DECLARATION, name.span, format!("`{}` cannot be `void`", name.name)));
        }
        let ty = self.complete(&declared, d)?;
        if self.holds_pointers(&ty) {
            return self.declare_record(d, ty, storage, declared.is_const);
        }
        match storage {
            Storage::Shared => self.shared(d, ty, declared.is_const),
            Storage::Exclusive => self.exclusive(d, ty),
            Storage::Plain if self.level == Level::Host && !matches!(ty, Type::Scalar(_)) => {
                self.host_table(d, ty, declared.is_const)
            }
            Storage::Plain => self.plain(d, ty, declared.is_const),
        }
    }

    fn storage(&mut self, attributes: &[&Attribute]) -> Lowered<Storage> {
        let found = attributes.iter().filter_map(|a| match lower_of(a) {
            Lower::Storage(storage) => Some((storage, *a)),
            _ => None,
        });
        let found: Vec<_> = found.collect();
        let Some(&(storage, attribute)) = found.first() else { return Ok(Storage::Plain) };
        if let Some((_, second)) = found.iter().find(|(other, _)| *other != storage) {
            return Err(self.error(
                rules::STORAGE,
                second.span,
                "a variable is either `@shared` (one per group) or `@exclusive` (one per item)",
            ));
        }
        let name = &attribute.name.name;
        match self.level {
            Level::Group => Ok(storage),
            Level::Function => Err(self.error(
                rules::STORAGE,
                attribute.span,
                format!("a device function cannot declare `@{name}` memory; pass a pointer to it"),
            )),
            Level::Host | Level::File => Err(self.error(
                rules::STORAGE,
                attribute.span,
                format!("`@{name}` memory belongs inside the `@outer` loops"),
            )),
            Level::Between | Level::Item => Err(self.report(
                Diagnostic::error(
                    rules::STORAGE,
                    attribute.span,
                    format!("`@{name}` memory must be declared between the `@outer` and the `@inner` loops"),
                )
                .hint("move the declaration before the `@inner` loop"),
            )),
        }
    }

    /// The whole type, with a left-out first dimension taken from the initialiser.
    fn complete(&mut self, declared: &Declared, d: &Declarator) -> Lowered<Type> {
        let mut dims: Vec<u32> = declared.dims.iter().flatten().copied().collect();
        if declared.dims.first().is_some_and(Option::is_none) {
            let Some(ast::Initializer::List(list, _)) = &d.init else {
                if self.level == Level::File && d.init.is_none() {
                    let message = format!("array `{}` is defined elsewhere, which kernels cannot reach", d.name.name);
                    let finding = Diagnostic::error(rules::NOT_IN_OKL, d.name.span, message);
                    return Err(self.report(finding.hint("give it its values here, or pass it to the kernel")));
                }
                return Err(self.error(
                    rules::BAD_ARRAY,
                    d.name.span,
                    format!("array `{}` needs a size or an initialiser list", d.name.name),
                ));
            };
            let row = array_of(declared.element.clone(), &dims);
            let first = self.rows_of(list, &row);
            if first == 0 {
                return Err(self.error(
                    rules::BAD_ARRAY,
                    d.name.span,
                    format!("array `{}` has no elements", d.name.name),
                ));
            }
            dims.insert(0, first);
        }
        Ok(array_of(declared.element.clone(), &dims))
    }

    fn pointer_declarator(&mut self, d: &Declarator, declared: &Declared, storage: Storage) -> Lowered<()> {
        if storage == Storage::Shared {
            return Err(self.report(
                Diagnostic::error(rules::NOT_IN_OKL, d.name.span, "`@shared` pointers are not in the language")
                    .hint("make it `@exclusive`, a pointer for each item, or share an index"),
            ));
        }
        if declared.element == Type::Void {
            return Err(self.error(
                rules::BAD_DECLARATION,
                d.ty.span,
                "`void *` is not in the language; say what it points to",
            ));
        }
        if !declared.dims.is_empty() {
            return self.pointer_array(d, declared, storage);
        }
        let init = match &d.init {
            Some(ast::Initializer::Expr(init)) => Some(init),
            Some(ast::Initializer::List(_, span)) => {
                return Err(self.error(rules::BAD_INITIALIZER, *span, "a pointer is not initialised by a list"));
            }
            None => None,
        };
        let id = self.declare_pointer(&d.name, declared, storage, init)?;
        self.bind(&d.name.name, d.name.span, Symbol::Pointer(id));
        Ok(())
    }

    /// `T *p[3];`, `T *p[] = {…};`
    fn pointer_array(&mut self, d: &Declarator, declared: &Declared, storage: Storage) -> Lowered<()> {
        let span = d.name.span;
        let items = match &d.init {
            Some(ast::Initializer::List(items, _)) => items.as_slice(),
            Some(ast::Initializer::Expr(init)) => {
                return Err(self.error(
                    rules::BAD_INITIALIZER,
                    init.span,
                    "an array is initialised by a list: `{ … }`",
                ));
            }
            None => &[],
        };
        let Type::Array(_, dims) = self.complete(declared, d)? else { return Err(Reported) };
        let [len] = dims.as_slice() else {
            return Err(self.error(rules::BAD_ARRAY, d.ty.span, "an array of pointers has one dimension"));
        };
        if items.len() as u64 > u64::from(*len) {
            return Err(self.error(
                rules::BAD_INITIALIZER,
                items[*len as usize].span(),
                "this is one value too many for the array",
            ));
        }
        let id = self.declare_pointers(&d.name, declared, storage, *len)?;
        for (number, item) in items.iter().enumerate() {
            let ast::Initializer::Expr(value) = item else {
                return Err(self.error(rules::BAD_INITIALIZER, item.span(), "a pointer is not initialised by a list"));
            };
            let value = self.pointer(value)?;
            let set = |s: &mut Self| {
                let element = s.pointer_element(id, Expr::int(number as i64, Scalar::I32, span), span)?;
                s.assign_pointer(element, value, span)
            };
            match storage {
                Storage::Exclusive => self.exclusive_values(span, set)?,
                _ => set(self)?,
            }
        }
        self.bind(&d.name.name, span, Symbol::Pointer(id));
        Ok(())
    }

    fn plain(&mut self, d: &Declarator, ty: Type, is_const: bool) -> Lowered<()> {
        let span = d.name.span;
        let init = d.init.as_ref().map(|init| self.initializer(&ty, init)).transpose()?;
        if init.is_none() && is_const {
            self.error(rules::BAD_INITIALIZER, span, format!("constant `{}` needs a value", d.name.name));
        }
        let var = self.variable(&d.name.name, ty, self.local_role(), is_const, span);
        if let (Some(Initializer::Value(value)), true) = (&init, self.info[var.0 as usize].fixed) {
            let is_integer = value.ty.scalar().is_some_and(|s| s.is_integer());
            if is_integer && self.is_stable(value) {
                self.info[var.0 as usize].known = Some(value.clone());
            }
        }
        // Bound after its initialiser, which may read an outer variable of the same name.
        self.bind(&d.name.name, span, Symbol::Var(var));
        self.emit(StmtKind::Declare { var, init }, span);
        Ok(())
    }

    fn shared(&mut self, d: &Declarator, ty: Type, is_const: bool) -> Lowered<()> {
        let span = d.name.span;
        if let Some(init) = &d.init {
            return Err(self.report(
                Diagnostic::error(
                    rules::STORAGE,
                    init.span(),
                    format!("`@shared` variable `{}` cannot have an initialiser: no item would run it", d.name.name),
                )
                .hint("write it in an `@inner` loop"),
            ));
        }
        if is_const {
            return Err(self.error(
                rules::STORAGE,
                span,
                format!("`@shared` variable `{}` cannot be `const`: it has no initialiser", d.name.name),
            ));
        }
        let var = self.variable(&d.name.name, ty, Role::Shared, false, span);
        self.sizes.note(var);
        self.bind(&d.name.name, span, Symbol::Var(var));
        if let Some(draft) = &mut self.nest {
            draft.nest.shared.push(var);
        }
        Ok(())
    }

    /// An `@exclusive` variable; its initialiser waits for a region (see `exclusive_init`).
    fn exclusive(&mut self, d: &Declarator, ty: Type) -> Lowered<()> {
        let span = d.name.span;
        let init = d.init.as_ref().map(|init| self.initializer(&ty, init)).transpose()?;
        if matches!(init, Some(Initializer::List(_))) && self.is_spelled_out(&ty) {
            return Err(self.error(
                rules::LIMIT,
                span,
                format!("`{}` is too large to be initialised field by field", d.name.name),
            ));
        }
        let var = self.variable(&d.name.name, ty, Role::Exclusive, false, span);
        self.bind(&d.name.name, span, Symbol::Var(var));
        if let Some(draft) = &mut self.nest {
            draft.nest.exclusive.push(var);
        }
        let Some(init) = init else { return Ok(()) };
        let body = self.set_elements(var, init, span);
        self.emit(StmtKind::Mark(Mark::ExclusiveValues(body)), span);
        Ok(())
    }

    /// Values that each item gives its own variables, in the first region behind this place.
    pub(super) fn exclusive_values(&mut self, span: Span, set: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let level = std::mem::replace(&mut self.level, Level::Item);
        let (body, result) = self.captured(set);
        self.level = level;
        self.emit(StmtKind::Mark(Mark::ExclusiveValues(body)), span);
        result
    }

    /// Statements that give a whole variable the value of an initialiser.
    pub(super) fn set_elements(&mut self, var: VarId, init: Initializer, span: Span) -> Vec<Stmt> {
        let ty = self.body.var(var).ty.clone();
        let values = match init {
            Initializer::Value(value) => return vec![assign(self.whole(var, span), value)],
            Initializer::List(values) => values,
        };
        let scalar = match &ty {
            Type::Array(element, _) => element.scalar(),
            _ => None,
        };
        if let Some(scalar) = scalar {
            return self.set_array(var, scalar, &ty, values, span);
        }
        let mut values = values.into_iter();
        let set = |(path, scalar): (Vec<Projection>, Scalar)| {
            let value = values.next().unwrap_or_else(|| zero(scalar, span));
            assign(Place { root: var, path, ty: scalar.into(), span }, value)
        };
        self.leaves(&ty).into_iter().map(set).collect()
    }

    /// The listed elements one by one, the others to zero: in a loop where they are many.
    fn set_array(&mut self, var: VarId, scalar: Scalar, ty: &Type, values: Vec<Expr>, span: Span) -> Vec<Stmt> {
        let (listed, len) = (values.len() as u64, ty.len());
        let is_row = matches!(ty, Type::Array(_, dims) if dims.len() == 1);
        let element = |offset: Expr| {
            let path = if is_row { Projection::Index(offset) } else { Projection::Flat(offset) };
            Place { root: var, path: vec![path], ty: scalar.into(), span }
        };
        let number = |n: u64| Expr::int(n as i64, Scalar::I32, span);
        let mut out: Vec<Stmt> =
            values.into_iter().enumerate().map(|(n, value)| assign(element(number(n as u64)), value)).collect();
        if len - listed <= MAX_SPELLED_ZEROS {
            out.extend((listed..len).map(|n| assign(element(number(n)), zero(scalar, span))));
            return out;
        }
        let (init, index) = self.captured(|s| s.temporary("k", Scalar::I32.into(), Some(number(listed)), false, span));
        let value = self.read(index, span);
        let step = StmtKind::Assign { place: self.whole(index, span), op: Some(BinaryOp::Add), value: number(1) };
        let zeros = Loop {
            init,
            head: Vec::new(),
            condition: Some(binary(BinaryOp::Lt, value.clone(), number(len), span)),
            update: vec![Stmt { kind: step, span }],
            body: vec![assign(element(value), zero(scalar, span))],
            test_last: false,
            unroll: None,
        };
        out.push(Stmt { kind: StmtKind::Loop(Box::new(zeros)), span });
        out
    }

    // ---- constants ----

    /// `const double weights[3] = { … };` in a kernel's host part is a table of the module.
    fn host_table(&mut self, d: &Declarator, ty: Type, is_const: bool) -> Lowered<()> {
        if !is_const {
            return Err(self.report(
                Diagnostic::error(
                    rules::HOST_STATEMENT,
                    d.name.span,
                    format!("`{}` is declared outside of the `@outer` loops, where only scalars can be", d.name.name),
                )
                .hint("declare it inside the `@outer` loop, or make it a `const` table"),
            ));
        }
        let symbol = self.constant(d, ty)?;
        self.bind(&d.name.name, d.name.span, symbol);
        Ok(())
    }

    /// A file-scope declaration.
    pub(super) fn declare_global(&mut self, declaration: &Declaration) -> Lowered<()> {
        self.check_attributes(&declaration.attributes, At::FileConstant);
        for d in &declaration.declarators {
            self.check_attributes(&d.attributes, At::FileConstant);
            let symbol = self.global(d).unwrap_or(Symbol::Refused);
            self.bind(&d.name.name, d.name.span, symbol);
        }
        Ok(())
    }

    fn global(&mut self, d: &Declarator) -> Lowered<Symbol> {
        let value = match &d.init {
            Some(ast::Initializer::Expr(value)) => Some(value),
            _ => None,
        };
        let ty = self.deduce_auto(&d.ty, value)?;
        let declared = self.resolve(&ty)?;
        let span = d.name.span;
        if declared.pointer.is_some() {
            return Err(self.error(rules::NOT_IN_OKL, span, "file-scope pointers are not in the language"));
        }
        if !declared.is_const {
            return Ok(Symbol::HostVariable(span));
        }
        let ty = self.complete(&declared, d)?;
        let Type::Scalar(scalar) = ty else {
            return self.constant(d, ty);
        };
        let Some(init) = &d.init else {
            return Err(self.error(rules::BAD_INITIALIZER, span, format!("constant `{}` needs a value", d.name.name)));
        };
        match self.initializer(&ty, init)? {
            Initializer::Value(value) => match evaluate(&value) {
                Some(value) => Ok(Symbol::Literal(literal_of(value), scalar)),
                None => Err(self.not_constant(init.span())),
            },
            Initializer::List(_) => Err(Reported),
        }
    }

    /// A constant that is no number: a complex number, or a table.
    fn constant(&mut self, d: &Declarator, ty: Type) -> Lowered<Symbol> {
        match self.as_complex(&ty) {
            Some((id, _)) => {
                let values = self.constant_values(d, &ty)?;
                let parts = <[Literal; 2]>::try_from(values).map_err(|_| Reported)?;
                Ok(Symbol::Complex(id, parts))
            }
            None => self.constant_table(d, ty).map(Symbol::Table),
        }
    }

    pub(super) fn not_constant(&mut self, span: Span) -> Reported {
        self.report(Diagnostic::error(rules::CONSTANT_EXPECTED, span, "this must be a constant expression").hint(
            "literals, constants, arithmetic, and functions that are exact everywhere, such as `sqrt`, may be used",
        ))
    }

    fn constant_table(&mut self, d: &Declarator, ty: Type) -> Lowered<ConstantId> {
        let span = d.name.span;
        let has_numbers = match &ty {
            Type::Array(element, _) => element.scalar().is_some() || self.as_complex(element).is_some(),
            _ => false,
        };
        if !has_numbers {
            let text = "constants that are structs other than complex numbers are not in the language yet";
            return Err(self.error(rules::NOT_IN_OKL, span, text));
        }
        if ty.len() > MAX_TABLE {
            return Err(self.error(rules::LIMIT, span, format!("a constant table has at most {MAX_TABLE} values")));
        }
        let values = self.constant_values(d, &ty)?;
        let name = super::module::plain_name(&d.name.name);
        let id = ConstantId(self.unit.module.constants.len() as u32);
        self.unit.module.constants.push(Constant { name, ty, values, span });
        Ok(id)
    }

    /// The values of a table's numbers or of a complex number's parts, all of which are written out.
    fn constant_values(&mut self, d: &Declarator, ty: &Type) -> Lowered<Vec<Literal>> {
        let span = d.name.span;
        let element = match ty {
            Type::Array(element, _) => element,
            other => other,
        };
        let complex = self.as_complex(element).map(|of| of.1);
        let (scalar, parts) = (complex.or(element.scalar()).ok_or(Reported)?, if complex.is_some() { 2 } else { 1 });
        let Some(init) = &d.init else {
            return Err(self.error(rules::BAD_INITIALIZER, span, format!("constant `{}` needs a value", d.name.name)));
        };
        let (effects, list) = self.captured(|s| s.initializer(ty, init));
        let Initializer::List(values) = list? else {
            return Err(self.not_constant(init.span()));
        };
        let len = parts * ty.len() as usize;
        let mut literals = Vec::with_capacity(len);
        for value in &values {
            match evaluate(value) {
                Some(value) => literals.push(literal_of(value)),
                None => return Err(self.not_constant(value.span)),
            }
        }
        if !effects.is_empty() {
            return Err(self.not_constant(init.span()));
        }
        literals.resize(len, literal_of(crate::ir::value::ScalarValue::zero(scalar)));
        Ok(literals)
    }
}
