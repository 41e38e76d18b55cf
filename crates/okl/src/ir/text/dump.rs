//! Module to text.

use super::{ATOMICS, is_usually_const, is_word};
use crate::deep_stack::on_deep_stack;
use crate::ir::{
    Argument, Arm, Axis, Body, Builtin, Coarsened, Dialect, Expr, ExprKind, Field, Function, HostStmt, Initializer,
    Kernel, LaunchShape, Literal, Loop, Meeting, Module, Nest, Place, Projection, Role, Root, RootSpace, Scalar, Stmt,
    StmtKind, Type, UnaryOp, VarId,
};
use crate::source::{SourceMap, Span};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// The text of a module.
pub fn dump(module: &Module) -> String {
    on_deep_stack(|| Dump::of(module).out)
}

/// The text of a module, and for each line the file (an index into the map's) and 1-based line of the source.
pub fn dump_lines(module: &Module, map: &SourceMap) -> (String, Vec<Option<(u32, u32)>>) {
    let dump = on_deep_stack(|| Dump::of(module));
    let line = |span: &Span| {
        let site = map.call_site(*span);
        map.file(site).filter(|_| site.end > site.start).map(|file| (site.file, file.line_column(site.start).0))
    };
    (dump.out, dump.spans.iter().map(line).collect())
}

struct Dump<'m> {
    module: &'m Module,
    structs: Vec<String>,
    constants: Vec<String>,
    roots: Vec<String>,
    functions: Vec<String>,
    body: &'m Body,
    /// Names of the body's variables.
    vars: Vec<String>,
    /// Variables that the text has declared.
    bound: Vec<bool>,
    /// The number of the next variable, unless the text says otherwise.
    next: u32,
    out: String,
    /// For each line, where it comes from.
    spans: Vec<Span>,
    at: Span,
    depth: usize,
}

const NO_BODY: &Body = &Body { vars: Vec::new(), generated: BTreeSet::new() };

/// Hints made different from each other, and from the words of the text.
fn numbered<'n>(hints: impl Iterator<Item = &'n String>) -> Vec<String> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let number = |hint: &'n String| {
        let number = seen.entry(hint).and_modify(|number| *number += 1).or_default();
        if *number == 0 && !is_word(hint) { hint.clone() } else { format!("{hint}#{number}") }
    };
    hints.map(number).collect()
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) if value.to_bits() == f64::NAN.to_bits() => "nan".into(),
        Literal::Float(value) if value.is_nan() => format!("nan({:x})", value.to_bits()),
        Literal::Float(value) => format!("{value:?}"),
    }
}

fn dimensions(dims: &[u32]) -> String {
    dims.iter().map(|d| format!("[{d}]")).collect()
}

impl<'m> Dump<'m> {
    fn of(module: &'m Module) -> Self {
        let mut dump = Dump {
            module,
            structs: numbered(module.structs.iter().map(|s| &s.name)),
            constants: numbered(module.constants.iter().map(|c| &c.name)),
            roots: numbered(module.roots.iter().map(|root| &root.name)),
            functions: numbered(module.functions.iter().map(|f| &f.name)),
            body: NO_BODY,
            vars: Vec::new(),
            bound: Vec::new(),
            next: 0,
            out: String::new(),
            spans: Vec::new(),
            at: Span::default(),
            depth: 0,
        };
        for (number, of) in module.structs.iter().enumerate() {
            dump.at = of.span;
            let fields: Vec<String> =
                of.fields.iter().map(|f| format!("{}: {} @{}", f.name, dump.ty(&f.ty), f.offset)).collect();
            let (name, fields) = (dump.structs[number].clone(), fields.join(", "));
            let kind = if of.is_vector { "vector" } else { "struct" };
            dump.line(&format!("{kind} {name} {{ {fields} }} bytes {} align {}", of.bytes, of.align));
        }
        for (number, constant) in module.constants.iter().enumerate() {
            dump.at = constant.span;
            let values: Vec<String> = constant.values.iter().map(literal).collect();
            let (name, ty) = (dump.constants[number].clone(), dump.ty(&constant.ty));
            dump.line(&format!("const {name}: {ty} = {{{}}}", values.join(", ")));
        }
        module.roots.iter().enumerate().for_each(|(number, root)| dump.root(number, root));
        for (number, function) in module.functions.iter().enumerate() {
            dump.function(number, function);
        }
        module.kernels.iter().for_each(|k| dump.kernel(k));
        dump
    }

    /// `root s: f64[16] workgroup written atomic`
    fn root(&mut self, number: usize, root: &Root) {
        self.at = root.span;
        let space = match root.space {
            RootSpace::Storage(position) => format!("storage({position})"),
            RootSpace::Workgroup => "workgroup".into(),
            RootSpace::Private => "private".into(),
        };
        let len = root.len.map_or(String::new(), |len| format!("[{len}]"));
        let words = [(root.written, " written"), (root.atomic, " atomic")];
        let words: String = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        self.line(&format!("root {}: {}{len} {space}{words}", self.roots[number].clone(), self.ty(&root.element)));
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.depth * 2);
        self.spans.push(self.at);
    }

    fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Scalar(s) => s.tag().to_owned(),
            Type::Struct(id) => self.structs.get(id.0 as usize).map_or("?".to_owned(), String::clone),
            Type::Array(element, dims) => format!("{}{}", self.ty(element), dimensions(dims)),
            Type::Pointer(p) => {
                let mutable = if p.mutable { "" } else { "const " };
                let restrict = if p.restrict { " restrict" } else { "" };
                format!("*{mutable}{}{}{restrict}", self.ty(&p.element), dimensions(&p.dims))
            }
        }
    }

    // ---- variables ----

    fn name(&self, id: VarId) -> String {
        self.vars.get(id.0 as usize).map_or_else(|| format!("?{}", id.0), String::clone)
    }

    /// The name at a declaration, with its number where that is not the one that follows.
    fn bind(&mut self, id: VarId) -> String {
        let name = self.name(id);
        let Some(bound) = self.bound.get_mut(id.0 as usize).filter(|bound| !**bound) else { return name };
        *bound = true;
        let is_next = self.next == id.0;
        self.next = id.0 + 1;
        if is_next { name } else { format!("{name}%{}", id.0) }
    }

    /// `name: type`, after `let` or `var` where that is not usual, and after `temp` where the compiler made it.
    fn typed(&mut self, id: VarId) -> String {
        let Some(variable) = self.body.vars.get(id.0 as usize) else { return self.name(id) };
        let unusual = variable.role == Role::Local || variable.is_const != is_usually_const(variable.role);
        let word = match (unusual, variable.is_const) {
            (false, _) => "",
            (true, true) => "let ",
            (true, false) => "var ",
        };
        let temp = if self.body.generated.contains(&id) { "temp " } else { "" };
        format!("{word}{temp}{}: {}", self.bind(id), self.ty(&variable.ty))
    }

    fn enter(&mut self, body: &'m Body) {
        self.body = body;
        self.vars = numbered(body.vars.iter().map(|v| &v.name));
        self.bound = vec![false; body.vars.len()];
        self.next = 0;
    }

    /// Lines for the variables of one kind.
    fn each(&mut self, word: &str, of: impl Fn(&Role) -> bool) {
        for (index, variable) in self.body.vars.iter().enumerate().filter(|(_, v)| of(&v.role)) {
            self.at = variable.span;
            let id = VarId(index as u32);
            let text = match variable.role {
                Role::Constant(of) => {
                    let of = self.constants.get(of.0 as usize).map_or("?".to_owned(), String::clone);
                    format!("{word} {} = {of}", self.bind(id))
                }
                Role::Root(of) => {
                    let of = self.roots.get(of.0 as usize).map_or("?".to_owned(), String::clone);
                    format!("{word} {of} {}", self.typed(id))
                }
                _ => format!("{word} {}", self.typed(id)),
            };
            self.line(&text);
        }
    }

    /// What no line has declared.
    fn unused(&mut self) {
        for index in 0..self.bound.len() {
            if !self.bound[index] {
                let variable = &self.body.vars[index];
                self.at = variable.span;
                let role = match variable.role {
                    Role::Param(n) => format!("param({n})"),
                    Role::Host => "host".into(),
                    Role::Outer(axis) => format!("outer({axis})"),
                    Role::Inner(axis) => format!("inner({axis})"),
                    Role::Local => "local".into(),
                    Role::Shared => "shared".into(),
                    Role::Exchange(lanes) => format!("exchange({lanes})"),
                    Role::Exclusive => "exclusive".into(),
                    Role::Expanded => "expanded".into(),
                    Role::Entry => "entry".into(),
                    Role::Constant(_) => "table".into(),
                    Role::Root(_) => "root".into(),
                };
                let text = format!("unused {role} {}", self.typed(VarId(index as u32)));
                self.line(&text);
            }
        }
    }

    fn params(&mut self, params: &[VarId]) -> String {
        params.iter().map(|p| self.typed(*p)).collect::<Vec<_>>().join(", ")
    }

    // ---- functions and kernels ----

    fn function(&mut self, number: usize, f: &'m Function) {
        self.enter(&f.body);
        self.at = f.span;
        let pure = if f.is_pure { "pure " } else { "" };
        let pure = if f.reports { format!("{pure}reports ") } else { pure.to_owned() };
        let (name, params) = (self.functions[number].clone(), self.params(&f.params));
        let head = format!("{pure}fn {name}({params}) -> {}", self.ty(&f.result));
        self.line(&head);
        self.indented(|d| {
            d.each("table", |role| matches!(role, Role::Constant(_)));
            d.each("root", |role| matches!(role, Role::Root(_)));
            d.stmts(&f.stmts);
            d.unused();
        });
    }

    fn kernel(&mut self, k: &'m Kernel) {
        self.enter(&k.body);
        self.at = k.span;
        let max = k.max_inner_dims.map_or(String::new(), |m| format!(" max_inner_dims {m:?}"));
        let name = hint_of(&k.name);
        let faults = if k.faults { " faults" } else { "" };
        let head = format!("kernel {name}({}){max}{faults}", self.params(&k.params));
        self.line(&head);
        self.indented(|d| {
            d.each("table", |role| matches!(role, Role::Constant(_)));
            d.each("root", |role| matches!(role, Role::Root(_)));
            d.each("host", |role| *role == Role::Host);
            d.each("entry", |role| *role == Role::Entry);
            for size in &k.sizes {
                d.at = size.value.span;
                d.line(&format!("size {} {} = {}", hint_of(&size.array), size.built, d.expr(&size.value)));
            }
            d.at = k.span;
            d.host(&k.host);
            for (number, nest) in k.nests.iter().enumerate() {
                d.nest(number, nest);
            }
            d.unused();
        });
    }

    fn host(&mut self, stmts: &[HostStmt]) {
        for stmt in stmts {
            match stmt {
                HostStmt::Set { var, value } => {
                    self.at = value.span;
                    self.line(&format!("{} = {}", self.name(*var), self.expr(value)));
                }
                HostStmt::If { condition, then, otherwise } => {
                    self.at = condition.span;
                    self.line(&format!("if {}", self.expr(condition)));
                    self.indented(|d| d.host(then));
                    if !otherwise.is_empty() {
                        self.line("else");
                        self.indented(|d| d.host(otherwise));
                    }
                }
                HostStmt::Loop { condition, body, update } => {
                    self.at = condition.span;
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
        self.at = nest.span;
        let dialect = match nest.dialect {
            Dialect::Lowered => "",
            Dialect::Looped => " looped",
            Dialect::Simt => " simt",
        };
        self.line(&format!("nest {number}{dialect}"));
        self.indented(|d| {
            d.axes("outer", &nest.outer);
            nest.launch.iter().for_each(|launch| d.launch(launch));
            for (word, vars) in [("shared", &nest.shared), ("exclusive", &nest.exclusive)] {
                for var in vars {
                    d.at = d.body.vars.get(var.0 as usize).map_or(nest.span, |v| v.span);
                    let word = match d.body.vars.get(var.0 as usize).map(|v| v.role) {
                        Some(Role::Exchange(lanes)) => format!("exchange({lanes})"),
                        _ => word.to_owned(),
                    };
                    let text = format!("{word} {}", d.typed(*var));
                    d.line(&text);
                }
            }
            d.stmts(&nest.stmts);
            if let Some(Coarsened { head, condition, stmts }) = &nest.coarsened {
                d.line("coarsened");
                d.indented(|d| {
                    d.stmts(head);
                    d.line(&format!("if {}", d.expr(condition)));
                    d.indented(|d| d.stmts(stmts));
                });
            }
        });
    }

    /// `items {16i64} {1i64} {1i64} shared 128 cost 12 scratch n {t: 8}`
    fn launch(&mut self, launch: &LaunchShape) {
        let items: Vec<String> = launch.items.iter().map(|counts| format!("{{{}}}", self.list(counts))).collect();
        let scratch = launch.scratch.as_ref().map_or(String::new(), |scratch| {
            let slabs: Vec<String> =
                scratch.slabs.iter().map(|(var, bytes)| format!("{}: {bytes}", self.name(*var))).collect();
            format!(" scratch {} {{{}}}", self.name(scratch.items), slabs.join(", "))
        });
        let (shared, cost) = (launch.shared_bytes, launch.cost);
        self.line(&format!("items {} shared {shared} cost {cost}{scratch}", items.join(" ")));
    }

    fn axes(&mut self, word: &str, axes: &[Option<Axis>; 3]) {
        for (index, axis) in axes.iter().enumerate().rev() {
            if let Some(axis) = axis {
                self.at = axis.span;
                let (start, step, count) = (self.expr(&axis.start), self.expr(&axis.step), self.expr(&axis.count));
                let text = format!("{word}({index}) {} from {start} step {step} count {count}", self.typed(axis.var));
                self.line(&text);
            }
        }
    }

    // ---- statements ----

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        // A node that a pass made has no place: it keeps that of what stands before it.
        if stmt.span.end > stmt.span.start {
            self.at = stmt.span;
        }
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                let init = match init {
                    None => String::new(),
                    Some(Initializer::Value(value)) => format!(" = {}", self.expr(value)),
                    Some(Initializer::List(values)) => format!(" = {{{}}}", self.list(values)),
                };
                let role = match self.body.vars.get(var.0 as usize).map(|v| v.role) {
                    Some(Role::Outer(axis)) => format!("outer({axis}) "),
                    Some(Role::Inner(axis)) => format!("inner({axis}) "),
                    Some(Role::Expanded) => "expanded ".into(),
                    _ => String::new(),
                };
                let is_root = matches!(self.body.vars.get(var.0 as usize).map(|v| v.role), Some(Role::Root(_)));
                let name = if is_root { format!("local {}", self.name(*var)) } else { self.typed(*var) };
                self.line(&format!("{role}{name}{init}"));
            }
            StmtKind::Assign { place, op, value } => {
                let op = op.map_or("", |op| op.symbol());
                self.line(&format!("{} {op}= {}", self.place(place), self.expr(value)));
            }
            StmtKind::Atomic { place, op, value, expected, result } => {
                let result = result.map_or(String::new(), |r| format!("{} = old of ", self.name(r)));
                let op = ATOMICS.iter().find(|(of, _)| of == op).map_or("?", |(_, name)| name);
                let expected = expected.as_ref().map_or(String::new(), |e| format!(" if {}", self.expr(e)));
                self.line(&format!("{result}atomic {} {op} {}{expected}", self.place(place), self.expr(value)));
            }
            StmtKind::Call { function, arguments, result } => {
                let result = result.map_or(String::new(), |r| format!("{} = ", self.name(r)));
                self.line(&format!("{result}call {}", self.call(function.0, arguments)));
            }
            StmtKind::Print(print) => {
                let arguments = print.arguments.iter().map(|value| format!(", {}", self.expr(value)));
                self.line(&format!("print {}{}", quoted(&print.format(|_| "")), arguments.collect::<String>()));
            }
            StmtKind::Prefetch { place, for_write, locality } => {
                self.line(&format!("prefetch {} {} {locality}", self.place(place), u8::from(*for_write)));
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
            StmtKind::Barrier => self.line("barrier"),
            StmtKind::Block(stmts) => {
                self.line("block");
                self.indented(|d| d.stmts(stmts));
            }
            StmtKind::Inner(region) => {
                self.line(match region.meeting {
                    Meeting::Barrier => "region",
                    Meeting::Shared => "region shared",
                    Meeting::Exchange => "region exchange",
                });
                self.indented(|d| {
                    d.axes("inner", &region.axes);
                    d.stmts(&region.body);
                });
            }
            // For whoever looks at lowering half done: no text holds one that can be read back.
            StmtKind::Mark(mark) => self.line(&format!("mark {mark:?}")),
        }
    }

    fn loop_stmt(&mut self, l: &Loop) {
        let condition = l.condition.as_ref().map_or("for ever".to_owned(), |c| self.expr(c));
        let word = if l.test_last { "do while" } else { "loop while" };
        let unroll = l.unroll.map_or(String::new(), |factor| format!("unroll {factor} "));
        self.line(&format!("{unroll}{word} {condition}"));
        self.indented(|d| {
            for (name, stmts) in [("init", &l.init), ("head", &l.head), ("update", &l.update)] {
                if !stmts.is_empty() {
                    d.line(name);
                    d.indented(|d| d.stmts(stmts));
                }
            }
            d.stmts(&l.body);
        });
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

    // ---- expressions ----

    fn list(&self, values: &[Expr]) -> String {
        values.iter().map(|v| self.expr(v)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, function: u32, arguments: &[Argument]) -> String {
        let name = self.functions.get(function as usize).map_or("?", String::as_str);
        let argument = |argument: &Argument| match argument {
            Argument::Value(value) => self.expr(value),
            Argument::Pointer(place) => format!("&{}", self.place(place)),
        };
        format!("{name}({})", arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.name(place.root);
        let mut ty = self.body.vars.get(place.root.0 as usize).map(|v| &v.ty);
        for projection in &place.path {
            let _ = match projection {
                Projection::Index(index) => write!(text, "[{}]", self.expr(index)),
                Projection::Flat(offset) => write!(text, "[flat {}]", self.expr(offset)),
                Projection::Field(number) => {
                    let field = ty.and_then(|ty| self.field(ty, *number));
                    ty = field.map(|f| &f.ty);
                    write!(text, ".{}", field.map_or("?", |f| f.name.as_str()))
                }
            };
        }
        text
    }

    fn field(&self, ty: &'m Type, number: u32) -> Option<&'m Field> {
        match ty {
            Type::Struct(id) => self.module.structs.get(id.0 as usize)?.fields.get(number as usize),
            Type::Array(element, _) => self.field(element, number),
            Type::Pointer(pointer) => self.field(&pointer.element, number),
            Type::Void | Type::Scalar(_) => None,
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(value) => match (value, &expr.ty) {
                (_, Type::Scalar(Scalar::I32 | Scalar::F64 | Scalar::Bool)) => literal(value),
                (Literal::Float(number), ty) if !number.is_finite() => format!("{}:{}", literal(value), self.ty(ty)),
                (_, ty) => format!("{}{}", literal(value), self.ty(ty)),
            },
            ExprKind::Load(place) => self.place(place),
            // `-(5)` is not the number `-5`.
            ExprKind::Unary(UnaryOp::Negate, a) if a.literal().is_some() => format!("-({})", self.expr(a)),
            ExprKind::Unary(op, a) => {
                let symbol = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                };
                format!("{symbol}{}", self.expr(a))
            }
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b)),
            ExprKind::Cast { value, implicit: true } => format!("{}({})", self.ty(&expr.ty), self.expr(value)),
            ExprKind::Cast { value, implicit: false } => format!("(({}) {})", self.ty(&expr.ty), self.expr(value)),
            ExprKind::Select(c, a, b) => format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b)),
            ExprKind::Math(function, arguments) => format!("{}({})", function.name(), self.list(arguments)),
            ExprKind::Call(function, arguments) => self.call(function.0, arguments),
            ExprKind::Builtin(of) if expr.ty == Type::Scalar(Scalar::I64) => builtin(*of),
            ExprKind::Builtin(of) => format!("{}:{}", builtin(*of), self.ty(&expr.ty)),
        }
    }
}

/// `@item.x`
pub(super) fn builtin(builtin: Builtin) -> String {
    let along = |what: &str, axis: u8| format!("@{what}.{}", ["x", "y", "z"].get(usize::from(axis)).unwrap_or(&"?"));
    match builtin {
        Builtin::Item(axis) => along("item", axis),
        Builtin::Group(axis) => along("group", axis),
        Builtin::NextGroup => "@next_group".into(),
        Builtin::GroupEnd => "@group_end".into(),
        Builtin::RangeBegin => "@range_begin".into(),
        Builtin::RangeEnd => "@range_end".into(),
        Builtin::GroupCount(axis) => along("group_count", axis),
        Builtin::ItemCount(axis) => along("item_count", axis),
        Builtin::Start(param) => format!("@start.{param}"),
        Builtin::Length(param) => format!("@length.{param}"),
    }
}

/// A text between quotes, of which a line is made.
fn quoted(text: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\\' | '/' => format!("\\u{{{:x}}}", c as u32),
        ' '..='~' => c.into(),
        c => format!("\\u{{{:x}}}", c as u32),
    };
    format!("\"{}\"", text.chars().map(shown).collect::<String>())
}

/// A name that the text gives no other meaning.
fn hint_of(name: &str) -> String {
    if is_word(name) { format!("{name}#0") } else { name.to_owned() }
}
