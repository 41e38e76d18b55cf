//! Types, places and expressions of the text. The types of expressions follow from their parts.

use super::cursor::{Cursor, Parsed};
use super::dump;
use super::scalar_named;
use crate::ir::{
    Argument, BinaryOp, Body, Builtin, Dialect, Expr, ExprKind, Function, FunctionId, Literal, MAX_ELEMENTS, MathFn,
    Module, Place, Pointer, Projection, Scalar, StructId, Type, UnaryOp, VarId, Variable,
};
use std::collections::{BTreeSet, HashMap};

/// How deep expressions and blocks may stand within each other.
const MAX_DEPTH: u32 = 2000;

/// Reads a module.
pub(super) struct Parser<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) module: Module,
    pub(super) structs: HashMap<&'t str, u32>,
    pub(super) constants: HashMap<&'t str, u32>,
    pub(super) roots: HashMap<&'t str, u32>,
    pub(super) functions: HashMap<&'t str, u32>,
    /// Of the body being read.
    pub(super) vars: Vec<Option<Variable>>,
    pub(super) generated: BTreeSet<VarId>,
    pub(super) names: HashMap<&'t str, VarId>,
    pub(super) next: u32,
    /// Of the nest being read.
    pub(super) dialect: Dialect,
    depth: u32,
}

const BUILTINS: [Builtin; 16] = [
    Builtin::Item(0),
    Builtin::Item(1),
    Builtin::Item(2),
    Builtin::Group(0),
    Builtin::Group(1),
    Builtin::Group(2),
    Builtin::NextGroup,
    Builtin::GroupEnd,
    Builtin::RangeBegin,
    Builtin::RangeEnd,
    Builtin::GroupCount(0),
    Builtin::GroupCount(1),
    Builtin::GroupCount(2),
    Builtin::ItemCount(0),
    Builtin::ItemCount(1),
    Builtin::ItemCount(2),
];

const BINARY: [BinaryOp; 18] = [
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::LogicAnd,
    BinaryOp::LogicOr,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Le,
    BinaryOp::Ge,
    BinaryOp::Lt,
    BinaryOp::Gt,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
];

/// The hint in a name: `t` of `t#1`.
pub(super) fn hint(name: &str) -> String {
    name.split('#').next().unwrap_or("").to_owned()
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            cursor: Cursor::new(text),
            module: Module::default(),
            structs: HashMap::new(),
            constants: HashMap::new(),
            roots: HashMap::new(),
            functions: HashMap::new(),
            vars: Vec::new(),
            generated: BTreeSet::new(),
            names: HashMap::new(),
            next: 0,
            dialect: Dialect::Lowered,
            depth: 0,
        }
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.cursor.error(format!("this stands more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Things with commas between them, up to `end`.
    pub(super) fn list<T>(&mut self, end: &str, mut read: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        while !self.cursor.eat(end) {
            if !all.is_empty() {
                self.cursor.expect(",")?;
            }
            all.push(read(self)?);
        }
        Ok(all)
    }

    // ---- types ----

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        if self.cursor.eat("*") {
            let mutable = !self.cursor.eat("const");
            let element = Box::new(self.element()?);
            let dims = self.dims()?;
            let restrict = self.cursor.eat("restrict");
            return Ok(Type::Pointer(Pointer { element, dims, mutable, restrict }));
        }
        if self.cursor.eat("void") {
            return Ok(Type::Void);
        }
        let element = self.element()?;
        let dims = self.dims()?;
        Ok(if dims.is_empty() { element } else { Type::Array(Box::new(element), dims) })
    }

    fn element(&mut self) -> Parsed<Type> {
        let start = self.cursor.start();
        let name = self.cursor.name("a type")?;
        let of_struct = || self.structs.get(name).map(|&id| Type::Struct(StructId(id)));
        let ty = scalar_named(name).map(Type::Scalar).or_else(of_struct);
        ty.ok_or_else(|| self.cursor.error_at(start, format!("there is no type `{name}`")))
    }

    fn dims(&mut self) -> Parsed<Vec<u32>> {
        let (mut dims, mut count, start) = (Vec::new(), 1_u64, self.cursor.start());
        while self.cursor.eat("[") {
            let dim = self.cursor.integer()?;
            count = count.saturating_mul(u64::from(dim));
            dims.push(dim);
            self.cursor.expect("]")?;
        }
        match count <= MAX_ELEMENTS {
            true => Ok(dims),
            false => Err(self.cursor.error_at(start, format!("an array has at most {MAX_ELEMENTS} elements"))),
        }
    }

    // ---- places ----

    /// A variable that is mentioned.
    pub(super) fn var(&mut self) -> Parsed<VarId> {
        let start = self.cursor.start();
        let name = self.cursor.name("a variable")?;
        let var = self.names.get(name).copied();
        var.ok_or_else(|| self.cursor.error_at(start, format!("no variable is called `{name}` here")))
    }

    pub(super) fn type_of(&self, var: VarId) -> Type {
        self.vars[var.0 as usize].as_ref().map_or(Type::Void, |v| v.ty.clone())
    }

    pub(super) fn place(&mut self) -> Parsed<Place> {
        let start = self.cursor.start();
        let root = self.var()?;
        let (mut ty, mut path) = (self.type_of(root), Vec::new());
        loop {
            let at = self.cursor.start();
            if self.cursor.eat("[") {
                let flat = self.cursor.eat("flat");
                let index = self.expr()?;
                self.cursor.expect("]")?;
                ty = match (flat, ty) {
                    (false, Type::Array(element, dims)) if dims.len() > 1 => Type::Array(element, dims[1..].to_vec()),
                    (false, Type::Pointer(p)) if !p.dims.is_empty() => Type::Array(p.element, p.dims),
                    (_, Type::Array(element, _) | Type::Pointer(Pointer { element, .. })) => *element,
                    _ => return Err(self.cursor.error_at(at, "this has no elements")),
                };
                path.push(if flat { Projection::Flat(index) } else { Projection::Index(index) });
            } else if self.cursor.eat(".") {
                let name = self.cursor.name("a field")?;
                let of = match &ty {
                    Type::Struct(id) => &self.module.structs[id.0 as usize],
                    _ => return Err(self.cursor.error_at(at, "this has no fields")),
                };
                let number = of.fields.iter().position(|field| field.name == name);
                let Some(number) = number else {
                    return Err(self.cursor.error_at(at, format!("`{}` has no field `{name}`", of.name)));
                };
                ty = of.fields[number].ty.clone();
                path.push(Projection::Field(number as u32));
            } else {
                return Ok(Place { root, path, ty, span: self.cursor.span_from(start) });
            }
        }
    }

    // ---- expressions ----

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(Self::expr_here)
    }

    fn expr_here(&mut self) -> Parsed<Expr> {
        let start = self.cursor.start();
        if self.cursor.eat("(") {
            return self.parenthesised(start);
        }
        if let Some(literal) = self.literal()? {
            let ty = self.literal_type(&literal)?;
            return Ok(Expr { kind: ExprKind::Literal(literal), ty, span: self.cursor.span_from(start) });
        }
        for (sign, op) in [("-", UnaryOp::Negate), ("!", UnaryOp::Not), ("~", UnaryOp::Complement)] {
            if self.cursor.eat(sign) {
                let operand = self.expr()?;
                let ty = operand.ty.clone();
                let kind = ExprKind::Unary(op, Box::new(operand));
                return Ok(Expr { kind, ty, span: self.cursor.span_from(start) });
            }
        }
        if self.cursor.eat("@") {
            return self.builtin(start);
        }
        let Some(name) = self.cursor.peek_name() else {
            return Err(self.cursor.error("an expression is expected"));
        };
        let math = MathFn::ALL.iter().copied().find(|function| function.name() == name);
        let (kind, ty) = if let Some(scalar) = scalar_named(name) {
            self.cursor.eat(name);
            self.cursor.expect("(")?;
            let value = Box::new(self.expr()?);
            self.cursor.expect(")")?;
            (ExprKind::Cast { value, implicit: true }, scalar.into())
        } else if let Some(function) = math {
            self.cursor.eat(name);
            self.cursor.expect("(")?;
            let arguments = self.list(")", Self::expr)?;
            let operand = arguments.first().and_then(|operand| operand.ty.scalar());
            let ty = operand.map_or(Type::Void, |operand| function.result(operand).into());
            (ExprKind::Math(function, arguments), ty)
        } else if self.cursor.is_call() {
            let (function, arguments) = self.call()?;
            (ExprKind::Call(function, arguments), self.module.functions[function.0 as usize].result.clone())
        } else {
            let place = self.place()?;
            let ty = place.ty.clone();
            (ExprKind::Load(place), ty)
        };
        Ok(Expr { kind, ty, span: self.cursor.span_from(start) })
    }

    /// `@item.x`, `@start.0:u32`: an `i64` where no other type stands behind it.
    fn builtin(&mut self, start: usize) -> Parsed<Expr> {
        let known = BUILTINS.into_iter().find(|builtin| self.cursor.eat(&dump::builtin(*builtin)[1..]));
        let kind = match known {
            Some(builtin) => builtin,
            None if self.cursor.eat("start.") => Builtin::Start(self.cursor.integer()?),
            None if self.cursor.eat("length.") => Builtin::Length(self.cursor.integer()?),
            None => return Err(self.cursor.error_at(start, "there is no such builtin value")),
        };
        let ty = if self.cursor.has_suffix() { self.ty()? } else { Scalar::I64.into() };
        Ok(Expr { kind: ExprKind::Builtin(kind), ty, span: self.cursor.span_from(start) })
    }

    /// `(a + b)`, `(c ? a : b)`, `((f64) a)` or `(a)`, behind the first parenthesis.
    fn parenthesised(&mut self, start: usize) -> Parsed<Expr> {
        if let Some(&to) = Scalar::ALL.iter().find(|scalar| self.cursor.eat_words(&["(", scalar.tag(), ")"])) {
            let (value, ty) = (Box::new(self.expr()?), to.into());
            self.cursor.expect(")")?;
            return Ok(Expr {
                kind: ExprKind::Cast { value, implicit: false },
                ty,
                span: self.cursor.span_from(start),
            });
        }
        let first = self.expr()?;
        if self.cursor.eat(")") {
            return Ok(first);
        }
        if self.cursor.eat("?") {
            let then = self.expr()?;
            self.cursor.expect(":")?;
            let otherwise = self.expr()?;
            self.cursor.expect(")")?;
            let ty = then.ty.clone();
            let kind = ExprKind::Select(Box::new(first), Box::new(then), Box::new(otherwise));
            return Ok(Expr { kind, ty, span: self.cursor.span_from(start) });
        }
        let Some(op) = self.binary_op() else {
            return Err(self.cursor.error("an operator is expected"));
        };
        let second = self.expr()?;
        self.cursor.expect(")")?;
        let is_bool = op.is_comparison() || matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr);
        let ty = if is_bool { Scalar::Bool.into() } else { first.ty.clone() };
        let kind = ExprKind::Binary(op, Box::new(first), Box::new(second));
        Ok(Expr { kind, ty, span: self.cursor.span_from(start) })
    }

    /// An infix operator, the longer ones first.
    pub(super) fn binary_op(&mut self) -> Option<BinaryOp> {
        BINARY.into_iter().find(|op| self.cursor.eat(op.symbol()))
    }

    /// A number or truth value without its type.
    pub(super) fn literal(&mut self) -> Parsed<Option<Literal>> {
        for (word, value) in [("true", true), ("false", false)] {
            if self.cursor.eat(word) {
                return Ok(Some(Literal::Bool(value)));
            }
        }
        let start = self.cursor.start();
        let Some(text) = self.cursor.number() else { return Ok(None) };
        if text == "nan" && self.cursor.eat("(") {
            let value = u64::from_str_radix(self.cursor.digits(16), 16).map(f64::from_bits);
            self.cursor.expect(")")?;
            let nan = value.ok().filter(|value| value.is_nan()).map(|value| Some(Literal::Float(value)));
            return nan.ok_or_else(|| self.cursor.error_at(start, "these are no bits of a NaN"));
        }
        let literal = match text.contains(['.', 'e', 'n']) {
            true => text.parse().ok().map(Literal::Float),
            false => text.parse().ok().map(Literal::Int),
        };
        literal.map(Some).ok_or_else(|| self.cursor.error_at(start, format!("`{text}` is no number")))
    }

    /// The type behind a number, or the usual one.
    fn literal_type(&mut self, literal: &Literal) -> Parsed<Type> {
        let usual = match literal {
            Literal::Bool(_) => Scalar::Bool,
            Literal::Int(_) => Scalar::I32,
            Literal::Float(_) => Scalar::F64,
        };
        // `(c ? nan : x)` has a colon of its own, with a space before it.
        if !self.cursor.has_suffix() {
            return Ok(usual.into());
        }
        let start = self.cursor.start();
        let name = self.cursor.name("a type")?;
        scalar_named(name).map(Type::Scalar).ok_or_else(|| self.cursor.error_at(start, "a scalar type is expected"))
    }

    /// `name(arguments)`
    pub(super) fn call(&mut self) -> Parsed<(FunctionId, Vec<Argument>)> {
        let start = self.cursor.start();
        let name = self.cursor.name("a function")?;
        // The function being read is no function yet.
        let known = |id: &&u32| (**id as usize) < self.module.functions.len();
        let Some(&id) = self.functions.get(name).filter(known) else {
            return Err(self.cursor.error_at(start, format!("there is no function `{name}` before this")));
        };
        let Function { params, body, .. } = &self.module.functions[id as usize];
        let elements: Vec<Option<Type>> = params.iter().map(|param| pointee(body, *param)).collect();
        self.cursor.expect("(")?;
        let mut position = 0;
        let arguments = self.list(")", |p| {
            position += 1;
            if !p.cursor.eat("&") {
                return Ok(Argument::Value(p.expr()?));
            }
            let mut place = p.place()?;
            // The place of a pointer has the type of what the function finds there.
            if let Some(Some(element)) = elements.get(position - 1) {
                place.ty = element.clone();
            }
            Ok(Argument::Pointer(place))
        })?;
        Ok((FunctionId(id), arguments))
    }
}

fn pointee(body: &Body, param: VarId) -> Option<Type> {
    match &body.var(param).ty {
        Type::Pointer(pointer) => Some((*pointer.element).clone()),
        _ => None,
    }
}
