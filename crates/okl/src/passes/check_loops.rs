//! For a driver that ends every loop of an item once they have run some number of iterations together
//! ([`Features::ends_loops`](crate::target::wgsl::Features::ends_loops)): after its work each thread asks whether that has
//! happened, and leaves a record ([`Kernel::faults`]). It asks with a loop of two iterations: where the number is used up, the
//! driver ends that one after the first. So the loops of the kernel themselves cost nothing more.

use super::exit_flags;
use crate::ir::rewrite::for_regions_mut;
use crate::ir::{
    Argument, Expr, ExprKind, Function, FunctionId, Kernel, Meeting, Module, Place, Pointer, Projection, Region, Role,
    Scalar, Stmt, StmtKind, Type, Variable, Visitor, build, parse, walk_expr, walk_stmt,
};
use crate::source::Span;

/// `last` is 2, because the first word of the record is 0 or 1; no compiler can know that, and unroll the loop.
const TEXT: &str = "\
fn report_ended_loops(faults: *u32 restrict) -> void
  let last: u32 = (2u32 + (faults[0] >> 31))
  var count: u32
  count = 0u32
  loop while (count < last)
    count += 1u32
  if (count < last)
    var before: u32
    before = old of atomic faults[0] = 1u32
    if (before == 0u32)
      faults[1] = PLACE
";

/// Adds the question to every nest of threads that has a loop, or calls a function with one.
pub(crate) fn run(module: &mut Module) {
    let function = FunctionId(module.functions.len() as u32);
    let mut functions = Vec::with_capacity(module.functions.len());
    for of in &module.functions {
        functions.push(has_loops(&functions, &of.stmts));
    }
    let mut any = false;
    for kernel in &mut module.kernels {
        let loops = |stmts: &[Stmt]| has_loops(&functions, stmts);
        let nests: Vec<bool> = kernel.nests.iter().map(|nest| loops(&nest.stmts)).collect();
        if nests.contains(&true) {
            any = true;
            of_kernel(kernel, &nests, function);
        }
    }
    if any {
        module.functions.push(report());
    }
}

fn of_kernel(kernel: &mut Kernel, nests: &[bool], function: FunctionId) {
    if !kernel.faults {
        let faults = Variable {
            name: String::new(),
            ty: Type::Pointer(Pointer {
                element: Box::new(Scalar::U32.into()),
                dims: Vec::new(),
                mutable: true,
                restrict: true,
            }),
            role: Role::Param(kernel.params.len() as u32),
            is_const: true,
            span: kernel.span,
        };
        kernel.params.push(build::fresh(&mut kernel.body, "faults", faults));
        kernel.faults = true;
    }
    let root = kernel.params[kernel.params.len() - 1];
    let Kernel { body, nests: all, .. } = kernel;
    for (nest, _) in all.iter_mut().zip(nests).filter(|(_, has_loops)| **has_loops) {
        // Whoever ends an item must come to the question. It is asked once for an item, so there is no second form for two.
        for_regions_mut(&mut nest.stmts, &mut |region| exit_flags::of_region(body, &mut region.body));
        nest.coarsened = None;
        let path = vec![Projection::Flat(build::int(0))];
        let record = Argument::Pointer(Place { root, path, ty: Scalar::U32.into(), span: Span::default() });
        at_end(&mut nest.stmts, &build::stmt(StmtKind::Call { function, arguments: vec![record], result: None }));
    }
}

/// Lets every thread come to a statement last. It is part of the last region, behind which nobody waits.
fn at_end(stmts: &mut Vec<Stmt>, last: &Stmt) {
    match stmts.last_mut().map(|stmt| &mut stmt.kind) {
        Some(StmtKind::Inner(region)) => region.body.push(last.clone()),
        Some(StmtKind::Block(stmts)) => at_end(stmts, last),
        Some(StmtKind::If { then, otherwise, .. }) => {
            at_end(then, last);
            at_end(otherwise, last);
        }
        _ => {
            let region = Region { body: vec![last.clone()], axes: [None, None, None], meeting: Meeting::Barrier };
            stmts.push(build::stmt(StmtKind::Inner(Box::new(region))));
        }
    }
}

fn report() -> Function {
    let text = TEXT.replace("PLACE", &format!("{}u32", Kernel::ENDED_LOOPS));
    let mut module = parse(&text).unwrap_or_else(|error| unreachable!("the question is IR: {error}"));
    let Some(mut function) = module.functions.pop() else { unreachable!("it is one function") };
    super::check_accesses::forget_spans(&mut function);
    function
}

/// Whether statements have a loop, or call one of the functions that have.
fn has_loops(functions: &[bool], stmts: &[Stmt]) -> bool {
    struct Look<'a> {
        /// By function; callees come first.
        functions: &'a [bool],
        found: bool,
    }
    impl Visitor for Look<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            self.found |= match &stmt.kind {
                StmtKind::Loop(_) => true,
                StmtKind::Call { function, .. } => self.functions[function.0 as usize],
                _ => false,
            };
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::Call(function, _) = &expr.kind {
                self.found |= self.functions[function.0 as usize];
            }
            walk_expr(self, expr);
        }
    }
    let mut look = Look { functions, found: false };
    stmts.iter().for_each(|stmt| look.stmt(stmt));
    look.found
}
