//! The CPU generator on IR made by hand: the shapes that decide speed, without a front end.

use okl::back::{self, Target};
use okl::ir::{
    Axis, BinaryOp, Body, Expr, ExprKind, HostStmt, Initializer, Kernel, Literal, Module, Nest,
    Place, Pointer, Projection, Region, Role, Scalar, Stmt, StmtKind, Type, VarId, Variable,
};
use okl::{SourceMap, Span, passes};

const SPAN: Span = Span {
    file: 0,
    start: 0,
    end: 0,
    expansion: 0,
};

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: SPAN }
}

fn int(value: i64) -> Expr {
    Expr::int(value, Scalar::I32, SPAN)
}

fn wide(value: Expr) -> Expr {
    Expr {
        kind: ExprKind::Cast {
            value: Box::new(value),
            implicit: true,
        },
        ty: Scalar::I64.into(),
        span: SPAN,
    }
}

fn float(value: f64) -> Expr {
    Expr {
        kind: ExprKind::Literal(Literal::Float(value)),
        ty: Scalar::F64.into(),
        span: SPAN,
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let ty = if op.is_comparison() {
        Scalar::Bool.into()
    } else {
        a.ty.clone()
    };
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty,
        span: SPAN,
    }
}

/// A kernel in the making; its parameters are `n`, `u` and `v`.
struct Maker {
    kernel: Kernel,
    n: VarId,
    u: VarId,
    v: VarId,
}

impl Maker {
    fn new() -> Self {
        let kernel = Kernel {
            name: "shift".into(),
            params: Vec::new(),
            body: Body::default(),
            host: vec![HostStmt::Launch(0)],
            nests: Vec::new(),
            max_inner_dims: None,
            span: SPAN,
        };
        let mut maker = Self {
            kernel,
            n: VarId(0),
            u: VarId(1),
            v: VarId(2),
        };
        maker.param("n", Scalar::I32.into());
        for (name, mutable) in [("u", false), ("v", true)] {
            let element = Box::new(Scalar::F64.into());
            maker.param(
                name,
                Type::Pointer(Pointer {
                    element,
                    dims: Vec::new(),
                    mutable,
                    restrict: false,
                }),
            );
        }
        maker
    }

    fn param(&mut self, name: &str, ty: Type) {
        let role = Role::Param(self.kernel.params.len() as u32);
        let var = self.kernel.body.add(Variable {
            name: name.into(),
            ty,
            role,
            is_const: true,
            span: SPAN,
        });
        self.kernel.params.push(var);
    }

    /// A constant `int`.
    fn int_var(&mut self, name: &str, role: Role) -> VarId {
        self.kernel.body.add(Variable {
            name: name.into(),
            ty: Scalar::I32.into(),
            role,
            is_const: true,
            span: SPAN,
        })
    }

    fn load(&self, var: VarId) -> Expr {
        Expr::var(var, self.kernel.body.var(var).ty.clone(), SPAN)
    }

    fn at(&self, root: VarId, index: Expr) -> Place {
        Place {
            root,
            path: vec![Projection::Index(wide(index))],
            ty: Scalar::F64.into(),
            span: SPAN,
        }
    }

    /// `root[index] = value`
    fn store(&self, root: VarId, index: Expr, value: Expr) -> Stmt {
        stmt(StmtKind::Assign {
            place: self.at(root, index),
            op: None,
            value,
        })
    }

    /// `v[i] = 0.5 * u[i + 1]`
    fn shift(&self, i: VarId) -> Stmt {
        let place = self.at(self.u, binary(BinaryOp::Add, self.load(i), int(1)));
        let read = Expr {
            kind: ExprKind::Load(place),
            ty: Scalar::F64.into(),
            span: SPAN,
        };
        self.store(
            self.v,
            self.load(i),
            binary(BinaryOp::Mul, float(0.5), read),
        )
    }

    fn axis(&self, var: VarId, start: Expr, step: i64, count: Expr) -> Option<Axis> {
        Some(Axis {
            var,
            start,
            step: int(step),
            count,
            span: SPAN,
        })
    }

    /// The loops over groups and items of a nest with one outer and one inner axis, as text.
    fn emit(mut self, outer: Option<Axis>, inner: Option<Axis>, items: Vec<Stmt>) -> String {
        let stmts = vec![stmt(StmtKind::Inner(Box::new(Region {
            axes: [inner, None, None],
            body: items,
        })))];
        let outer = [outer, None, None];
        self.kernel.nests.push(Nest {
            outer,
            stmts,
            exclusive: Vec::new(),
            shared: Vec::new(),
            span: SPAN,
        });
        let mut module = Module {
            kernels: vec![self.kernel],
            ..Module::default()
        };
        passes::prepare(&mut module, &Target::Cpu);
        let text = back::emit(&module, &Target::Cpu, &SourceMap::default()).text;
        let head = text.find("_0_groups(").expect("the function of the groups");
        let start = head + text[head..].find("{\n").expect("its body") + 1;
        let end = start + text[start..].find("\n}\n").expect("its end") + 2;
        text[start..end]
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If {
        condition,
        then,
        otherwise: Vec::new(),
    })
}

/// `for (int i = 0; i < n; ++i; @tile(256, @outer, @inner))` with its check, as lowering makes it.
fn tiled(extra: impl FnOnce(&Maker, VarId) -> Vec<Stmt>) -> String {
    let mut m = Maker::new();
    let o = m.int_var("i_tile", Role::Outer(0));
    let i = m.int_var("i", Role::Inner(0));
    let mut stmts = extra(&m, i);
    stmts.push(m.shift(i));
    let guarded = when(binary(BinaryOp::Lt, m.load(i), m.load(m.n)), stmts);
    let (outer, inner) = (
        m.axis(o, int(0), 256, wide(m.load(m.n))),
        m.axis(i, m.load(o), 1, int(256)),
    );
    m.emit(outer, inner, vec![guarded])
}

/// `const int i = b * 256 + t;` and what `items` makes of `(b, i)`.
fn indexed(items: impl FnOnce(&Maker, VarId, VarId) -> Vec<Stmt>) -> String {
    let mut m = Maker::new();
    let b = m.int_var("b", Role::Outer(0));
    let t = m.int_var("t", Role::Inner(0));
    let i = m.int_var("i", Role::Local);
    let sum = binary(
        BinaryOp::Add,
        binary(BinaryOp::Mul, m.load(b), int(256)),
        m.load(t),
    );
    let mut stmts = vec![stmt(StmtKind::Declare {
        var: i,
        init: Some(Initializer::Value(sum)),
    })];
    stmts.extend(items(&m, b, i));
    let (outer, inner) = (
        m.axis(b, int(0), 1, wide(m.load(m.n))),
        m.axis(t, int(0), 1, int(256)),
    );
    m.emit(outer, inner, stmts)
}

const ONE_LOOP: &str = "const int64_t i_end = okl_min_i64(end * 256, n);
OKL_INDEPENDENT
for (int i = begin * 256; i < i_end; ++i) {
v[i] = 0.5 * u[i + 1];
}
}";

#[test]
fn a_tile_with_its_check_is_one_loop() {
    assert_eq!(tiled(|_, _| Vec::new()), ONE_LOOP);
}

#[test]
fn the_first_item_is_cut_out() {
    let first = |m: &Maker, i| {
        when(
            binary(BinaryOp::Eq, m.load(i), int(0)),
            vec![m.store(m.v, int(7), float(0.0))],
        )
    };
    let expected = "if (begin * 256 <= 0 && 0 < n) {
const int i = 0;
v[7] = 0.0;
v[i] = 0.5 * u[i + 1];
}
const int64_t i_end = okl_min_i64(end * 256, n);
OKL_INDEPENDENT
for (int i = okl_max_i64(1, begin * 256); i < i_end; ++i) {
v[i] = 0.5 * u[i + 1];
}
}";
    assert_eq!(tiled(|m, i| vec![first(m, i)]), expected);
}

#[test]
fn an_index_made_of_group_and_item_is_one_loop() {
    let leave = |m: &Maker, i| {
        when(
            binary(BinaryOp::Ge, m.load(i), m.load(m.n)),
            vec![stmt(StmtKind::Return(None))],
        )
    };
    assert_eq!(indexed(|m, _, i| vec![leave(m, i), m.shift(i)]), ONE_LOOP);
}

#[test]
fn a_guard_becomes_the_bound_of_the_inner_loop() {
    // The group's number is used by itself, so that the groups must stay.
    let mark = |m: &Maker, b| m.store(m.v, m.load(b), float(1.0));
    let items = |m: &Maker, b, i| {
        vec![when(
            binary(BinaryOp::Lt, m.load(i), m.load(m.n)),
            vec![mark(m, b), m.shift(i)],
        )]
    };
    let expected = "for (int b = begin; b < end; ++b) {
const int64_t t_end = okl_min_i64(256, n - (int64_t)b * 256);
OKL_INDEPENDENT_SHORT
for (int t = 0; t < t_end; ++t) {
const int i = b * 256 + t;
v[b] = 1.0;
v[i] = 0.5 * u[i + 1];
}
}
}";
    assert_eq!(indexed(items), expected);
}
