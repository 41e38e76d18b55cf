//! Structs, constants, functions, kernels and the host part of the text.

use super::cursor::{ParseError, Parsed};
use super::exprs::{Parser, hint};
use super::is_usually_const;
use crate::deep_stack::on_deep_stack;
use crate::ir::{
    Axis, Body, Coarsened, Constant, ConstantId, Dialect, Expr, Field, Function, HostStmt, Kernel, LaunchShape,
    LaunchSize, Module, Nest, Role, Root, RootId, RootSpace, Scratch, StmtKind, Struct, Type, VarId, Variable,
};
use std::collections::HashMap;

/// The module that a text of [`super::dump`]'s form describes; spans point into the text, as file 0.
///
/// Whether it keeps the rules of the IR is for [`crate::ir::verify`] to say.
/// # Errors
/// The first place that is not of that form.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError { line: 1, column: 1, message: "the text is longer than 4 GiB".into() });
    }
    on_deep_stack(|| {
        let mut parser = Parser::new(text);
        while parser.cursor.is_in(0)? {
            parser.item()?;
        }
        Ok(parser.module)
    })
}

impl<'t> Parser<'t> {
    fn item(&mut self) -> Parsed<()> {
        if self.cursor.eat("struct") {
            self.struct_item(false)
        } else if self.cursor.eat("vector") {
            self.struct_item(true)
        } else if self.cursor.eat("const") {
            self.constant()
        } else if self.cursor.eat("root") {
            self.root()
        } else if self.cursor.eat("kernel") {
            self.kernel()
        } else {
            self.function()
        }
    }

    /// A name of the module, which no other thing of its kind has.
    fn item_name(&mut self, known: fn(&mut Self) -> &mut HashMap<&'t str, u32>, id: usize) -> Parsed<&'t str> {
        let start = self.cursor.start();
        let name = self.cursor.name("a name")?;
        if known(self).insert(name, id as u32).is_some() {
            return Err(self
                .cursor
                .error_at(start, format!("there is another `{name}`: give it a number, `{name}#1`")));
        }
        Ok(name)
    }

    /// `struct name { field: type @offset, … } bytes n align m`
    fn struct_item(&mut self, is_vector: bool) -> Parsed<()> {
        let span = self.cursor.line_span();
        let name = self.item_name(|p| &mut p.structs, self.module.structs.len())?;
        self.cursor.expect("{")?;
        let fields = self.list("}", |p| {
            let name = p.cursor.name("a field")?.to_owned();
            p.cursor.expect(":")?;
            let ty = p.ty()?;
            p.cursor.expect("@")?;
            Ok(Field { name, ty, offset: p.cursor.integer()? })
        })?;
        self.cursor.expect("bytes")?;
        let bytes = self.cursor.integer()?;
        self.cursor.expect("align")?;
        let align = self.cursor.integer()?;
        self.cursor.end_line()?;
        self.module.structs.push(Struct { name: hint(name), fields, bytes, align, is_vector, span });
        Ok(())
    }

    /// `const name: type = {values}`
    fn constant(&mut self) -> Parsed<()> {
        let span = self.cursor.line_span();
        let name = self.item_name(|p| &mut p.constants, self.module.constants.len())?;
        self.cursor.expect(":")?;
        let ty = self.ty()?;
        self.cursor.expect("=")?;
        self.cursor.expect("{")?;
        let values = self.list("}", |p| match p.literal()? {
            Some(literal) => Ok(literal),
            None => Err(p.cursor.error("a number is expected")),
        })?;
        self.cursor.end_line()?;
        self.module.constants.push(Constant { name: hint(name), ty, values, span });
        Ok(())
    }

    /// `root name: type space written atomic`
    fn root(&mut self) -> Parsed<()> {
        let span = self.cursor.line_span();
        let name = self.item_name(|p| &mut p.roots, self.module.roots.len())?;
        self.cursor.expect(":")?;
        let ty = self.ty()?;
        let (element, len) = match ty {
            Type::Array(ref element, _) => ((**element).clone(), Some(ty.len())),
            element => (element, None),
        };
        let space = if self.cursor.eat("storage") {
            RootSpace::Storage(self.argument()?)
        } else if self.cursor.eat("workgroup") {
            RootSpace::Workgroup
        } else {
            self.cursor.expect("private")?;
            RootSpace::Private
        };
        let (written, atomic) = (self.cursor.eat("written"), self.cursor.eat("atomic"));
        self.cursor.end_line()?;
        self.module.roots.push(Root { name: hint(name), space, element, len, written, atomic, span });
        Ok(())
    }

    // ---- variables ----

    /// `let temp name%7: type`: a new variable, or the one that is called so already.
    pub(super) fn variable(&mut self, role: Role) -> Parsed<VarId> {
        let is_const = match (self.cursor.eat("let"), self.cursor.eat("var")) {
            (false, false) => is_usually_const(role),
            (is_const, _) => is_const,
        };
        let is_generated = self.cursor.eat("temp");
        let (name, start) = self.new_name()?;
        let number = self.number()?;
        self.cursor.expect(":")?;
        let ty = self.ty()?;
        let var = self.bind((name, start), number, |name, span| Variable { name, ty, role, is_const, span })?;
        if is_generated {
            self.generated.insert(var);
        }
        Ok(var)
    }

    fn new_name(&mut self) -> Parsed<(&'t str, usize)> {
        let start = self.cursor.start();
        Ok((self.cursor.name("a variable")?, start))
    }

    fn number(&mut self) -> Parsed<Option<u32>> {
        if self.cursor.eat("%") { self.cursor.integer().map(Some) } else { Ok(None) }
    }

    fn bind(
        &mut self,
        (name, start): (&'t str, usize),
        number: Option<u32>,
        make: impl FnOnce(String, crate::source::Span) -> Variable,
    ) -> Parsed<VarId> {
        let made = make(hint(name), self.cursor.span_from(start));
        if let Some(&known) = self.names.get(name) {
            let same = |of: &Variable| Variable { span: of.span, ..made.clone() } == *of;
            return match &self.vars[known.0 as usize] {
                Some(of) if same(of) && number.is_none() => Ok(known),
                _ => Err(self.cursor.error_at(start, format!("`{name}` is declared otherwise above"))),
            };
        }
        let id = number.unwrap_or(self.next);
        let index = id as usize;
        if index > self.cursor.len() || self.vars.get(index).is_some_and(Option::is_some) {
            return Err(self.cursor.error_at(start, format!("`{name}` cannot be variable number {id}")));
        }
        if self.vars.len() <= index {
            self.vars.resize(index + 1, None);
        }
        self.vars[index] = Some(made);
        self.next = id + 1;
        self.names.insert(name, VarId(id));
        Ok(VarId(id))
    }

    /// The variables that were read, none left out.
    fn body(&mut self) -> Parsed<Body> {
        self.names.clear();
        self.next = 0;
        let vars = std::mem::take(&mut self.vars);
        if let Some(missing) = vars.iter().position(Option::is_none) {
            return Err(self.cursor.error(format!("variable number {missing} of what stands above is missing")));
        }
        Ok(Body { vars: vars.into_iter().flatten().collect(), generated: std::mem::take(&mut self.generated) })
    }

    /// `table name = constant`
    fn table(&mut self) -> Parsed<()> {
        let (name, start) = self.new_name()?;
        let number = self.number()?;
        self.cursor.expect("=")?;
        let at = self.cursor.start();
        let constant = self.cursor.name("a constant")?;
        let Some(&id) = self.constants.get(constant) else {
            return Err(self.cursor.error_at(at, format!("there is no constant `{constant}`")));
        };
        let ty = self.module.constants[id as usize].ty.clone();
        let role = Role::Constant(ConstantId(id));
        self.bind((name, start), number, |name, span| Variable { name, ty, role, is_const: true, span })?;
        self.cursor.end_line()
    }

    /// `root name variable: type`
    fn root_variable(&mut self) -> Parsed<()> {
        let at = self.cursor.start();
        let name = self.cursor.name("a root")?;
        let Some(&id) = self.roots.get(name) else {
            return Err(self.cursor.error_at(at, format!("there is no root `{name}`")));
        };
        self.variable(Role::Root(RootId(id)))?;
        self.cursor.end_line()
    }

    /// `unused role name: type`
    fn unused(&mut self) -> Parsed<()> {
        let roles = [
            ("expanded", Role::Expanded),
            ("entry", Role::Entry),
            ("host", Role::Host),
            ("local", Role::Local),
            ("shared", Role::Shared),
            ("exclusive", Role::Exclusive),
        ];
        let known = roles.into_iter().find(|(word, _)| self.cursor.eat(word));
        let role = match known {
            Some((_, role)) => role,
            None if self.cursor.eat("exchange") => Role::Exchange(self.argument()?),
            None if self.cursor.eat("param") => Role::Param(self.argument()?),
            None if self.cursor.eat("outer") => Role::Outer(self.argument()?),
            None if self.cursor.eat("inner") => Role::Inner(self.argument()?),
            None => return Err(self.cursor.error("a role is expected")),
        };
        self.variable(role)?;
        self.cursor.end_line()
    }

    pub(super) fn argument<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        self.cursor.expect("(")?;
        let number = self.cursor.integer()?;
        self.cursor.expect(")")?;
        Ok(number)
    }

    fn params(&mut self) -> Parsed<Vec<VarId>> {
        self.cursor.expect("(")?;
        let mut number = 0;
        self.list(")", |p| {
            number += 1;
            p.variable(Role::Param(number - 1))
        })
    }

    // ---- functions and kernels ----

    /// `pure reports fn name(params) -> type`, tables, statements, unused variables.
    fn function(&mut self) -> Parsed<()> {
        let span = self.cursor.line_span();
        let (is_pure, reports) = (self.cursor.eat("pure"), self.cursor.eat("reports"));
        self.cursor.expect("fn")?;
        let name = self.item_name(|p| &mut p.functions, self.module.functions.len())?;
        let params = self.params()?;
        self.cursor.expect("->")?;
        let result = self.ty()?;
        self.cursor.end_line()?;
        while self.cursor.is_in(2)? && self.cursor.eat("table") {
            self.table()?;
        }
        while self.cursor.is_in(2)? && self.cursor.eat("root") {
            self.root_variable()?;
        }
        let stmts = self.stmts(2)?;
        self.all_unused()?;
        let body = self.body()?;
        self.module.functions.push(Function { name: hint(name), result, params, body, stmts, is_pure, reports, span });
        Ok(())
    }

    fn all_unused(&mut self) -> Parsed<()> {
        while self.cursor.is_in(2)? {
            self.cursor.expect("unused")?;
            self.unused()?;
        }
        Ok(())
    }

    /// `kernel name(params) max_inner_dims [x, y, z] faults`, tables, host variables, sizes of arrays, host part, nests, unused variables.
    fn kernel(&mut self) -> Parsed<()> {
        let span = self.cursor.line_span();
        let name = hint(self.cursor.name("a name")?);
        let params = self.params()?;
        let mut max_inner_dims = None;
        if self.cursor.eat("max_inner_dims") {
            self.cursor.expect("[")?;
            let dims = self.list("]", |p| p.cursor.integer())?;
            let dims = <[u32; 3]>::try_from(dims).map_err(|_| self.cursor.error("three numbers are expected"))?;
            max_inner_dims = Some(dims);
        }
        let faults = self.cursor.eat("faults");
        self.cursor.end_line()?;
        while self.cursor.is_in(2)? && self.cursor.eat("table") {
            self.table()?;
        }
        while self.cursor.is_in(2)? && self.cursor.eat("root") {
            self.root_variable()?;
        }
        for (word, role) in [("host", Role::Host), ("entry", Role::Entry)] {
            while self.cursor.is_in(2)? && self.cursor.eat(word) {
                self.variable(role)?;
                self.cursor.end_line()?;
            }
        }
        let mut sizes = Vec::new();
        while self.cursor.is_in(2)? && self.cursor.eat("size") {
            let array = hint(self.cursor.name("a name")?);
            let built = self.cursor.integer()?;
            self.cursor.expect("=")?;
            sizes.push(LaunchSize { array, built, value: self.expr()? });
            self.cursor.end_line()?;
        }
        let host = self.host(2)?;
        let mut nests = Vec::new();
        while self.cursor.is_in(2)? && self.cursor.peek("nest") {
            nests.push(self.nest(nests.len())?);
        }
        self.all_unused()?;
        let body = self.body()?;
        self.module.kernels.push(Kernel { name, params, body, host, nests, max_inner_dims, sizes, faults, span });
        Ok(())
    }

    fn host(&mut self, indent: usize) -> Parsed<Vec<HostStmt>> {
        let mut stmts = Vec::new();
        while self.cursor.is_in(indent)? && !self.cursor.peek("nest") && !self.cursor.peek("unused") {
            // These belong to what stands before them.
            if self.cursor.peek("else") || self.cursor.peek("update") {
                break;
            }
            stmts.push(self.deeper(|p| p.host_stmt(indent))?);
        }
        Ok(stmts)
    }

    fn host_stmt(&mut self, indent: usize) -> Parsed<HostStmt> {
        if self.cursor.eat("launch") {
            let nest = self.cursor.integer()?;
            self.cursor.end_line()?;
            return Ok(HostStmt::Launch(nest));
        }
        if self.cursor.eat("return") {
            self.cursor.end_line()?;
            return Ok(HostStmt::Return);
        }
        for (word, other) in [("if", "else"), ("while", "update")] {
            if self.cursor.eat(word) {
                let condition = self.expr()?;
                self.cursor.end_line()?;
                let first = self.host(indent + 2)?;
                let mut second = Vec::new();
                if self.cursor.is_in(indent)? && self.cursor.eat(other) {
                    self.cursor.end_line()?;
                    second = self.host(indent + 2)?;
                }
                return Ok(match word {
                    "if" => HostStmt::If { condition, then: first, otherwise: second },
                    _ => HostStmt::Loop { condition, body: first, update: second },
                });
            }
        }
        let var = self.var()?;
        self.cursor.expect("=")?;
        let value = self.expr()?;
        self.cursor.end_line()?;
        Ok(HostStmt::Set { var, value })
    }

    fn nest(&mut self, number: usize) -> Parsed<Nest> {
        let span = self.cursor.line_span();
        self.cursor.expect("nest")?;
        let start = self.cursor.start();
        if self.cursor.integer::<usize>()? != number {
            return Err(self.cursor.error_at(start, format!("this is nest {number}")));
        }
        let dialects = [("looped", Dialect::Looped), ("simt", Dialect::Simt)];
        let dialect = dialects.into_iter().find(|(word, _)| self.cursor.eat(word)).map_or(Dialect::Lowered, |of| of.1);
        self.dialect = dialect;
        self.cursor.end_line()?;
        let outer = self.axes("outer", 4)?;
        let launch = if dialect == Dialect::Lowered { None } else { Some(self.launch()?) };
        let mut lists = [Vec::new(), Vec::new()];
        for (list, (word, role)) in lists.iter_mut().zip([("shared", Role::Shared), ("exclusive", Role::Exclusive)]) {
            if dialect == Dialect::Looped {
                break;
            }
            while self.cursor.is_in(4)? {
                let role = match role {
                    _ if self.cursor.eat(word) => role,
                    Role::Shared if self.cursor.eat("exchange") => Role::Exchange(self.argument()?),
                    _ => break,
                };
                list.push(self.variable(role)?);
                self.cursor.end_line()?;
            }
        }
        let [shared, exclusive] = lists;
        let stmts = self.stmts(4)?;
        let has_more = self.cursor.is_in(4)? && self.cursor.eat("coarsened");
        let coarsened = if has_more { Some(self.coarsened()?) } else { None };
        Ok(Nest { outer, dialect, launch, coarsened, shared, exclusive, stmts, span })
    }

    /// What both items declare, then a branch with what they do.
    fn coarsened(&mut self) -> Parsed<Coarsened> {
        self.cursor.end_line()?;
        let mut head = self.stmts(6)?;
        match head.pop().map(|last| last.kind) {
            Some(StmtKind::If { condition, then, otherwise }) if otherwise.is_empty() => {
                Ok(Coarsened { head, condition, stmts: then })
            }
            _ => Err(self.cursor.error("what both groups do is expected")),
        }
    }

    /// `items {16i64} {1i64} {1i64} shared 128 cost 12 scratch n {t: 8}`
    fn launch(&mut self) -> Parsed<LaunchShape> {
        self.cursor.expect("items")?;
        let mut items: [Vec<Expr>; 3] = Default::default();
        for counts in &mut items {
            self.cursor.expect("{")?;
            *counts = self.list("}", Self::expr)?;
        }
        self.cursor.expect("shared")?;
        let shared_bytes = self.cursor.integer()?;
        self.cursor.expect("cost")?;
        let cost = self.cursor.integer()?;
        let mut scratch = None;
        if self.cursor.eat("scratch") {
            let items = self.var()?;
            self.cursor.expect("{")?;
            let slabs = self.list("}", |p| {
                let var = p.var()?;
                p.cursor.expect(":")?;
                Ok((var, p.cursor.integer()?))
            })?;
            scratch = Some(Scratch { items, slabs });
        }
        self.cursor.end_line()?;
        Ok(LaunchShape { items, shared_bytes, cost, scratch })
    }

    /// `inner(0) i: i32 from 0 step 1 count 16i64`
    pub(super) fn axes(&mut self, word: &str, indent: usize) -> Parsed<[Option<Axis>; 3]> {
        let mut axes = [None, None, None];
        while self.cursor.is_in(indent)? && self.cursor.peek(word) {
            let span = self.cursor.line_span();
            self.cursor.expect(word)?;
            let start = self.cursor.start();
            let axis: u8 = self.argument()?;
            let role = if word == "outer" { Role::Outer(axis) } else { Role::Inner(axis) };
            let var = self.variable(role)?;
            self.cursor.expect("from")?;
            let from = self.expr()?;
            self.cursor.expect("step")?;
            let step = self.expr()?;
            self.cursor.expect("count")?;
            let count = self.expr()?;
            self.cursor.end_line()?;
            match axes.get_mut(usize::from(axis)) {
                Some(place @ None) => *place = Some(Axis { var, start: from, step, count, span }),
                _ => return Err(self.cursor.error_at(start, "there are axes 0, 1 and 2, each once")),
            }
        }
        Ok(axes)
    }
}
