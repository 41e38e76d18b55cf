//! The IR as compact text, for tests and for eyes: every conversion, axis and region shows, spans do not.
//!
//! `f64(x)` is an implicit conversion, `(f64) x` one that was written. Infix operators stand in parentheses.

use super::{
    Argument, Arm, AtomicOp, Axis, Body, Expr, ExprKind, Function, HostStmt, Initializer, Kernel, Literal, Loop,
    Module, Nest, Place, Projection, Role, Scalar, Stmt, StmtKind, Type, UnaryOp, VarId,
};
use std::fmt::Write as _;

/// The text of a module.
pub fn dump(module: &Module) -> String {
    let mut dump = Dump { module, body: None, out: String::new(), depth: 0 };
    for of in &module.structs {
        let fields: Vec<String> =
            of.fields.iter().map(|f| format!("{}: {} @{}", f.name, dump.ty(&f.ty), f.offset)).collect();
        dump.line(&format!("struct {} {{ {} }} {} bytes", of.name, fields.join(", "), of.bytes));
    }
    for constant in &module.constants {
        let values: Vec<String> = constant.values.iter().map(literal).collect();
        dump.line(&format!("const {}: {} = {{{}}}", constant.name, dump.ty(&constant.ty), values.join(", ")));
    }
    module.functions.iter().for_each(|f| dump.function(f));
    module.kernels.iter().for_each(|k| dump.kernel(k));
    dump.out
}

struct Dump<'m> {
    module: &'m Module,
    body: Option<&'m Body>,
    out: String,
    depth: usize,
}

const fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "i8",
        Scalar::U8 => "u8",
        Scalar::I16 => "i16",
        Scalar::U16 => "u16",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
    }
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) => format!("{value:?}"),
    }
}

const fn atomic(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "+=",
        AtomicOp::Sub => "-=",
        AtomicOp::Mul => "*=",
        AtomicOp::Div => "/=",
        AtomicOp::Min => "min=",
        AtomicOp::Max => "max=",
        AtomicOp::And => "&=",
        AtomicOp::Or => "|=",
        AtomicOp::Xor => "^=",
        AtomicOp::Exchange => "=",
    }
}

impl<'m> Dump<'m> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.depth * 2);
    }

    fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Scalar(s) => scalar(*s).to_owned(),
            Type::Struct(id) => self.module.structs.get(id.0 as usize).map_or("?".to_owned(), |s| s.name.clone()),
            Type::Array(element, dims) => format!("{}{}", self.ty(element), dimensions(dims)),
            Type::Pointer(p) => {
                let mutable = if p.mutable { "" } else { "const " };
                let restrict = if p.restrict { " restrict" } else { "" };
                format!("*{mutable}{}{}{restrict}", self.ty(&p.element), dimensions(&p.dims))
            }
        }
    }

    fn name(&self, id: VarId) -> String {
        let var = self.body.and_then(|b| b.vars.get(id.0 as usize));
        var.map_or_else(|| format!("?{}", id.0), |v| v.name.clone())
    }

    fn typed(&self, id: VarId) -> String {
        let ty = self.body.and_then(|b| b.vars.get(id.0 as usize)).map(|v| self.ty(&v.ty));
        format!("{}: {}", self.name(id), ty.unwrap_or_default())
    }

    fn params(&self, params: &[VarId]) -> String {
        params.iter().map(|p| self.typed(*p)).collect::<Vec<_>>().join(", ")
    }

    fn function(&mut self, f: &'m Function) {
        self.body = Some(&f.body);
        let pure = if f.is_pure { "pure " } else { "" };
        let head = format!("{pure}fn {}({}) -> {}", f.name, self.params(&f.params), self.ty(&f.result));
        self.line(&head);
        self.indented(|d| d.stmts(&f.stmts));
    }

    fn kernel(&mut self, k: &'m Kernel) {
        self.body = Some(&k.body);
        let max = k.max_inner_dims.map_or(String::new(), |m| format!(" max_inner_dims {m:?}"));
        self.line(&format!("kernel {}({}){max}", k.name, self.params(&k.params)));
        self.indented(|d| {
            let vars = d.body.into_iter().flat_map(|b| b.vars.iter().enumerate());
            let host: Vec<VarId> = vars.filter(|(_, v)| v.role == Role::Host).map(|(n, _)| VarId(n as u32)).collect();
            for var in host {
                let text = format!("host {}", d.typed(var));
                d.line(&text);
            }
            d.host(&k.host);
            for (number, nest) in k.nests.iter().enumerate() {
                d.nest(number, nest);
            }
        });
    }

    fn host(&mut self, stmts: &[HostStmt]) {
        for stmt in stmts {
            match stmt {
                HostStmt::Set { var, value } => self.line(&format!("{} = {}", self.name(*var), self.expr(value))),
                HostStmt::If { condition, then, otherwise } => {
                    self.line(&format!("if {}", self.expr(condition)));
                    self.indented(|d| d.host(then));
                    if !otherwise.is_empty() {
                        self.line("else");
                        self.indented(|d| d.host(otherwise));
                    }
                }
                HostStmt::Loop { condition, body, update } => {
                    self.line(&format!("while {}", self.expr(condition)));
                    self.indented(|d| d.host(body));
                    if !update.is_empty() {
                        self.line("update");
                        self.indented(|d| d.host(update));
                    }
                }
                HostStmt::Launch(nest) => self.line(&format!("launch {nest}")),
                HostStmt::Return => self.line("return"),
            }
        }
    }

    fn nest(&mut self, number: usize, nest: &Nest) {
        self.line(&format!("nest {number}"));
        self.indented(|d| {
            d.axes("outer", &nest.outer);
            for var in &nest.shared {
                d.line(&format!("shared {}", d.typed(*var)));
            }
            for var in &nest.exclusive {
                d.line(&format!("exclusive {}", d.typed(*var)));
            }
            d.stmts(&nest.stmts);
        });
    }

    fn axes(&mut self, word: &str, axes: &[Option<Axis>; 3]) {
        for (index, axis) in axes.iter().enumerate().rev() {
            if let Some(axis) = axis {
                let (start, step, count) = (self.expr(&axis.start), self.expr(&axis.step), self.expr(&axis.count));
                self.line(&format!("{word}({index}) {} from {start} step {step} count {count}", self.typed(axis.var)));
            }
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                let init = match init {
                    None => String::new(),
                    Some(Initializer::Value(value)) => format!(" = {}", self.expr(value)),
                    Some(Initializer::List(values)) => format!(" = {{{}}}", self.list(values)),
                };
                let constant = self.body.and_then(|b| b.vars.get(var.0 as usize)).is_some_and(|v| v.is_const);
                let word = if constant { "let" } else { "var" };
                self.line(&format!("{word} {}{init}", self.typed(*var)));
            }
            StmtKind::Assign { place, op, value } => {
                let op = op.map_or("", |op| op.symbol());
                self.line(&format!("{} {op}= {}", self.place(place), self.expr(value)));
            }
            StmtKind::Atomic { place, op, value, result } => {
                let result = result.map_or(String::new(), |r| format!("{} = old of ", self.name(r)));
                self.line(&format!("{result}atomic {} {} {}", self.place(place), atomic(*op), self.expr(value)));
            }
            StmtKind::Call { function, arguments, result } => {
                let result = result.map_or(String::new(), |r| format!("{} = ", self.name(r)));
                self.line(&format!("{result}call {}", self.call(function.0, arguments)));
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line(&format!("if {}", self.expr(condition)));
                self.indented(|d| d.stmts(then));
                if !otherwise.is_empty() {
                    self.line("else");
                    self.indented(|d| d.stmts(otherwise));
                }
            }
            StmtKind::Loop(l) => self.loop_stmt(l),
            StmtKind::Switch { value, arms } => {
                self.line(&format!("switch {}", self.expr(value)));
                self.indented(|d| arms.iter().for_each(|arm| d.arm(arm)));
            }
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Return(None) => self.line("return"),
            StmtKind::Return(Some(value)) => self.line(&format!("return {}", self.expr(value))),
            StmtKind::EndItem => self.line("end item"),
            StmtKind::Block(stmts) => {
                self.line("block");
                self.indented(|d| d.stmts(stmts));
            }
            StmtKind::Mark(mark) => self.line(&format!("mark {mark:?}")),
            StmtKind::Inner(region) => {
                self.line("region");
                self.indented(|d| {
                    d.axes("inner", &region.axes);
                    d.stmts(&region.body);
                });
            }
        }
    }

    fn loop_stmt(&mut self, l: &Loop) {
        let condition = l.condition.as_ref().map_or("for ever".to_owned(), |c| self.expr(c));
        let word = if l.test_last { "do while" } else { "loop while" };
        self.line(&format!("{word} {condition}"));
        let mut part = |name: &str, stmts: &[Stmt]| {
            if !stmts.is_empty() {
                self.depth += 1;
                self.line(name);
                self.indented(|d| d.stmts(stmts));
                self.depth -= 1;
            }
        };
        part("init", &l.init);
        part("head", &l.head);
        part("update", &l.update);
        self.indented(|d| d.stmts(&l.body));
    }

    fn arm(&mut self, arm: &Arm) {
        let mut labels: Vec<String> = arm.values.iter().map(literal).collect();
        labels.extend(arm.is_default.then(|| "default".to_owned()));
        self.line(&format!("case {}", labels.join(", ")));
        self.indented(|d| {
            d.stmts(&arm.body);
            if arm.falls_through {
                d.line("fall through");
            }
        });
    }

    fn list(&self, values: &[Expr]) -> String {
        values.iter().map(|v| self.expr(v)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, function: u32, arguments: &[Argument]) -> String {
        let name = self.module.functions.get(function as usize).map_or("?", |f| f.name.as_str());
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Pointer(place) => format!("&{}", self.place(place)),
            })
            .collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.name(place.root);
        let mut ty = self.body.and_then(|b| b.vars.get(place.root.0 as usize)).map(|v| &v.ty);
        for projection in &place.path {
            match projection {
                Projection::Index(index) => {
                    let _ = write!(text, "[{}]", self.expr(index));
                }
                Projection::Flat(offset) => {
                    let _ = write!(text, "[flat {}]", self.expr(offset));
                }
                Projection::Field(number) => {
                    let field = ty.and_then(|ty| self.field(ty, *number));
                    let _ = write!(text, ".{}", field.map_or("?", |f| f.name.as_str()));
                    ty = field.map(|f| &f.ty);
                }
            }
        }
        text
    }

    fn field(&self, ty: &'m Type, number: u32) -> Option<&'m super::Field> {
        match ty {
            Type::Struct(id) => self.module.structs.get(id.0 as usize)?.fields.get(number as usize),
            Type::Array(element, _) => self.field(element, number),
            Type::Pointer(pointer) => self.field(&pointer.element, number),
            Type::Void | Type::Scalar(_) => None,
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(value) => match expr.ty {
                Type::Scalar(Scalar::I32 | Scalar::F64 | Scalar::Bool) => literal(value),
                _ => format!("{}{}", literal(value), self.ty(&expr.ty)),
            },
            ExprKind::Load(place) => self.place(place),
            ExprKind::Unary(op, a) => {
                let symbol = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                };
                format!("{symbol}{}", self.expr(a))
            }
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b))
            }
            ExprKind::Cast { value, implicit: true } => format!("{}({})", self.ty(&expr.ty), self.expr(value)),
            ExprKind::Cast { value, implicit: false } => format!("(({}) {})", self.ty(&expr.ty), self.expr(value)),
            ExprKind::Select(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Math(function, arguments) => {
                format!("{}({})", function.name(), self.list(arguments))
            }
            ExprKind::Call(function, arguments) => self.call(function.0, arguments),
        }
    }
}

fn dimensions(dims: &[u32]) -> String {
    dims.iter().map(|d| format!("[{d}]")).collect()
}
