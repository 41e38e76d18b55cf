//! Parallel loops whose extent depends on memory, which nobody knows before the launch: a fixed number of groups or items
//! share the iterations. The loop `for (int i = a; i < b; i += s; @outer)` becomes
//!
//! ```text
//! for (int lane = 0; lane < 1024; ++lane; @outer)
//!   for (int i = a + lane * s; i < b; i += 1024 * s)
//! ```
//!
//! A tile becomes its two loops first. A kernel without parallel loops is one item's work.

use super::Lowered;
use super::attributes::{AxisKind, Lower, lower_of};
use super::context::{Level, Lowering};
use super::loop_attributes::{Parallel, Part, depth_of};
use super::loops::{LoopHead, head_span};
use super::scope::Symbol;
use super::uniformity::below;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{
    Attribute, AttributeArgument, BaseType, BinaryOp as B, Block, Declaration, Declarator, Expr, ExprKind as E, For,
    Ident, Initializer, Stmt, StmtKind as S, TypeName,
};
use crate::ir::{Role, Scalar, Stmt as IrStmt, StmtKind, Uses};
use crate::rules;
use crate::source::Span;

/// Groups that share the iterations of an `@outer` loop.
const GROUPS: u64 = 1024;
/// Items that share the iterations of an `@inner` loop.
const ITEMS: u64 = 16;

impl Lowering<'_, '_> {
    /// Whether the host cannot know the extent of a loop that it would have to know.
    pub(super) fn is_extent_unknown(&mut self, parallel: &Parallel<'_>, head: &LoopHead<'_>) -> bool {
        let first = parallel.parts[0];
        if self.level == Level::Host {
            let parts = [Some(head.start), Some(head.end), head.amount];
            return matches!(first, Part::Outer(_)) && parts.into_iter().flatten().any(|e| self.reads_device_memory(e));
        }
        let is_open = matches!((first, self.level), (Part::Outer(_), Level::Group))
            || matches!((first, self.level), (Part::Inner(_), Level::Group | Level::Between));
        if !is_open || self.nest.as_ref().is_some_and(|n| n.floated.contains_key(&head.span)) {
            return false;
        }
        let findings = self.unit.found.len();
        let (_, range) = self.captured(|s| s.range(head));
        self.unit.found.truncate(findings);
        let Ok(range) = range else { return false };
        let count = self.expanded(&range.count);
        !self.is_host(&count) && self.largest_count(&count).is_none()
    }

    fn reads_device_memory(&self, expr: &Expr) -> bool {
        let any = |parts: &[&Expr]| parts.iter().any(|part| self.reads_device_memory(part));
        match &expr.kind {
            E::Name(name) => match self.lookup(name) {
                Some(Symbol::Var(var)) => self.is_global_memory(var),
                Some(Symbol::Pointer(_)) => true,
                _ => false,
            },
            E::Unary(_, a) | E::Cast(_, a) | E::Member { base: a, .. } => any(&[a]),
            E::Binary(_, a, b) | E::Index(a, b) | E::Comma(a, b) => any(&[a, b]),
            E::Conditional(a, b, c) => any(&[a, b, c]),
            E::Call(_, arguments) => arguments.iter().any(|a| self.reads_device_memory(a)),
            _ => false,
        }
    }

    /// Lowers a loop whose extent is not known.
    pub(super) fn strided_for(&mut self, f: &For, parallel: &Parallel<'_>, head: &LoopHead<'_>) -> Lowered<()> {
        if let Some(tile) = &parallel.tile {
            let loops = tile_loops(f, head, tile.size, tile.check);
            return self.for_stmt(&loops, head.span);
        }
        let (word, lanes, count) = match parallel.parts[0] {
            Part::Outer(_) => ("@outer", "groups", GROUPS),
            _ => ("@inner", "items", ITEMS),
        };
        let unknown = format!("the extent of this `{word}` loop is not known before the launch");
        let strided = strided(f, head, count);
        let (stmts, result) = self.captured(|s| s.for_stmt(&strided, head.span));
        result?;
        let launched = self.nests.last().filter(|_| self.level == Level::Host).map_or(&stmts, |nest| &nest.stmts);
        if let Some(what) = self.not_shared(launched, word) {
            return Err(self.report(
                Diagnostic::error(rules::UNKNOWN_EXTENT, head.span, format!("{unknown}, and its body holds {what}"))
                    .hint("let the loop run over the largest number of iterations, and skip the others by an `if`"),
            ));
        }
        self.out.extend(stmts);
        self.report(
            Diagnostic::warning(
                rules::ITERATIONS_SHARED,
                head.span,
                format!("{unknown}: {count} {lanes} share its iterations"),
            )
            .hint("a bound that is computed from literals and scalar parameters gives each iteration one of its own"),
        );
        Ok(())
    }

    /// What ties an iteration to one item.
    fn not_shared(&self, stmts: &[IrStmt], word: &str) -> Option<&'static str> {
        let is_exclusive = |var: &crate::ir::VarId| self.body.var(*var).role == Role::Exclusive;
        match word {
            _ if returns(stmts) => Some("a `return`"),
            "@inner" if Uses::of(stmts).mentioned.iter().any(is_exclusive) => Some("an `@exclusive` variable"),
            _ => None,
        }
    }

    /// The body of a kernel that has no parallel loop, as the work of one item.
    pub(super) fn single_item(&mut self, name: &Ident, body: &Block) -> Option<Stmt> {
        let depth = |kind| body.stmts.iter().map(|s| depth_of(s, kind)).max().unwrap_or(0);
        if depth(AxisKind::Outer) + depth(AxisKind::Inner) > 0 {
            return None;
        }
        let runs_serially = format!("kernel `{}` runs serially, on one item", name.name);
        self.report(match body.stmts.iter().find_map(tile_in) {
            Some(tile) => {
                let message = format!("this `@tile` marks no loop as `@outer` or `@inner`: {runs_serially}");
                Diagnostic::warning(rules::NO_OUTER, tile, message)
                    .hint("write both attributes behind its size: `@tile(size, @outer, @inner)`")
            }
            None => {
                let message = format!("{runs_serially}: no loop in it is marked `@outer`");
                Diagnostic::warning(rules::NO_OUTER, name.span, message).hint(
                    "write a loop whose iterations may run in parallel with an attribute inside its parentheses: \
                     `for (int i = 0; i < n; ++i; @tile(256, @outer, @inner))`",
                )
            }
        });
        let span = name.span;
        let wrap = |lane: &str, word: &str, body: Stmt| {
            let attribute = Attribute { name: ident(word, span), arguments: Vec::new(), span };
            for_loop(lane_loop(&ident(lane, span), 1, vec![attribute], body), span)
        };
        let block = Stmt { kind: S::Block(body.clone()), attributes: Vec::new(), span: body.span };
        Some(wrap("only group", "outer", wrap("only item", "inner", block)))
    }
}

/// The first `@tile` in a statement.
fn tile_in(stmt: &Stmt) -> Option<Span> {
    let of_loop = |f: &For| f.attributes.iter().find(|a| matches!(lower_of(a), Lower::Tile)).map(|tile| tile.span);
    match &stmt.kind {
        S::For(f) => of_loop(f).or_else(|| tile_in(&f.body)),
        S::Block(block) => block.stmts.iter().find_map(tile_in),
        S::If { then, otherwise, .. } => tile_in(then).or_else(|| otherwise.as_deref().and_then(tile_in)),
        S::While { body, .. } | S::DoWhile { body, .. } => tile_in(body),
        _ => None,
    }
}

fn returns(stmts: &[IrStmt]) -> bool {
    let in_region = |stmt: &IrStmt| match &stmt.kind {
        StmtKind::Inner(region) => returns(&region.body),
        StmtKind::Return(_) => true,
        _ => false,
    };
    stmts.iter().any(|stmt| in_region(stmt) || below(stmt, returns))
}

fn ident(name: &str, span: Span) -> Ident {
    Ident { name: name.to_owned(), span }
}

fn expr(kind: E, span: Span) -> Expr {
    Expr { kind, span }
}

fn named(name: &Ident) -> Expr {
    expr(E::Name(name.name.clone()), name.span)
}

fn int(value: u64, span: Span) -> Expr {
    expr(E::Int(value, Scalar::I32), span)
}

fn binary(op: B, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    expr(E::Binary(op, Box::new(a), Box::new(b)), span)
}

fn for_loop(f: For, span: Span) -> Stmt {
    Stmt { kind: S::For(Box::new(f)), attributes: Vec::new(), span }
}

fn declare(ty: &TypeName, name: &Ident, value: Expr) -> Stmt {
    let span = name.span;
    let declarator =
        Declarator { name: name.clone(), ty: ty.clone(), attributes: Vec::new(), init: Some(Initializer::Expr(value)) };
    let declaration = Declaration { attributes: Vec::new(), declarators: vec![declarator], span };
    Stmt { kind: S::Declaration(declaration), attributes: Vec::new(), span }
}

/// `for (int lane = 0; lane < count; ++lane; attributes) body`
fn lane_loop(lane: &Ident, count: u64, attributes: Vec<Attribute>, body: Stmt) -> For {
    let span = lane.span;
    let base = BaseType::Scalar(Scalar::I32);
    let ty = TypeName {
        base,
        is_const: false,
        is_volatile: false,
        pointers: Vec::new(),
        reference: None,
        dims: Vec::new(),
        span,
    };
    let update = E::Step { increment: true, prefix: true, target: Box::new(named(lane)) };
    For {
        init: declare(&ty, lane, int(0, span)),
        condition: Some(binary(B::Lt, named(lane), int(count, span))),
        update: Some(expr(update, span)),
        attributes,
        body,
    }
}

/// `index += amount`, or `-=` where the loop counts down.
fn step(head: &LoopHead<'_>, index: &Ident, amount: Expr) -> Expr {
    let op = if head.down { B::Sub } else { B::Add };
    expr(E::Assign(Some(op), Box::new(named(index)), Box::new(amount)), head.span)
}

/// The amount of one update.
fn amount(head: &LoopHead<'_>) -> Expr {
    head.amount.cloned().unwrap_or_else(|| int(1, head.span))
}

/// Whether an index lies before the bound: a stride may step over that of a `!=`.
fn before_end(head: &LoopHead<'_>, index: &Ident) -> Expr {
    use crate::ir::BinaryOp as I;
    let op = match (head.cmp, head.down) {
        (I::Le, _) => B::Le,
        (I::Ge, _) => B::Ge,
        (I::Gt, _) | (I::Ne, true) => B::Gt,
        _ => B::Lt,
    };
    binary(op, named(index), head.end.clone())
}

fn strided(f: &For, head: &LoopHead<'_>, lanes: u64) -> For {
    // No name of the source has a blank.
    let lane = ident(&format!("{} lane", head.name.name), head.name.span);
    let offset = binary(B::Mul, named(&lane), amount(head));
    let op = if head.down { B::Sub } else { B::Add };
    let shared = For {
        init: declare(head.ty, head.name, binary(op, head.start.clone(), offset)),
        condition: Some(before_end(head, head.name)),
        update: Some(step(head, head.name, binary(B::Mul, int(lanes, head.span), amount(head)))),
        attributes: Vec::new(),
        body: f.body.clone(),
    };
    lane_loop(&lane, lanes, f.attributes.clone(), for_loop(shared, f.body.span))
}

/// The two loops of a tile.
fn tile_loops(f: &For, head: &LoopHead<'_>, size: &Expr, check: bool) -> For {
    let block = ident(&format!("{} block", head.name.name), head.name.span);
    let reach = || binary(B::Mul, size.clone(), amount(head));
    let is_tile = |a: &&Attribute| matches!(lower_of(a), Lower::Tile);
    let mut parts =
        f.attributes.iter().find(is_tile).into_iter().flat_map(|tile| &tile.arguments).filter_map(|a| match a {
            AttributeArgument::Attribute(part) => Some(part.clone()),
            _ => None,
        });
    let others = f.attributes.iter().filter(|a| !is_tile(a)).cloned();
    let outermost = parts.next().into_iter().chain(others).collect();
    let body = match check {
        false => f.body.clone(),
        true => {
            let condition = before_end(head, head.name);
            let kind = S::If { condition, then: Box::new(f.body.clone()), otherwise: None };
            Stmt { kind, attributes: Vec::new(), span: f.body.span }
        }
    };
    let (cmp, op) = if head.down { (B::Gt, B::Sub) } else { (B::Lt, B::Add) };
    let within = For {
        init: declare(head.ty, head.name, named(&block)),
        condition: Some(binary(cmp, named(head.name), binary(op, named(&block), reach()))),
        update: Some(step(head, head.name, amount(head))),
        attributes: parts.collect(),
        body,
    };
    For {
        init: declare(head.ty, &block, head.start.clone()),
        condition: Some(before_end(head, &block)),
        update: Some(step(head, &block, reach())),
        attributes: outermost,
        body: for_loop(within, head_span(f)),
    }
}
