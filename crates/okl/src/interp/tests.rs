//! What source text cannot reach: the interface, options, limits, and IR that breaks its rules.
//! The language itself is tested by `filetests/`.

use super::*;
use crate::ir::{
    Axis, BinaryOp, Body, Expr, ExprKind, HostStmt, Literal, Nest, Place, Pointer as PointerType, Projection, Region,
    Role, Scalar, Stmt, StmtKind, VarId, Variable,
};

fn span() -> Span {
    Span::default()
}

fn int(value: i64) -> Expr {
    Expr::int(value, Scalar::I32, span())
}

fn load(var: VarId) -> Expr {
    Expr::var(var, Scalar::I32.into(), span())
}

fn add(a: Expr, b: Expr) -> Expr {
    Expr { kind: ExprKind::Binary(BinaryOp::Add, Box::new(a), Box::new(b)), ty: Scalar::I32.into(), span: span() }
}

const N: VarId = VarId(0);
const X: VarId = VarId(1);
const I: VarId = VarId(3);

/// `x[i]`
fn element() -> Place {
    Place { root: X, path: vec![Projection::Index(load(I))], ty: Scalar::I32.into(), span: span() }
}

/// `@kernel void fill(const int n, int *x)` with one group of `n` items that run `body`; variables are
/// `n`, `x`, the outer index, the inner index.
fn kernel(body: Vec<StmtKind>) -> Module {
    let variable = |name: &str, ty: Type, role| Variable { name: name.into(), ty, role, is_const: false, span: span() };
    let pointer = PointerType { element: Box::new(Scalar::I32.into()), dims: vec![], mutable: true, restrict: false };
    let vars = vec![
        variable("n", Scalar::I32.into(), Role::Param(0)),
        variable("x", Type::Pointer(pointer), Role::Param(1)),
        variable("o", Scalar::I32.into(), Role::Outer(0)),
        variable("i", Scalar::I32.into(), Role::Inner(0)),
    ];
    let axis = |var, count| Axis { var, start: int(0), step: int(1), count, span: span() };
    let stmt = |kind| Stmt { kind, span: span() };
    let region = Region {
        axes: [Some(axis(I, load(N))), None, None],
        body: body.into_iter().map(stmt).collect(),
        meeting: Default::default(),
    };
    let nest = Nest {
        dialect: crate::ir::Dialect::Lowered,
        launch: None,
        coarsened: None,
        outer: [Some(axis(VarId(2), int(1))), None, None],
        stmts: vec![stmt(StmtKind::Inner(Box::new(region)))],
        exclusive: vec![],
        shared: vec![],
        span: span(),
    };
    let kernel = Kernel {
        name: "fill".into(),
        params: vec![N, X],
        body: Body { vars, ..Body::default() },
        host: vec![HostStmt::Launch(0)],
        nests: vec![nest],
        max_inner_dims: None,
        sizes: Vec::new(),
        faults: false,
        span: span(),
    };
    let mut module = Module::default();
    module.kernels.push(kernel);
    module
}

fn assign(value: Expr) -> StmtKind {
    StmtKind::Assign { place: element(), op: None, value }
}

fn run(module: &Module, options: Options, n: i32) -> Result<(Report, Vec<u8>), FaultKind> {
    let mut buffer = vec![0; 16];
    let arguments = [Arg::Scalar(n.into()), Arg::Memory { buffer: 0, offset: 0, bytes: 16 }];
    let report = Interpreter::new(module, options).run("fill", &mut [&mut buffer], &arguments);
    report.map(|report| (report, buffer)).map_err(|fault| fault.kind)
}

#[test]
fn a_report_counts_launches_and_steps() {
    let (report, buffer) = run(&kernel(vec![assign(load(I))]), Options::default(), 3).unwrap();
    assert_eq!(report.launches, [Launched { nest: 0, outer: [1, 1, 1], inner: [3, 1, 1] }]);
    // Host launch, group, inner loops; then for each item itself and its assignment.
    assert_eq!((report.steps, report.tolerance_ulp), (3 + 2 * 3, 0));
    assert_eq!(buffer, [0, 1, 2, 0].map(i32::to_ne_bytes).concat());
}

#[test]
fn arguments_must_fit_the_kernel() {
    let module = kernel(vec![]);
    let interpreter = Interpreter::new(&module, Options::default());
    let mut buffer = [0; 16];
    let memory = Arg::Memory { buffer: 0, offset: 0, bytes: 16 };
    let mut refused = |kernel: &str, arguments: &[Arg<'_>]| {
        let fault = interpreter.run(kernel, &mut [&mut buffer], arguments).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Argument(_)), "{fault}");
        fault.to_string()
    };
    assert_eq!(refused("fil", &[]), "there is no kernel `fil`; available: fill");
    assert_eq!(refused("fill", &[memory]), "`fill` takes 2 arguments, got 1");
    let wrong = refused("fill", &[Arg::Scalar(1u32.into()), memory]);
    assert_eq!(wrong, "argument 0 `n`: expected a `int`, got Scalar(U32(1))");
    for (buffer, offset, bytes) in [(1, 0, 4), (0, 0, 17), (0, 16, 1), (0, usize::MAX, 2)] {
        refused("fill", &[Arg::Scalar(1.into()), Arg::Memory { buffer, offset, bytes }]);
    }
    refused("fill", &[memory, memory]);
}

#[test]
fn a_slice_is_all_that_its_argument_reaches() {
    let module = kernel(vec![assign(int(7))]);
    let interpreter = Interpreter::new(&module, Options::default());
    let mut buffer = [0; 16];
    let arguments = [Arg::Scalar(1.into()), Arg::Memory { buffer: 0, offset: 8, bytes: 4 }];
    interpreter.run("fill", &mut [&mut buffer], &arguments).unwrap();
    assert_eq!(buffer.to_vec(), [0, 0, 7, 0].map(i32::to_ne_bytes).concat());
    let arguments = [Arg::Scalar(2.into()), Arg::Memory { buffer: 0, offset: 8, bytes: 4 }];
    let fault = interpreter.run("fill", &mut [&mut buffer], &arguments).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfBounds { name: "x".into(), byte: 4, bytes: 4, element: 4 });
    assert_eq!(fault.item, Some(([0, 0, 0], [1, 0, 0])));
}

#[test]
fn checks_can_be_turned_off() {
    let mut first = element();
    first.path = vec![Projection::Index(int(0))];
    let module = kernel(vec![StmtKind::Assign { place: first, op: None, value: load(I) }]);
    assert!(matches!(run(&module, Options::default(), 2), Err(FaultKind::Race { .. })));
    let unchecked = Options { checks: false, ..Options::default() };
    let (_, buffer) = run(&module, unchecked, 2).unwrap();
    assert_eq!(buffer[..4], 1i32.to_ne_bytes());
}

#[test]
fn every_run_ends() {
    let forever = crate::ir::Loop {
        init: vec![],
        head: vec![],
        condition: None,
        update: vec![],
        body: vec![],
        test_last: false,
        unroll: None,
    };
    let module = kernel(vec![StmtKind::Loop(Box::new(forever))]);
    let options = Options { step_limit: 1000, ..Options::default() };
    assert!(matches!(run(&module, options, 1), Err(FaultKind::Limit(_))));
    let mut module = kernel(vec![]);
    let truth = Expr { kind: ExprKind::Literal(Literal::Bool(true)), ty: Scalar::Bool.into(), span: span() };
    module.kernels[0].host = vec![HostStmt::Loop { condition: truth, body: vec![], update: vec![] }];
    assert!(matches!(run(&module, options, 1), Err(FaultKind::Limit(_))));
}

#[test]
fn deep_nesting_is_a_fault_and_no_stack_overflow() {
    let mut value = int(1);
    for _ in 0..1500 {
        value = add(value, int(0));
    }
    assert!(matches!(run(&kernel(vec![assign(value)]), Options::default(), 1), Err(FaultKind::Limit(_))));
    let mut stmt = assign(int(1));
    for _ in 0..1500 {
        stmt = StmtKind::Block(vec![Stmt { kind: stmt, span: span() }]);
    }
    assert!(matches!(run(&kernel(vec![stmt]), Options::default(), 1), Err(FaultKind::Limit(_))));
}

#[test]
fn ir_that_breaks_its_rules_is_a_fault() {
    let of_kind = |kind| Expr { kind, ty: Scalar::I32.into(), span: span() };
    let nowhere = |path| Place { root: X, path, ty: Scalar::I32.into(), span: span() };
    let index = || Projection::Index(int(0));
    let broken = [
        StmtKind::Break,
        StmtKind::Declare { var: VarId(9), init: None },
        StmtKind::Declare { var: X, init: None },
        StmtKind::Call { function: crate::ir::FunctionId(3), arguments: vec![], result: None },
        StmtKind::Inner(Box::new(Region { axes: [None, None, None], body: vec![], meeting: Default::default() })),
        assign(Expr { kind: ExprKind::Literal(Literal::Int(1)), ty: Scalar::F64.into(), span: span() }),
        assign(Expr::var(VarId(77), Scalar::I32.into(), span())),
        assign(of_kind(ExprKind::Load(nowhere(vec![index(), index()])))),
        assign(of_kind(ExprKind::Load(nowhere(vec![Projection::Field(2)])))),
        assign(of_kind(ExprKind::Math(crate::ir::MathFn::Fma, vec![int(1); 4]))),
    ];
    for (number, stmt) in broken.into_iter().enumerate() {
        let got = run(&kernel(vec![stmt]), Options::default(), 1);
        assert!(matches!(got, Err(FaultKind::Invalid(_))), "{number}: {got:?}");
    }
}

#[test]
fn offsets_do_not_overflow() {
    let huge = |value| Projection::Index(Expr::int(value, Scalar::I64, span()));
    for value in [i64::MAX, i64::MIN, i64::MAX / 4, i64::MIN / 4] {
        let place = Place { path: vec![huge(value)], ..element() };
        let got = run(&kernel(vec![StmtKind::Assign { place, op: None, value: int(1) }]), Options::default(), 1);
        assert!(matches!(got, Err(FaultKind::OutOfBounds { .. } | FaultKind::Arithmetic(_))), "{value}: {got:?}");
    }
}
