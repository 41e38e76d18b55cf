//! Random programs as trees: any tree is a legal kernel, because names and subscripts are taken modulo what there is.

use okl::ir::Scalar;
use proptest::collection::vec;
use proptest::prelude::*;

/// A whole kernel with its helpers.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Device functions, each may call those before it.
    pub(crate) functions: Vec<Function>,
    /// Types of scalar parameters, read-only arrays and written arrays.
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) inputs: Vec<Scalar>,
    pub(crate) outputs: Vec<Scalar>,
    /// Types of exclusive variables; `true` for arrays.
    pub(crate) exclusive: Vec<(Scalar, bool)>,
    /// Types of the two shared arrays.
    pub(crate) shared: [Scalar; 2],
    /// Types of the fields of the struct that records have; the last is an array.
    pub(crate) fields: [Scalar; 3],
    /// How outer and inner loops are written.
    pub(crate) shape: u8,
    /// Group-level variables.
    pub(crate) group: Vec<Ex>,
    pub(crate) regions: Vec<Region>,
    /// Seed of the arguments' values.
    pub(crate) seed: u32,
}

/// One inner loop, or two with a barrier between them.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) body: Vec<St>,
    /// After an explicit barrier; empty: there is none.
    pub(crate) after_barrier: Vec<St>,
    /// Turns of a loop around it, at group level or, where it has a barrier, in each item.
    pub(crate) trips: u8,
    pub(crate) loop_in_item: bool,
    /// Only the groups for which this holds run it.
    pub(crate) condition: Option<Ex>,
}

/// A device function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) params: Vec<Scalar>,
    /// Type of the elements of a pointer parameter.
    pub(crate) pointer: Option<Scalar>,
    pub(crate) result: Scalar,
    pub(crate) body: Vec<St>,
    pub(crate) value: Ex,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Ex {
    Int(i32),
    Float(u8),
    /// One of [`crate::text::EXTREMES`].
    Extreme(u8),
    Var(u8),
    ElementType(u8, Box<Ex>),
    Unary(u8, Box<Ex>),
    Binary(u8, Box<Ex>, Box<Ex>),
    Cast(Scalar, Box<Ex>),
    Select(Box<Ex>, Box<Ex>, Box<Ex>),
    Math(u8, Box<Ex>, Box<Ex>),
    Call(u8, Vec<Ex>),
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum St {
    Declare(Scalar, Ex),
    Array(Scalar, Vec<Ex>),
    Record(Vec<Ex>),
    CopyRecord(u8),
    Assign(u8, Ex),
    Update(u8, u8, Ex),
    Step(u8, u8),
    Store(u8, Ex, Ex),
    Atomic(u8, Ex, Ex),
    CallFor(u8, u8, Vec<Ex>),
    If(Ex, Vec<St>, Vec<St>),
    For(u8, u8, Vec<St>),
    While(u8, Vec<St>),
    DoWhile(u8, Vec<St>),
    Switch(Ex, Vec<(bool, Vec<St>)>),
    Break(Ex),
    Continue(Ex),
    Return(Ex),
}

fn scalar() -> impl Strategy<Value = Scalar> {
    use Scalar::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    prop_oneof![
        4 => Just(I32),
        4 => Just(F64),
        2 => Just(U32),
        2 => Just(I64),
        2 => Just(F32),
        1 => prop::sample::select(vec![Bool, I8, U8, I16, U16, U64, F16, BF16]),
    ]
}

fn expression() -> impl Strategy<Value = Ex> {
    let leaf = prop_oneof![
        (-20i32..300).prop_map(Ex::Int),
        any::<u8>().prop_map(Ex::Float),
        any::<u8>().prop_map(Ex::Extreme),
        any::<u8>().prop_map(Ex::Var),
        any::<u8>().prop_map(Ex::Var),
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            2 => (any::<u8>(), boxed()).prop_map(|(a, i)| Ex::ElementType(a, i)),
            1 => (any::<u8>(), boxed()).prop_map(|(op, a)| Ex::Unary(op, a)),
            5 => (any::<u8>(), boxed(), boxed()).prop_map(|(op, a, b)| Ex::Binary(op, a, b)),
            1 => (scalar(), boxed()).prop_map(|(ty, a)| Ex::Cast(ty, a)),
            1 => (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Ex::Select(c, a, b)),
            1 => (any::<u8>(), boxed(), boxed()).prop_map(|(f, a, b)| Ex::Math(f, a, b)),
            1 => (any::<u8>(), vec(inner.clone(), 1..3)).prop_map(|(f, args)| Ex::Call(f, args)),
        ]
    })
}

fn statement() -> impl Strategy<Value = St> {
    let e = expression;
    let leaf = prop_oneof![
        3 => (scalar(), e()).prop_map(|(ty, v)| St::Declare(ty, v)),
        1 => (scalar(), vec(e(), 1..5)).prop_map(|(ty, v)| St::Array(ty, v)),
        1 => vec(e(), 1..5).prop_map(St::Record),
        1 => any::<u8>().prop_map(St::CopyRecord),
        2 => (any::<u8>(), e()).prop_map(|(v, x)| St::Assign(v, x)),
        2 => (any::<u8>(), any::<u8>(), e()).prop_map(|(v, op, x)| St::Update(v, op, x)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(v, how)| St::Step(v, how)),
        4 => (any::<u8>(), e(), e()).prop_map(|(a, i, v)| St::Store(a, i, v)),
        1 => (any::<u8>(), e(), e()).prop_map(|(a, i, v)| St::Atomic(a, i, v)),
        1 => (any::<u8>(), any::<u8>(), vec(e(), 1..3)).prop_map(|(f, a, v)| St::CallFor(f, a, v)),
        1 => e().prop_map(St::Break),
        1 => e().prop_map(St::Continue),
        1 => e().prop_map(St::Return),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let block = || vec(inner.clone(), 0..4);
        prop_oneof![
            3 => (expression(), block(), block()).prop_map(|(c, a, b)| St::If(c, a, b)),
            2 => (any::<u8>(), any::<u8>(), block()).prop_map(|(n, form, b)| St::For(n, form, b)),
            1 => (any::<u8>(), block()).prop_map(|(n, b)| St::While(n, b)),
            1 => (any::<u8>(), block()).prop_map(|(n, b)| St::DoWhile(n, b)),
            1 => (expression(), vec((any::<bool>(), block()), 1..4)).prop_map(|(v, arms)| St::Switch(v, arms)),
        ]
    })
}

fn function() -> impl Strategy<Value = Function> {
    (vec(scalar(), 1..3), prop::option::of(scalar()), scalar(), vec(statement(), 0..3), expression())
        .prop_map(|(params, pointer, result, body, value)| Function { params, pointer, result, body, value })
}

fn region() -> impl Strategy<Value = Region> {
    let barrier = prop_oneof![2 => Just(Vec::new()).boxed(), 1 => vec(statement(), 1..4).boxed()];
    let condition = prop_oneof![3 => Just(None).boxed(), 1 => expression().prop_map(Some).boxed()];
    (vec(statement(), 1..6), barrier, 0u8..4, any::<bool>(), condition).prop_map(
        |(body, after_barrier, trips, loop_in_item, condition)| Region {
            body,
            after_barrier,
            trips,
            loop_in_item,
            condition,
        },
    )
}

/// A random kernel.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    let fields = [scalar(), scalar(), scalar()];
    let types = (vec(scalar(), 1..4), vec(scalar(), 1..3), vec(scalar(), 1..4), [scalar(), scalar()], fields);
    let parts = (vec(function(), 0..3), vec((scalar(), any::<bool>()), 0..3), vec(expression(), 0..3));
    (types, parts, any::<u8>(), vec(region(), 1..4), any::<u32>()).prop_map(
        |((scalars, inputs, outputs, shared, fields), (functions, exclusive, group), shape, regions, seed)| Program {
            functions,
            scalars,
            inputs,
            outputs,
            exclusive,
            shared,
            fields,
            shape,
            group,
            regions,
            seed,
        },
    )
}
