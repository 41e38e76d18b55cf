//! Jumps become structure. What a forward `goto` may skip becomes a loop that runs once, which it leaves. What a backward one
//! may repeat becomes a loop that runs again if it says so: it sets a flag and jumps forward, to the loop's end. Where jumps
//! lead back to several labels, a number says to which, and a jump at the loop's begin goes on there.
//!
//! A jump out of nested loops sets a flag, and each of them is left in turn. A jump into a block, past a parallel loop
//! or past a declaration is refused, and so is one past a `break` or `continue` that would leave that loop instead of its own.

use super::ast::{
    BaseType, BinaryOp, Block, Declaration, Declarator, Expr, ExprKind, For, Ident, Initializer, Stmt, StmtKind as S,
    TypeName,
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
                Some(label) => {
                    let message = "this `goto` leads into a block, or among what another one repeats".to_owned();
                    refused(stmt.span, message).label(label.span, "the label")
                }
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
    let mut from = 0;
    while let Some(repeated) = Repeated::next(stmts, from) {
        from = repeated.begin + 1;
        repeated.make_loop(stmts, found);
    }
    while let Some(at) = stmts.iter().position(|stmt| matches!(stmt.kind, S::Label(_))) {
        let label = stmts.remove(at);
        let S::Label(label) = label.kind else { continue };
        let Some(from) = stmts[..at].iter().position(|stmt| jumps_to(stmt, &label)) else { continue };
        found.extend(stmts[from..at].iter().find_map(|stmt| obstacle(stmt, &label, "skips")));
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

/// Why a statement cannot stand between a jump and its label, which `skips` or `repeats` it.
fn obstacle(stmt: &Stmt, label: &Ident, does: &str) -> Option<Diagnostic> {
    let finding = |what: &str| {
        refused(label.span, format!("a `goto {}` {does} {what}", label.name)).label(stmt.span, "this stands between")
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

/// Statements of a list that backward jumps repeat.
struct Repeated {
    begin: usize,
    end: usize,
    /// Where such jumps lead, the first statement's label first.
    labels: Vec<Ident>,
}

impl Repeated {
    /// The next of a list: from a label to the last jump back to it, or to another label on the way.
    fn next(stmts: &[Stmt], from: usize) -> Option<Self> {
        let last_jump = |at: usize, label: &Ident| (at..stmts.len()).rev().find(|&from| jumps_to(&stmts[from], label));
        let mut found: Option<Self> = None;
        for (at, stmt) in stmts.iter().enumerate().skip(from) {
            let S::Label(label) = &stmt.kind else { continue };
            let Some(last) = last_jump(at, label) else { continue };
            match &mut found {
                None => found = Some(Self { begin: at, end: last + 1, labels: vec![label.clone()] }),
                Some(found) if at < found.end => {
                    found.end = found.end.max(last + 1);
                    found.labels.push(label.clone());
                }
                Some(_) => break,
            }
        }
        found.map(|mut found| {
            // What follows may use what is declared here.
            if stmts[found.begin..found.end].iter().any(|stmt| matches!(stmt.kind, S::Declaration(_))) {
                found.end = stmts.len();
            }
            found
        })
    }

    /// Makes a loop of the statements.
    fn make_loop(self, stmts: &mut Vec<Stmt>, found: &mut Vec<Diagnostic>) {
        let Self { begin, end, labels } = self;
        let Some(first) = labels.first().cloned() else { return };
        let is_declaration = |stmt: &Stmt| matches!(stmt.kind, S::Declaration(_));
        let mut repeated = stmts[begin..end].iter().filter(|stmt| !is_declaration(stmt));
        found.extend(repeated.find_map(|stmt| obstacle(stmt, &first, "repeats")));
        let mut body: Vec<Stmt> = stmts.splice(begin..end, std::iter::empty()).collect();
        let made = match until(&mut body, &labels) {
            Some(condition) => {
                list(&mut body, found);
                vec![match condition.kind {
                    ExprKind::Bool(true) => for_ever(body, first.span),
                    _ => do_while(body, condition, first.span),
                }]
            }
            None => again(body, &labels, found),
        };
        stmts.splice(begin..begin, [block(made, first.span)]);
    }
}

/// For statements that end with the one jump back, `if (condition) goto label;` or `goto label;`: when they are repeated. Takes
/// the jump off.
fn until(body: &mut Vec<Stmt>, labels: &[Ident]) -> Option<Expr> {
    let [label] = labels else { return None };
    let (last, others) = body.split_last()?;
    if others.iter().any(|stmt| jumps_to(stmt, label)) {
        return None;
    }
    // The condition would stand outside of the block of what is declared.
    let declares = others.iter().any(|stmt| matches!(stmt.kind, S::Declaration(_)));
    let condition = match &last.kind {
        S::If { condition, then, otherwise: None } if !declares && is_jump(then, label) => condition.clone(),
        _ if is_jump(last, label) => boolean(true, last.span),
        _ => return None,
    };
    body.pop();
    Some(condition)
}

fn is_jump(stmt: &Stmt, label: &Ident) -> bool {
    match &stmt.kind {
        S::Goto(to) => to.name == label.name,
        S::Block(Block { stmts, .. }) => matches!(stmts.as_slice(), [only] if is_jump(only, label)),
        _ => false,
    }
}

/// `int entry = 0; bool again = false; do { again = false; { if (entry == 1) goto label; … } end: } while (again);`
fn again(mut body: Vec<Stmt>, labels: &[Ident], found: &mut Vec<Diagnostic>) -> Vec<Stmt> {
    let (name, span) = (&labels[0].name, labels[0].span);
    // No name of the source has a blank.
    let ident = |what: &str| Ident { name: format!("{what} {name}"), span };
    let (entry, again, end) = (ident("entry"), ident("again"), ident("end"));
    let number = |value: usize| Expr { kind: ExprKind::Int(value as u64, Scalar::I32), span };
    for (index, label) in labels.iter().enumerate() {
        let set_entry = (labels.len() > 1).then(|| set(&entry, number(index)));
        let jump = plain(S::Goto(end.clone()), span);
        let jump: Vec<Stmt> = set_entry.into_iter().chain([set(&again, boolean(true, span)), jump]).collect();
        let at = body.iter().position(|stmt| matches!(&stmt.kind, S::Label(of) if of.name == label.name));
        body[at.unwrap_or(0)..].iter_mut().for_each(|stmt| redirect(stmt, label, &jump));
    }
    let go_on = labels.iter().enumerate().skip(1).map(|(index, label)| {
        let is_it = ExprKind::Binary(BinaryOp::Eq, Box::new(read(&entry)), Box::new(number(index)));
        let then = Box::new(plain(S::Goto(label.clone()), span));
        plain(S::If { condition: Expr { kind: is_it, span }, then, otherwise: None }, span)
    });
    body.splice(0..0, go_on);
    let mut body = vec![set(&again, boolean(false, span)), block(body, span), plain(S::Label(end.clone()), span)];
    list(&mut body, found);
    let mut out = vec![declare(&again, Scalar::Bool, boolean(false, span)), do_while(body, read(&again), span)];
    if labels.len() > 1 {
        out.insert(0, declare(&entry, Scalar::I32, number(0)));
    }
    out
}

/// Puts `jump` in the place of jumps to a label.
fn redirect(stmt: &mut Stmt, label: &Ident, jump: &[Stmt]) {
    let all = |stmts: &mut [Stmt]| stmts.iter_mut().for_each(|stmt| redirect(stmt, label, jump));
    match &mut stmt.kind {
        S::Goto(to) if to.name == label.name => *stmt = block(jump.to_vec(), stmt.span),
        S::Block(block) | S::Switch { body: block, .. } => all(&mut block.stmts),
        S::If { then, otherwise, .. } => {
            redirect(then, label, jump);
            otherwise.iter_mut().for_each(|stmt| redirect(stmt, label, jump));
        }
        S::For(l) => redirect(&mut l.body, label, jump),
        S::While { body, .. } | S::DoWhile { body, .. } => redirect(body, label, jump),
        _ => {}
    }
}

/// `{ bool flag = false; do { skipped } while (false); }`; the flag where a jump leaves more than this loop.
fn once(mut stmts: Vec<Stmt>, label: &Ident) -> Stmt {
    let span = label.span;
    let mut jumps = Jumps { label, flag: Ident { name: format!("goto {}", label.name), span }, uses_flag: false };
    jumps.list(&mut stmts, false);
    let once = do_while(stmts, boolean(false, span), span);
    let flag = jumps.uses_flag.then(|| declare(&jumps.flag, Scalar::Bool, boolean(false, span)));
    block(flag.into_iter().chain([once]).collect(), span)
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
                    block(vec![set(&self.flag, boolean(true, span)), exit], span)
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
            *stmt = block(vec![inner, self.further()], span);
        }
        jumps
    }

    /// `if (flag) break;`
    fn further(&self) -> Stmt {
        let span = self.label.span;
        let then = Box::new(plain(S::Break, span));
        plain(S::If { condition: read(&self.flag), then, otherwise: None }, span)
    }
}

/// Whether a jump within leaves this first.
fn is_left(stmt: &Stmt) -> bool {
    matches!(stmt.kind, S::For(_) | S::While { .. } | S::DoWhile { .. } | S::Switch { .. })
}

fn read(name: &Ident) -> Expr {
    Expr { kind: ExprKind::Name(name.name.clone()), span: name.span }
}

/// `name = value;`
fn set(name: &Ident, value: Expr) -> Stmt {
    let kind = ExprKind::Assign(None, Box::new(read(name)), Box::new(value));
    plain(S::Expr(Expr { kind, span: name.span }), name.span)
}

/// `scalar name = value;`
fn declare(name: &Ident, scalar: Scalar, value: Expr) -> Stmt {
    let span = name.span;
    let ty = TypeName {
        base: BaseType::Scalar(scalar),
        is_const: false,
        is_volatile: false,
        pointers: Vec::new(),
        dims: Vec::new(),
        reference: None,
        span,
    };
    let init = Some(Initializer::Expr(value));
    let declarator = Declarator { name: name.clone(), ty, attributes: Vec::new(), init };
    plain(S::Declaration(Declaration { attributes: Vec::new(), declarators: vec![declarator], span }), span)
}

fn do_while(stmts: Vec<Stmt>, condition: Expr, span: Span) -> Stmt {
    plain(S::DoWhile { body: Box::new(block(stmts, span)), condition }, span)
}

fn for_ever(stmts: Vec<Stmt>, span: Span) -> Stmt {
    let (init, body) = (plain(S::Empty, span), block(stmts, span));
    plain(S::For(Box::new(For { init, condition: None, update: None, attributes: Vec::new(), body })), span)
}

fn block(stmts: Vec<Stmt>, span: Span) -> Stmt {
    plain(S::Block(Block { stmts, span }), span)
}

fn boolean(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), span }
}

fn plain(kind: S, span: Span) -> Stmt {
    Stmt { kind, attributes: Vec::new(), span }
}
