//! What the functions of a unit call and assign, from the tree alone: the order in which they are lowered, refused
//! recursion, and which names may change their value.

use crate::diagnostic::Diagnostic;
use crate::front::ast::{
    AttributeArgument, Block, Declaration, Expr, ExprKind, Function, Ident, Initializer, Item, Stmt, StmtKind, UnaryOp,
    Unit,
};
use crate::rules;
use std::collections::{HashMap, HashSet};

/// What one function mentions, or several of one name.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// Functions that take references: what they are given may be written.
    references: Option<&'a HashSet<&'a str>>,
    /// Every call, in source order.
    calls: Vec<Ident>,
    /// Names that are assigned, stepped, or whose address is taken, in any scope.
    pub(super) assigned: HashSet<String>,
    /// Every name that stands for a value or a pointer, in source order.
    names: Vec<String>,
}

impl<'a> Survey<'a> {
    /// Adds what another function of the same name mentions.
    pub(super) fn merge(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.assigned.extend(other.assigned);
        self.names.extend(other.names);
    }

    /// What is mentioned, where nobody asks what is assigned.
    fn without_references(function: &Function) -> Self {
        let mut survey = Self::default();
        function.body.iter().for_each(|body| survey.block(body));
        survey
    }

    /// Each name that a lambda's body mentions, once.
    pub(super) fn names_of(function: &Function) -> Vec<String> {
        let mut seen = HashSet::new();
        Survey::without_references(function).names.into_iter().filter(|name| seen.insert(name.clone())).collect()
    }

    /// Looks through a function's body.
    pub(super) fn of(function: &Function, references: &'a HashSet<&'a str>) -> Self {
        let mut survey = Self { references: Some(references), ..Self::default() };
        function.body.iter().for_each(|body| survey.block(body));
        survey
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Default | StmtKind::Break | StmtKind::Continue | StmtKind::Item(_) => {}
            StmtKind::Goto(_) | StmtKind::Label(_) => {}
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::Expr(e) | StmtKind::Case(e) => self.expr(e),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.stmt(then);
                otherwise.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::For(f) => {
                self.stmt(&f.init);
                f.condition.iter().chain(&f.update).for_each(|e| self.expr(e));
                for argument in f.attributes.iter().flat_map(|a| &a.arguments) {
                    if let AttributeArgument::Expr(e) | AttributeArgument::Named(_, e) = argument {
                        self.expr(e);
                    }
                }
                // A parallel loop's index is set by the loop alone, and the axis says so; others do count.
                self.stmt(&f.body);
            }
            StmtKind::While { condition, body, .. } | StmtKind::DoWhile { body, condition } => {
                self.expr(condition);
                self.stmt(body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(value);
                self.block(body);
            }
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        for declarator in &declaration.declarators {
            if let (Some(_), Some(Initializer::Expr(of))) = (declarator.ty.reference, &declarator.init) {
                self.target(of);
            }
            declarator.init.iter().for_each(|i| self.initializer(i));
        }
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Expr(e) => self.expr(e),
            Initializer::List(list, _) => list.iter().for_each(|i| self.initializer(i)),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Imaginary(..)
            | ExprKind::Bool(_)
            | ExprKind::String(_) => {}
            ExprKind::Name(name) => self.names.push(name.clone()),
            ExprKind::Lambda(lambda) => lambda.function.body.iter().for_each(|body| self.block(body)),
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) | ExprKind::Error => {}
            ExprKind::Unary(op, a) => {
                if *op == UnaryOp::AddressOf {
                    self.target(a);
                }
                self.expr(a);
            }
            ExprKind::Step { target, .. } => {
                self.target(target);
                self.expr(target);
            }
            ExprKind::Assign(_, target, value) => {
                self.target(target);
                self.expr(target);
                self.expr(value);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Call(name, arguments) | ExprKind::CallTemplate(name, _, arguments) => {
                self.calls.push(name.clone());
                if self.references.is_some_and(|of| of.contains(name.name.as_str())) {
                    arguments.iter().for_each(|e| self.target(e));
                }
                // It may be a lambda's.
                self.names.push(name.name.clone());
                arguments.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Construct(_, parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Member { base, .. } => self.expr(base),
            ExprKind::Cast(_, a) => self.expr(a),
        }
    }

    /// Notes the variable that a write to `target` changes as a whole; what is known of elements is nobody's concern.
    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => {
                self.assigned.insert(name.clone());
            }
            ExprKind::Comma(_, last) => self.target(last),
            _ => {}
        }
    }
}

/// The device functions of a unit in the order in which they are lowered.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Reached from a kernel, callees first.
    pub(super) reached: Vec<String>,
    /// The others, callees first: checked all the same.
    pub(super) unreached: Vec<String>,
    /// Take part in a recursion.
    pub(super) recursive: HashSet<String>,
}

/// How far the search is with a function.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Open,
    Done,
}

/// The search through the calls.
struct Search<'a> {
    calls: HashMap<&'a str, Vec<&'a Ident>>,
    visits: HashMap<&'a str, Visit>,
    path: Vec<&'a Ident>,
    found: Vec<Diagnostic>,
    order: Vec<String>,
    recursive: HashSet<String>,
    /// Names that stand for several functions, of which a call chooses: a cycle of names need be none.
    chosen: &'a HashSet<&'a str>,
}

impl<'a> Search<'a> {
    /// Visits callees before callers. The stack is explicit: a chain of calls may be as long as the source.
    fn run(&mut self, start: &'a Ident) {
        if self.visits.contains_key(start.name.as_str()) {
            return;
        }
        let mut stack: Vec<(&'a Ident, usize)> = vec![(start, 0)];
        self.visits.insert(&start.name, Visit::Open);
        self.path.push(start);
        while let Some((ident, next)) = stack.last_mut() {
            let (name, index) = (ident.name.as_str(), *next);
            *next += 1;
            let callee = self.calls.get(name).and_then(|calls| calls.get(index)).copied();
            match callee {
                None => {
                    self.visits.insert(name, Visit::Done);
                    self.order.push(name.to_owned());
                    self.path.pop();
                    stack.pop();
                }
                Some(callee) => match self.visits.get(callee.name.as_str()) {
                    Some(Visit::Done) => {}
                    Some(Visit::Open) => self.report_cycle(callee),
                    None => {
                        self.visits.insert(&callee.name, Visit::Open);
                        self.path.push(callee);
                        stack.push((callee, 0));
                    }
                },
            }
        }
    }

    fn report_cycle(&mut self, callee: &Ident) {
        let start = self.path.iter().position(|i| i.name == callee.name).unwrap_or(0);
        if self.path[start..].iter().any(|i| self.chosen.contains(i.name.as_str())) {
            return;
        }
        let names: Vec<&str> = self.path[start..].iter().map(|i| i.name.as_str()).collect();
        let cycle = format!("{} → {}", names.join(" → "), callee.name);
        let mut diagnostic =
            Diagnostic::error(rules::RECURSION, callee.span, format!("recursion is not possible on devices: {cycle}"))
                .hint("use a loop");
        for call in self.path.iter().skip(start + 1) {
            diagnostic = diagnostic.label(call.span, format!("calls `{}` here", call.name));
        }
        self.found.push(diagnostic);
        self.recursive.extend(names.into_iter().map(str::to_owned));
    }
}

/// Orders a unit's functions; reports recursion.
pub(super) fn order(
    unit: &Unit,
    surveys: &HashMap<String, Survey>,
    chosen: &HashSet<&str>,
    found: &mut Vec<Diagnostic>,
) -> Order {
    let mut search = Search {
        calls: HashMap::new(),
        visits: HashMap::new(),
        path: Vec::new(),
        found: Vec::new(),
        order: Vec::new(),
        recursive: HashSet::new(),
        chosen,
    };
    let defined = || {
        unit.items.iter().filter_map(|item| match item {
            Item::Function(f) if f.body.is_some() => Some(f),
            _ => None,
        })
    };
    let is_kernel = |f: &&Function| super::function::is_kernel(f);
    let kernels: HashSet<&str> = defined().filter(is_kernel).map(|f| f.name.name.as_str()).collect();
    for function in defined() {
        let calls = surveys.get(&function.name.name).map(|s| &s.calls);
        let calls = calls
            .into_iter()
            .flatten()
            .filter(|c| surveys.contains_key(&c.name) && !kernels.contains(c.name.as_str()))
            .collect();
        search.calls.insert(&function.name.name, calls);
    }
    defined().filter(is_kernel).for_each(|f| search.run(&f.name));
    let reached = search.order.len();
    defined().for_each(|f| search.run(&f.name));
    found.append(&mut search.found);
    let mut names = search.order.into_iter().filter(|n| !kernels.contains(n.as_str()));
    let reached_functions = names.by_ref().take(reached - kernels.len().min(reached)).collect();
    Order { reached: reached_functions, unreached: names.collect(), recursive: search.recursive }
}
