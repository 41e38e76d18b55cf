//! Statements of the text.

use super::ATOMICS;
use super::cursor::Parsed;
use super::exprs::Parser;
use crate::ir::{
    Arm, AtomicOp, Dialect, Expr, Initializer, Loop, Meeting, Place, Print, Region, Role, Stmt, StmtKind, VarId, pieces,
};

impl Parser<'_> {
    /// The statements of the block at `indent`, up to what is none.
    pub(super) fn stmts(&mut self, indent: usize) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while self.cursor.is_in(indent)? {
            // These belong to what stands around.
            if ["else", "fall", "unused", "nest", "coarsened"].into_iter().any(|word| self.cursor.peek(word)) {
                break;
            }
            let span = self.cursor.line_span();
            let kind = self.deeper(|p| p.stmt(indent))?;
            stmts.push(Stmt { kind, span });
        }
        Ok(stmts)
    }

    fn stmt(&mut self, indent: usize) -> Parsed<StmtKind> {
        if self.cursor.peek("let") || self.cursor.peek("var") {
            return self.declare(Role::Local);
        }
        if self.cursor.eat("expanded") {
            return self.declare(Role::Expanded);
        }
        // Memory at module scope, of which the body says the type.
        if self.cursor.eat("local") {
            let var = self.var()?;
            return self.initialised(var);
        }
        if self.cursor.eat("outer") {
            let axis = self.argument()?;
            return self.declare(Role::Outer(axis));
        }
        if self.cursor.eat("inner") {
            let axis = self.argument()?;
            return self.declare(Role::Inner(axis));
        }
        if self.cursor.eat("if") {
            let condition = self.expr()?;
            self.cursor.end_line()?;
            let then = self.stmts(indent + 2)?;
            let has_else = self.cursor.is_in(indent)? && self.cursor.eat("else");
            let otherwise = if has_else { self.block(indent)? } else { Vec::new() };
            return Ok(StmtKind::If { condition, then, otherwise });
        }
        if ["loop", "do", "unroll"].iter().any(|word| self.cursor.peek(word)) {
            return self.loop_stmt(indent);
        }
        if self.cursor.eat("switch") {
            return self.switch(indent);
        }
        if self.cursor.eat("block") {
            return self.block(indent).map(StmtKind::Block);
        }
        if self.cursor.eat("region") {
            let meeting = match (self.cursor.eat("exchange"), self.cursor.eat("shared")) {
                (true, _) => Meeting::Exchange,
                (_, true) => Meeting::Shared,
                _ => Meeting::Barrier,
            };
            self.cursor.end_line()?;
            // Threads declare their indices.
            let are_threads = self.dialect == Dialect::Simt;
            let axes = if are_threads { [None, None, None] } else { self.axes("inner", indent + 2)? };
            return Ok(StmtKind::Inner(Box::new(Region { axes, body: self.stmts(indent + 2)?, meeting })));
        }
        let kind = self.simple()?;
        self.cursor.end_line()?;
        Ok(kind)
    }

    /// What stands below a line that ends here.
    fn block(&mut self, indent: usize) -> Parsed<Vec<Stmt>> {
        self.cursor.end_line()?;
        self.stmts(indent + 2)
    }

    /// A statement of one line.
    fn simple(&mut self) -> Parsed<StmtKind> {
        let words = [("break", StmtKind::Break), ("continue", StmtKind::Continue), ("barrier", StmtKind::Barrier)];
        if let Some((_, kind)) = words.into_iter().find(|(word, _)| self.cursor.eat(word)) {
            return Ok(kind);
        }
        if self.cursor.eat("end") {
            self.cursor.expect("item")?;
            return Ok(StmtKind::EndItem);
        }
        if self.cursor.eat("return") {
            let value = if self.cursor.is_line_done() { None } else { Some(self.expr()?) };
            return Ok(StmtKind::Return(value));
        }
        if self.cursor.eat("print") {
            return self.print();
        }
        if self.cursor.eat("prefetch") {
            let place = self.place()?;
            let for_write = self.cursor.integer::<u8>()? == 1;
            return Ok(StmtKind::Prefetch { place, for_write, locality: self.cursor.integer()? });
        }
        if let Some(kind) = self.update(None)? {
            return Ok(kind);
        }
        let start = self.cursor.start();
        let place = self.place()?;
        if !self.cursor.eat("=") {
            let Some(op) = self.binary_op() else { return Err(self.cursor.error("`=` is expected")) };
            self.cursor.expect("=")?;
            return Ok(StmtKind::Assign { place, op: Some(op), value: self.expr()? });
        }
        let result = place.path.is_empty().then_some(place.root);
        if let Some(kind) = self.update(result)? {
            return if result.is_some() { Ok(kind) } else { Err(self.cursor.error_at(start, "no variable")) };
        }
        Ok(StmtKind::Assign { place, op: None, value: self.expr()? })
    }

    /// `print "%d of %g\n", i, x`
    fn print(&mut self) -> Parsed<StmtKind> {
        let format = self.cursor.string()?;
        let pieces = pieces(&format).ok_or_else(|| self.cursor.error("this format is none"))?;
        let mut arguments = Vec::new();
        while self.cursor.eat(",") {
            arguments.push(self.expr()?);
        }
        Ok(StmtKind::Print(Box::new(Print { pieces, arguments })))
    }

    /// A call or an atomic update, whose result goes to a variable or nowhere.
    fn update(&mut self, result: Option<VarId>) -> Parsed<Option<StmtKind>> {
        if self.cursor.eat("call") {
            let (function, arguments) = self.call()?;
            return Ok(Some(StmtKind::Call { function, arguments, result }));
        }
        if !self.cursor.eat_words(&["old", "of", "atomic"]) && !self.cursor.eat("atomic") {
            return Ok(None);
        }
        let place: Place = self.place()?;
        let op = ATOMICS.into_iter().find(|(_, name)| self.cursor.eat(name));
        let (op, _) = op.ok_or_else(|| self.cursor.error("an atomic operator is expected"))?;
        let value: Expr = self.expr()?;
        let expected = if op == AtomicOp::CompareExchange && self.cursor.eat("if") { Some(self.expr()?) } else { None };
        Ok(Some(StmtKind::Atomic { place, op, value, expected, result }))
    }

    /// `let name: type = value`, `var name: type = {values}`
    fn declare(&mut self, role: Role) -> Parsed<StmtKind> {
        let var = self.variable(role)?;
        self.initialised(var)
    }

    fn initialised(&mut self, var: VarId) -> Parsed<StmtKind> {
        let mut init = None;
        if self.cursor.eat("=") {
            init = Some(if self.cursor.eat("{") {
                Initializer::List(self.list("}", Self::expr)?)
            } else {
                Initializer::Value(self.expr()?)
            });
        }
        self.cursor.end_line()?;
        Ok(StmtKind::Declare { var, init })
    }

    /// The condition stands in the first line, and is read when `init` and `head` have said what it mentions.
    fn loop_stmt(&mut self, indent: usize) -> Parsed<StmtKind> {
        let first = self.cursor.line_number();
        self.cursor.skip_line();
        let init = self.part("init", indent + 2)?;
        let head = self.part("head", indent + 2)?;
        let below = self.cursor.line_number();
        self.cursor.goto(first);
        let unroll = if self.cursor.eat("unroll") { Some(self.cursor.integer()?) } else { None };
        let test_last = self.cursor.eat("do");
        if !test_last {
            self.cursor.expect("loop")?;
        }
        self.cursor.expect("while")?;
        let condition = if self.cursor.eat_words(&["for", "ever"]) { None } else { Some(self.expr()?) };
        self.cursor.end_line()?;
        self.cursor.goto(below);
        let update = self.part("update", indent + 2)?;
        let body = self.stmts(indent + 2)?;
        Ok(StmtKind::Loop(Box::new(Loop { init, head, condition, update, body, test_last, unroll })))
    }

    fn part(&mut self, word: &str, indent: usize) -> Parsed<Vec<Stmt>> {
        if self.cursor.is_in(indent)? && self.cursor.eat(word) { self.block(indent) } else { Ok(Vec::new()) }
    }

    fn switch(&mut self, indent: usize) -> Parsed<StmtKind> {
        let value = self.expr()?;
        self.cursor.end_line()?;
        let mut arms = Vec::new();
        while self.cursor.is_in(indent + 2)? {
            self.cursor.expect("case")?;
            let mut arm = Arm { values: Vec::new(), is_default: false, body: Vec::new(), falls_through: false };
            while !self.cursor.is_line_done() {
                if !arm.values.is_empty() {
                    self.cursor.expect(",")?;
                }
                if self.cursor.eat("default") {
                    arm.is_default = true;
                    break;
                }
                match self.literal()? {
                    Some(literal) => arm.values.push(literal),
                    None => return Err(self.cursor.error("a number is expected")),
                }
            }
            arm.body = self.block(indent + 2)?;
            if self.cursor.is_in(indent + 4)? {
                self.cursor.expect("fall")?;
                self.cursor.expect("through")?;
                self.cursor.end_line()?;
                arm.falls_through = true;
            }
            arms.push(arm);
        }
        Ok(StmtKind::Switch { value, arms })
    }
}
