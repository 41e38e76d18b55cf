//! The typed, structured form of a kernel that every later stage works on.
//!
//! # Rules (made by [`crate::lower`], kept by [`crate::passes`], relied on by [`crate::back`] and [`crate::interp`])
//! 1. **Structured.** No gotos, no labels; [`StmtKind::Loop`] with a head, a test and an update covers
//!    `for`, `while` and `do`. `continue` runs the update, `break` leaves the nearest loop or switch.
//! 2. **Expressions are pure.** `++`, assignments, atomics and calls that write are hoisted into statements;
//!    temporaries take their results. [`BinaryOp::LogicAnd`], [`BinaryOp::LogicOr`] and [`ExprKind::Select`]
//!    evaluate lazily, as in C, because a guarded load must not run when its guard is false.
//! 3. **Typed.** C's promotions are explicit casts (`implicit: true`), so both operands of an arithmetic or
//!    comparison operator have the operator's operand type; shifts alone keep each side's own. Comparisons,
//!    `!`, `&&`, `||` and the `is…` functions yield [`Scalar::Bool`]; conditions are `Bool`. No cast leads to the type
//!    that is there already. Subscripts and element offsets have any promoted integer type (`I32`, `U32`, `I64`, `U64`).
//! 4. **A pointer is (root, element offset).** A root is a pointer parameter, or a shared, exclusive, local or
//!    constant array or variable. No variable has a pointer type except a parameter: a local `p = q + 5` became
//!    an `I64` offset variable and the root `q` at every use; so did a parameter that is moved.
//! 5. **Kernel shape.** [`Kernel::host`] runs on the host, reads scalar parameters and host variables only, and
//!    launches [`Nest`]s. A nest's body runs once per group. In it, statements outside [`StmtKind::Inner`] are
//!    *group level*: they depend on nothing that varies within the group, and write nothing but the group's own
//!    locals. [`StmtKind::Inner`] is a *region*: its body runs once per item, and does not write the group's locals.
//!    There is no region within a region. An item is the position along the inner axes (0, 1, … on each, whatever the
//!    index variables' values): an exclusive variable belongs to a position, in regions of any size.
//! 6. **Barriers.** Every region ends with an implied barrier: what one region writes to shared or global memory
//!    the next one of the same group sees. Behind one of [`Meeting::Exchange`] that holds for [`Role::Exchange`] alone:
//!    elsewhere nothing may count on it, and a target that needs no memory for these has no barrier there. Behind one of
//!    [`Meeting::Shared`], which core makes alone, it holds for shared memory. An explicit `@barrier` inside an inner loop has split its region in two
//!    (variables that live across became exclusive, or are computed again); none is left inside a region's body.
//! 7. **Leaving.** In a region, [`StmtKind::EndItem`] ends the item's part of *this* region (`continue` of an inner
//!    loop); [`StmtKind::Return`] ends the item for *all later regions* too. In a function `Return` returns. Group
//!    level has neither.
//! 8. Variables belong to one [`Body`], declared once ([`StmtKind::Declare`]) before use in an enclosing block.
//!    Shared, exclusive, parameters, axis and host variables are declared by their [`Role`], not by a statement.
//!    Regions that were split from one inner loop share its index variables.
//!    All of this is the dialect [`Dialect::Lowered`]. A [`Dialect::Looped`] nest has no regions and no levels: its
//!    statements run the groups from [`Builtin::RangeBegin`] up to [`Builtin::RangeEnd`], with a loop for each axis.
//!    Axes are declared there by statements, and so is what became of the group's shared and exclusive variables
//!    ([`Role::Expanded`]). What is declared is not visible there yet: a loop that was cut into pieces
//!    declares its variables in each. The variable of a loop is const in its body, and counted on by its update alone.
//!    A loop whose variable is a [`Role::Outer`] or [`Role::Inner`] runs groups or items, which do not depend on each other.
//!    What the regions said of the size of a group stands in [`Nest::launch`].
//!    A [`Dialect::Simt`] nest is what one thread of a group runs. Its levels are as above, but axes are declared by
//!    statements, from [`Builtin::Group`] at group level and from [`Builtin::Item`] in regions, which have no axes; a region
//!    that is smaller than the group is a branch that asks whether there is an item. Nothing waits by itself: behind each
//!    region that something of the nest follows stands a [`StmtKind::Barrier`], and nowhere in a region; behind one of
//!    [`Meeting::Exchange`] it is missing where subgroups exchange registers.
//!    [`Nest::coarsened`] is the same for two groups: straight code, in regions' rules.
//!    Where a target has no pointers, functions have no pointer parameters: what they would be given stands at module scope
//!    ([`Root`]), and variables of [`Role::Root`] stand for it. A root of a slice of storage begins at [`Builtin::Start`].
//! 9. **Names are hints.** [`Variable::name`] and the names of functions, structs, fields, constants and kernels are what
//!    the user wrote, or what a pass thinks a reader would call its work. They need not differ from each other nor be
//!    legal anywhere: ids tell things apart. [`crate::back`] makes spellings when it prints (`back::namer`), as a table
//!    beside the module, and nothing decides by a name. What the user calls by name keeps it: kernels and their parameters.

mod address_space;
pub(crate) mod affine;
pub mod build;
pub(crate) mod constants;
mod expr;
mod launch_shape;
mod layout;
mod line;
mod module;
mod pass;
mod places;
mod print;
pub mod rewrite;
mod scalar;
mod text;
mod types;
mod uses;
pub mod value;
mod verify;
mod walk;

pub use address_space::AddressSpace;
pub use expr::{Argument, BinaryOp, Builtin, Expr, ExprKind, Literal, MathFn, Place, Projection, UnaryOp};
pub use launch_shape::{LaunchShape, Scratch};
pub use layout::{StackBytes, bytes_of};
pub use line::{Line, Lines};
pub use pass::{Pass, run_passes};
pub use places::Places;
pub(crate) use places::{divisor_of, may_overflow};
pub(crate) use print::pieces;
pub use print::{Conversion, MOST_ARGUMENTS, MOST_CHARACTERS, Piece, Print, first_print, prints};
pub use scalar::Scalar;
pub use text::{ParseError, dump, dump_lines, parse};
pub(crate) use types::MAX_ELEMENTS;
pub use types::{Field, Pointer, Struct, StructId, Type};
pub use uses::Uses;
pub use verify::verify;
pub(crate) use walk::is_straight;
pub use walk::{Visitor, ends_item, for_declarations, for_regions, walk_expr, walk_place, walk_stmt};

use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Levels that an expression of a host part may have: what it assigns, the counts of axes, sizes. Signatures keep them as
/// trees, which travel through files; a source's own expressions have fewer (`front::parse::MAX_EXPRESSION_HEIGHT`).
pub const MAX_LAUNCH_LEVELS: u32 = 1000;

/// Index into [`Body::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// Index into [`Module::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConstantId(pub u32);

/// Everything one source file defines for one mode.
#[derive(Default, Serialize, Deserialize)]
pub struct Module {
    /// Structs, each before its first use.
    pub structs: Vec<Struct>,
    /// File-scope constant tables.
    pub constants: Vec<Constant>,
    /// Memory at module scope, which variables of several functions may stand for; none before pointers are specialised.
    pub roots: Vec<Root>,
    /// Device functions that kernels reach, callees first; recursion is refused before.
    pub functions: Vec<Function>,
    /// Kernels in source order.
    pub kernels: Vec<Kernel>,
}

/// Index into [`Module::roots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RootId(pub u32);

/// Where a root lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootSpace {
    /// A buffer: the kernel's parameter at this position.
    Storage(u32),
    /// One per group.
    Workgroup,
    /// One per item.
    Private,
}

/// A piece of memory at module scope: what functions are told by name where they are given no pointers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// What its variable is called: a hint.
    pub name: String,
    /// Where it lives.
    pub space: RootSpace,
    /// A scalar or struct; of an array its element.
    pub element: Type,
    /// Number of elements; absent for one variable and for storage.
    pub len: Option<u64>,
    /// Some statement writes it.
    pub written: bool,
    /// Some statement updates it atomically.
    pub atomic: bool,
    /// Its declaration.
    pub span: Span,
}

/// A file-scope constant: `const double weights[3] = {…};`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type, an array or a scalar.
    pub ty: Type,
    /// One value per scalar element, in memory order.
    pub values: Vec<Literal>,
    /// Its declaration.
    pub span: Span,
}

/// The variables of a function or kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Addressed by [`VarId`].
    pub vars: Vec<Variable>,
    /// Those that the compiler made: where one is called like a variable of the source, its spelling is another one.
    pub generated: BTreeSet<VarId>,
}

impl Body {
    /// The variable behind an id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    /// Adds a variable.
    pub fn add(&mut self, variable: Variable) -> VarId {
        self.vars.push(variable);
        VarId(self.vars.len() as u32 - 1)
    }

    /// Adds a variable of the compiler's own.
    pub fn add_generated(&mut self, variable: Variable) -> VarId {
        let var = self.add(variable);
        self.generated.insert(var);
        var
    }
}

/// A named value or piece of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// As the user wrote it: a hint for readers, see rule 9.
    pub name: String,
    /// [`Type::Pointer`] only for parameters.
    pub ty: Type,
    /// What it is.
    pub role: Role,
    /// Written once, at its declaration (`const` or never assigned again).
    pub is_const: bool,
    /// Its declaration.
    pub span: Span,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Parameter number `n` of the kernel or function.
    Param(u32),
    /// Declared in the host part of a kernel.
    Host,
    /// Index variable of an outer axis; in loops also another that counts groups, or all items of them.
    Outer(u8),
    /// Index variable of an inner axis; in loops also another that counts items.
    Inner(u8),
    /// Declared at group level or in a region, or in a function.
    Local,
    /// One per group.
    Shared,
    /// One per group too: what items of subgroups of so many lanes give each other. Of an array `[subgroup][lane]` each lane
    /// writes its own element; of one `[subgroup]` the bits of its lanes are set atomically. Nothing else uses it, so that
    /// threads that can see each other's registers need no memory for it: see [`Meeting::Exchange`].
    Exchange(u8),
    /// One per item, kept from region to region.
    Exclusive,
    /// In loops: what the group has of its own, a shared variable, or an exclusive one as an array with an element per item.
    Expanded,
    /// In loops: what stands around them, the number of items of a group and pointers to memory with elements for each
    /// item, which is sized at launch.
    Entry,
    /// The value of a file-scope constant.
    Constant(ConstantId),
    /// A piece of memory at module scope.
    Root(RootId),
}

impl Role {
    /// Whether a group has one of it, which all of its items see.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Shared | Self::Exchange(_))
    }

    /// Whether it is the variable of an axis; in loops: one that counts groups or items.
    pub fn is_index(self) -> bool {
        matches!(self, Self::Outer(_) | Self::Inner(_))
    }
}

/// A device function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// `Void`, a scalar or a struct.
    pub result: Type,
    /// Parameters in order, all with [`Role::Param`].
    pub params: Vec<VarId>,
    /// Its variables.
    pub body: Body,
    /// Its statements.
    pub stmts: Vec<Stmt>,
    /// Prints nothing and writes no memory, but where it `reports`: it may stand in an [`ExprKind::Call`].
    pub is_pure: bool,
    /// Writes the record of faults, which no kernel reads: see [`Kernel::faults`].
    pub reports: bool,
    /// The head.
    pub span: Span,
}

/// A `@kernel`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Parameters in order, all with [`Role::Param`].
    pub params: Vec<VarId>,
    /// Variables of the host part and of all nests.
    pub body: Body,
    /// The host part.
    pub host: Vec<HostStmt>,
    /// Addressed by [`HostStmt::Launch`].
    pub nests: Vec<Nest>,
    /// `@max_inner_dims(x, y, z)`.
    pub max_inner_dims: Option<[u32; 3]>,
    /// Dimensions of `@shared` arrays that a launch decides. The IR is that of certain ones, as if they were constants.
    pub sizes: Vec<LaunchSize>,
    /// The last parameter is not the user's: it points to the record of faults, which checks of accesses write.
    pub faults: bool,
    /// The head.
    pub span: Span,
}

/// A dimension of an array that the arguments of a launch decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchSize {
    /// The array, as it is called: a hint.
    pub array: String,
    /// What it is at a launch, as an `I64` expression of scalar parameters.
    pub value: Expr,
    /// What it is in this IR.
    pub built: u32,
}

impl Kernel {
    /// Words of the record of faults.
    pub const FAULT_WORDS: usize = 12;

    /// Word of the record at which the lines begin that device kernels leave which cannot print. Two before them count words
    /// and lines (`passes::check_accesses`).
    pub const FIRST_LINE: usize = 16;

    /// Words of lines for which the record of such a kernel has room: a MiB.
    pub const LINE_WORDS: usize = 1 << 18;

    /// Stands for the number of a place in the record where the driver has ended an item's loops.
    pub const ENDED_LOOPS: u32 = u32::MAX;

    /// The parameters that a caller passes.
    pub fn own_params(&self) -> &[VarId] {
        &self.params[..self.params.len() - usize::from(self.faults)]
    }

    /// What a nest is given at launch: the parameters that it mentions, or whose start it asks for, then the host
    /// variables, each in order.
    pub fn captures(&self, nest: &Nest) -> Vec<VarId> {
        let uses = Uses::of(&nest.stmts);
        let starts = |position: u32| uses.builtins.contains(&Builtin::Start(position));
        let params = self.params.iter().copied().zip(0..);
        let params = params.filter(|&(var, position)| uses.mentioned.contains(&var) || starts(position)).map(|of| of.0);
        params.chain(self.host_variables().filter(|var| uses.mentioned.contains(var))).collect()
    }

    /// The variables of the host part in order: a signature's slots.
    pub fn host_variables(&self) -> impl Iterator<Item = VarId> {
        let vars = (0..self.body.vars.len() as u32).map(VarId);
        vars.filter(|&var| self.body.var(var).role == Role::Host)
    }
}

/// A statement of a kernel's host part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the variant's line names its fields
pub enum HostStmt {
    /// `var = value`
    Set { var: VarId, value: Expr },
    /// `if`
    If { condition: Expr, then: Vec<HostStmt>, otherwise: Vec<HostStmt> },
    /// `for`/`while` around nests: `while (condition) { body; update }`.
    Loop { condition: Expr, body: Vec<HostStmt>, update: Vec<HostStmt> },
    /// Runs nest `n`.
    Launch(u32),
    /// Ends the kernel.
    Return,
}

/// How far a nest is from what runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// Groups and items stand as axes and regions: what [`crate::lower`] makes.
    #[default]
    Lowered,
    /// Loops run the groups and items: what `passes::loops` makes.
    Looped,
    /// Threads run the items of a group: what `passes::simt` makes.
    Simt,
}

/// One group of `@outer` loops: a device kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nest {
    /// Outer axes, `[0]` fastest; `None` where the kernel has no such axis.
    pub outer: [Option<Axis>; 3],
    /// Run once per group.
    pub stmts: Vec<Stmt>,
    /// Exclusive variables, in order of declaration.
    pub exclusive: Vec<VarId>,
    /// Shared variables, in order of declaration, [`Role::Exchange`] among them.
    pub shared: Vec<VarId>,
    /// Which rules its statements keep.
    pub dialect: Dialect,
    /// What its regions said, once they are gone: ask [`LaunchShape::of`].
    pub launch: Option<LaunchShape>,
    /// Threads: what one does for an item of this group and of the next one.
    pub coarsened: Option<Coarsened>,
    /// The outermost `@outer` loop's head.
    pub span: Span,
}

/// What a thread does for the same item of two groups, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coarsened {
    /// The indices of both, and what is computed from them alone; each variable of the second item is another one.
    pub head: Vec<Stmt>,
    /// There is a second group ([`Builtin::NextGroup`]), and both items have something to do. Where it does not hold,
    /// [`Nest::stmts`] run for each group that there is.
    pub condition: Expr,
    /// What both do: what one reads before what either writes.
    pub stmts: Vec<Stmt>,
}

impl Coarsened {
    /// Everything that is declared for both items.
    pub fn all(&self) -> Vec<Stmt> {
        [self.head.as_slice(), &self.stmts].concat()
    }
}

/// A parallel loop: `count` values, the `k`-th is `start + k·step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The index variable, with its declared integer type.
    pub var: VarId,
    /// First value, of the index's type. Outer: host-evaluable. Inner: may read group-level variables (outer indices).
    pub start: Expr,
    /// Difference of neighbours, nonzero, negative for loops that count down; `I32` or `I64`, host-evaluable.
    pub step: Expr,
    /// Number of values as an `I64` expression, host-evaluable (scalar parameters, host variables, constants);
    /// a value below zero counts as zero.
    pub count: Expr,
    /// The loop's head.
    pub span: Span,
}

/// The `@inner` loops of one region and what runs per item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Inner axes, `[0]` fastest; of threads none.
    pub axes: [Option<Axis>; 3],
    /// Per item.
    pub body: Vec<Stmt>,
    /// How the items meet behind it.
    #[serde(default)]
    pub meeting: Meeting,
}

/// How the items of a group meet behind a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meeting {
    /// They wait for each other, and see what each other wrote.
    #[default]
    Barrier,
    /// They wait for each other, and see what each other wrote to shared memory. Other memory is not ordered: whoever made the
    /// nest vouches that nothing of it which an item has written is touched by another one behind this.
    Shared,
    /// They exchange values within subgroups: where that takes memory ([`Role::Exchange`]), they wait for each other for its
    /// sake. Other memory is not ordered.
    Exchange,
}

/// A statement of a nest or a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the variant's line names its fields
pub enum StmtKind {
    /// Declares a [`Role::Local`] variable, with its value where there is one.
    Declare { var: VarId, init: Option<Initializer> },
    /// `place = value`, or `place op= value` where `op` is given (operands have the place's type, which the
    /// language's promotions allow only when nothing changes; else it is spelled out as `place = place op value`).
    Assign { place: Place, op: Option<BinaryOp>, value: Expr },
    /// An atomic update; `result` takes the old value. [`AtomicOp::CompareExchange`] alone has `expected`, of the place's
    /// type: the update happens where the place holds its bits.
    Atomic { place: Place, op: AtomicOp, value: Expr, expected: Option<Expr>, result: Option<VarId> },
    /// A call for its effects; `result` is a declared variable.
    Call { function: FunctionId, arguments: Vec<Argument>, result: Option<VarId> },
    /// `printf`, of an item: its lines stay in their order, and each is printed once.
    Print(Box<Print>),
    /// A wish that the memory of a place be read into the caches, of a processor: `for_write` where it will be written, and
    /// how long it is needed, 0 to 3. The place may lie outside of its array, and is no access.
    Prefetch { place: Place, for_write: bool, locality: u8 },
    /// `if`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// Any sequential loop.
    Loop(Box<Loop>),
    /// `switch`; falling through is legal where an arm says so.
    Switch { value: Expr, arms: Vec<Arm> },
    /// Leaves the nearest loop or switch.
    Break,
    /// Next iteration of the nearest loop.
    Continue,
    /// Function: returns. Region: ends the item for this and all later regions of the nest.
    Return(Option<Expr>),
    /// Region only: ends the item for this region.
    EndItem,
    /// A scope.
    Block(Vec<Stmt>),
    /// The inner loops; group level only.
    Inner(Box<Region>),
    /// Threads: all of a group wait for each other, and see what each other wrote; group level only.
    Barrier,
    /// Only while [`crate::lower`] is at work: no finished IR has one.
    Mark(Mark),
}

/// What lowering has met and not yet given its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mark {
    /// In the host part: the launch of nest `n`.
    Launch(u32),
    /// In a region: a `@barrier` that will cut it, or an exchange of values that takes one.
    Barrier(Meeting),
    /// First in a block: what follows is the body of the parallel loop with this number, which may be smaller than its axis.
    Extent(u32),
    /// First in a block between two nested `@inner` loops: what follows writes memory, and one item of those that the inner
    /// loop makes does it. The number is that of the parallel loops that are open there.
    Row(u32),
    /// At group level: values of `@exclusive` variables, which each item sets for itself in a region to come.
    ExclusiveValues(Vec<Stmt>),
}

/// An initialiser of a local variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Initializer {
    /// A scalar's or struct's value.
    Value(Expr),
    /// An array's or struct's scalar elements in memory order; missing ones are zero.
    List(Vec<Expr>),
}

/// `init; for (;;) { head; if (!condition) break; body; update }`, or with the test after the body for `do`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// Runs once, its declarations are visible in the whole loop.
    pub init: Vec<Stmt>,
    /// Side effects of the condition, before each test, which sees their declarations; so does the body unless
    /// `test_last`.
    pub head: Vec<Stmt>,
    /// `None`: for ever.
    pub condition: Option<Expr>,
    /// After each iteration and each `continue`.
    pub update: Vec<Stmt>,
    /// What is repeated.
    pub body: Vec<Stmt>,
    /// `do … while`: the first iteration runs untested.
    pub test_last: bool,
    /// How often the source asks to unroll it; 0: as far as it goes. No result depends on it.
    #[serde(default)]
    pub unroll: Option<u32>,
}

impl Loop {
    /// The variable that it declares in its head.
    pub fn variable(&self) -> Option<VarId> {
        match self.init.first().map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare { var, .. }) => Some(*var),
            _ => None,
        }
    }

    /// Whether it runs groups or items.
    pub fn is_parallel(&self, body: &Body) -> bool {
        let variable = self.variable().and_then(|var| body.vars.get(var.0 as usize));
        variable.is_some_and(|variable| variable.role.is_index())
    }
}

/// `case a: case b: …`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Values of the switch's type; empty with `is_default` alone.
    pub values: Vec<Literal>,
    /// Also the `default`.
    pub is_default: bool,
    /// Statements, without the closing `break`.
    pub body: Vec<Stmt>,
    /// Runs on into the next arm.
    pub falls_through: bool,
}

/// Atomic updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    And,
    Or,
    Xor,
    /// Plain `@atomic x = v`.
    Exchange,
    /// `atomic_cas`
    CompareExchange,
}
