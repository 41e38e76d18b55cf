//! Forward jumps become structure: what a `goto` may skip becomes a loop that runs once, which it leaves.
//!
//! A jump out of nested loops sets a flag, and each of them is left in turn. A jump back, into a block, past a parallel loop
//! or past a declaration is refused, and so is one past a `break` or `continue` that would leave that loop instead of its own.

use super::ast::{
    BaseType, Block, Declaration, Declarator, Expr, ExprKind, For, Ident, Initializer, Stmt, StmtKind as S, TypeName,
};
use crate::ir::Scalar;
use crate::rules;
use crate::{Diagnostic, Span};

/// Gives the jumps of a function's body their structure.
pub(super) fn structure(body: &mut Block, found: &mut Vec<Diagnostic>) {
    let mut labels = Vec::new();
    each(&body.stmts, &mut |stmt| {
        if let S::Label(label) = &stmt.kind {
            labels.push(label.clone());
        }
    });
    for (index, label) in labels.iter().enumerate() {
        if labels[..index].iter().any(|other| other.name == label.name) {
            found.push(refused(label.span, format!("label `{}` stands twice in one function", label.name)));
        }
    }
    list(&mut body.stmts, found);
    each(&body.stmts, &mut |stmt| {
        if let S::Goto(to) = &stmt.kind {
            let name = &to.name;
            found.push(match labels.iter().find(|label| label.name == *name) {
                Some(label) => refused(
                    stmt.span,
                    "this `goto` does not lead forward out of blocks, to a label behind it".to_owned(),
                )
                .label(label.span, "the label"),
                None => refused(stmt.span, format!("there is no label `{name}` in this function")),
            });
        }
    });
}

fn refused(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(rules::UNSTRUCTURED_GOTO, span, message)
        .hint("use loops with `break` and `continue`, or `return`")
}

/// Calls `f` for each statement of a list, however deep.
fn each(stmts: &[Stmt], f: &mut impl FnMut(&Stmt)) {
    for stmt in stmts {
        f(stmt);
        match &stmt.kind {
            S::Block(block) | S::Switch { body: block, .. } => each(&block.stmts, f),
            S::If { then, otherwise, .. } => {
                each(std::slice::from_ref(&**then), f);
                otherwise.iter().for_each(|stmt| each(std::slice::from_ref(&**stmt), f));
            }
            S::For(l) => each(std::slice::from_ref(&l.body), f),
            S::While { body, .. } | S::DoWhile { body, .. } => each(std::slice::from_ref(&**body), f),
            _ => {}
        }
    }
}

/// Lists within first, so that a label is met where its own list is handled.
fn list(stmts: &mut Vec<Stmt>, found: &mut Vec<Diagnostic>) {
    for stmt in stmts.iter_mut() {
        match &mut stmt.kind {
            S::Block(block) | S::Switch { body: block, .. } => list(&mut block.stmts, found),
            S::If { then, otherwise, .. } => {
                branch(then, found);
                otherwise.iter_mut().for_each(|stmt| branch(stmt, found));
            }
            S::For(l) => branch(&mut l.body, found),
            S::While { body, .. } | S::DoWhile { body, .. } => branch(body, found),
            _ => {}
        }
    }
    while let Some(at) = stmts.iter().position(|stmt| matches!(stmt.kind, S::Label(_))) {
        let label = stmts.remove(at);
        let S::Label(label) = label.kind else { continue };
        let Some(from) = stmts[..at].iter().position(|stmt| jumps_to(stmt, &label)) else { continue };
        if let Some(finding) = stmts[from..at].iter().find_map(|stmt| obstacle(stmt, &label)) {
            found.push(finding);
        }
        let skipped: Vec<Stmt> = stmts.splice(from..at, std::iter::empty()).collect();
        stmts.insert(from, once(skipped, &label));
    }
}

/// A branch that is one statement has a list of one.
fn branch(stmt: &mut Stmt, found: &mut Vec<Diagnostic>) {
    let mut stmts = vec![std::mem::replace(stmt, plain(S::Empty, stmt.span))];
    list(&mut stmts, found);
    *stmt = match <[Stmt; 1]>::try_from(stmts) {
        Ok([only]) => only,
        Err(stmts) => plain(S::Block(Block { stmts, span: stmt.span }), stmt.span),
    };
}

fn jumps_to(stmt: &Stmt, label: &Ident) -> bool {
    let mut jumps = false;
    each(std::slice::from_ref(stmt), &mut |s| jumps |= matches!(&s.kind, S::Goto(to) if to.name == label.name));
    jumps
}

/// Why a statement cannot stand between a jump and its label.
fn obstacle(stmt: &Stmt, label: &Ident) -> Option<Diagnostic> {
    let finding = |what: &str| {
        refused(label.span, format!("a `goto {}` skips {what}", label.name)).label(stmt.span, "this is skipped")
    };
    let mut is_parallel = false;
    each(std::slice::from_ref(stmt), &mut |s| is_parallel |= matches!(&s.kind, S::For(l) if parallel(l)));
    match &stmt.kind {
        S::Declaration(_) => Some(finding("a declaration of the block that the label stands in")),
        S::Item(_) | S::Case(_) | S::Default => Some(finding("a `case` or a type")),
        _ if is_parallel => Some(finding("a parallel loop")),
        _ if leaves(stmt, false) => Some(finding("a `break` or `continue` of a loop around both")),
        _ => None,
    }
}

fn parallel(l: &For) -> bool {
    l.attributes.iter().any(|a| matches!(a.name.name.as_str(), "outer" | "inner" | "tile"))
}

/// Whether a statement has a `break` or `continue` of something around it.
fn leaves(stmt: &Stmt, in_switch: bool) -> bool {
    let any = |stmts: &[Stmt], in_switch| stmts.iter().any(|s| leaves(s, in_switch));
    match &stmt.kind {
        S::Break => !in_switch,
        S::Continue => true,
        S::Block(block) => any(&block.stmts, in_switch),
        S::Switch { body, .. } => any(&body.stmts, true),
        S::If { then, otherwise, .. } => {
            leaves(then, in_switch) || otherwise.as_ref().is_some_and(|s| leaves(s, in_switch))
        }
        _ => false,
    }
}

/// `{ bool flag = false; do { skipped } while (false); }`; the flag where a jump leaves more than this loop.
fn once(mut stmts: Vec<Stmt>, label: &Ident) -> Stmt {
    let span = label.span;
    let mut jumps = Jumps { label, flag: Ident { name: format!("goto {}", label.name), span }, uses_flag: false };
    jumps.list(&mut stmts, false);
    let body = Box::new(plain(S::Block(Block { stmts, span }), span));
    let once = plain(S::DoWhile { body, condition: boolean(false, span) }, span);
    let flag = jumps.uses_flag.then(|| jumps.declaration());
    plain(S::Block(Block { stmts: flag.into_iter().chain([once]).collect(), span }), span)
}

/// The jumps to one label.
struct Jumps<'a> {
    label: &'a Ident,
    /// No name of the source has a blank.
    flag: Ident,
    uses_flag: bool,
}

impl Jumps<'_> {
    /// Replaces them in a list, `deeper`: within a loop or `switch` that is itself to be left. Answers whether one was there.
    fn list(&mut self, stmts: &mut Vec<Stmt>, deeper: bool) -> bool {
        let mut jumps = false;
        let mut index = 0;
        while index < stmts.len() {
            let is_within = self.stmt(&mut stmts[index], deeper);
            jumps |= is_within;
            index += 1;
            if is_within && is_left(&stmts[index - 1]) {
                stmts.insert(index, self.further());
                index += 1;
            }
        }
        jumps
    }

    fn stmt(&mut self, stmt: &mut Stmt, deeper: bool) -> bool {
        let span = stmt.span;
        match &mut stmt.kind {
            S::Goto(to) if to.name == self.label.name => {
                let exit = plain(S::Break, span);
                *stmt = if deeper {
                    self.uses_flag = true;
                    let set = ExprKind::Assign(None, Box::new(self.read()), Box::new(boolean(true, span)));
                    let set = plain(S::Expr(Expr { kind: set, span }), span);
                    plain(S::Block(Block { stmts: vec![set, exit], span }), span)
                } else {
                    exit
                };
                true
            }
            S::Block(block) => self.list(&mut block.stmts, deeper),
            S::Switch { body, .. } => self.list(&mut body.stmts, true),
            S::If { then, otherwise, .. } => {
                let jumps = self.branch(then, deeper);
                otherwise.iter_mut().fold(jumps, |jumps, stmt| self.branch(stmt, deeper) || jumps)
            }
            S::For(l) => self.branch(&mut l.body, true),
            S::While { body, .. } | S::DoWhile { body, .. } => self.branch(body, true),
            _ => false,
        }
    }

    fn branch(&mut self, stmt: &mut Stmt, deeper: bool) -> bool {
        let jumps = self.stmt(stmt, deeper);
        if jumps && is_left(stmt) {
            let span = stmt.span;
            let inner = std::mem::replace(stmt, plain(S::Empty, span));
            *stmt = plain(S::Block(Block { stmts: vec![inner, self.further()], span }), span);
        }
        jumps
    }

    /// `if (flag) break;`
    fn further(&self) -> Stmt {
        let span = self.label.span;
        let then = Box::new(plain(S::Break, span));
        plain(S::If { condition: self.read(), then, otherwise: None }, span)
    }

    fn read(&self) -> Expr {
        Expr { kind: ExprKind::Name(self.flag.name.clone()), span: self.flag.span }
    }

    fn declaration(&self) -> Stmt {
        let span = self.flag.span;
        let base = BaseType::Scalar(Scalar::Bool);
        let ty = TypeName {
            base,
            is_const: false,
            is_volatile: false,
            pointers: Vec::new(),
            dims: Vec::new(),
            reference: None,
            span,
        };
        let init = Some(Initializer::Expr(boolean(false, span)));
        let declarator = Declarator { name: self.flag.clone(), ty, attributes: Vec::new(), init };
        plain(S::Declaration(Declaration { attributes: Vec::new(), declarators: vec![declarator], span }), span)
    }
}

/// Whether a jump within leaves this first.
fn is_left(stmt: &Stmt) -> bool {
    matches!(stmt.kind, S::For(_) | S::While { .. } | S::DoWhile { .. } | S::Switch { .. })
}

fn boolean(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), span }
}

fn plain(kind: S, span: Span) -> Stmt {
    Stmt { kind, attributes: Vec::new(), span }
}
