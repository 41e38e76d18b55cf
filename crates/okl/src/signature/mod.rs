//! What a launch needs to know about a built kernel: its parameters, its host part and its device kernels.
//! It travels with the artifact (serde), so that a kernel loaded from the cache needs no compiler front end.

pub mod bounds;
mod evaluate;
mod hints;
mod host;
mod tree;

pub use evaluate::{HostError, HostParams, HostPart, NestLaunch, evaluate};
pub use hints::Hints;
pub use host::Slots;
pub use tree::HostOps;

use crate::ir::{BinaryOp, Kernel, Line, Literal, MathFn, Scalar, UnaryOp};
use serde::{Deserialize, Serialize};

/// A kernel as its caller sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the `@kernel`.
    pub kernel: String,
    /// Parameters in order.
    pub params: Vec<Parameter>,
    /// Types of the host variables; a slot is addressed by its index.
    pub slots: Vec<Scalar>,
    /// Dimensions of `@shared` arrays that a launch decides.
    pub sizes: Vec<SharedSize>,
    /// The host part.
    pub host: Vec<HostOp>,
    /// Device kernels, addressed by [`HostOp::Launch`].
    pub nests: Vec<NestSignature>,
    /// Behind `params`, device kernels take one more: memory of [`Self::FAULT_WORDS`] `unsigned int` for the record of an
    /// access out of range or a division without a result, zero at first: 1 after a fault, the number of the place, and the
    /// index and length with the low half first. A parameter without elements has then to lead to zeros that an element can be read from.
    pub faults: bool,
    /// Its items print: whoever queues it sees to it that what the program has printed before stands before that.
    #[serde(default)]
    pub prints: bool,
    /// What device kernels check, by the number of the place.
    pub checked: Vec<Check>,
    /// What device kernels leave to be printed, by the number of the line, where their text cannot print: the record then has
    /// room for it ([`Self::record_words`], [`Line`]).
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Where what the host computes stands in the source.
    pub places: HostPlaces,
}

/// Where the parts of a host part stand in the source: `file.okl:3:14`, or nothing where that is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostPlaces {
    /// Host variables, by slot.
    pub slots: Vec<String>,
    /// The loops of each nest along axes 0, 1, 2; of `@inner` loops the first ones.
    pub loops: Vec<NestPlaces>,
}

/// Where the loops of a nest stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NestPlaces {
    /// `@outer` loops.
    pub outer: [String; 3],
    /// `@inner` loops.
    pub inner: [String; 3],
}

impl HostPlaces {
    /// Where a part stands.
    pub fn of(&self, part: HostPart) -> Option<&str> {
        let of_nest = |nest: u32| self.loops.get(nest as usize);
        let place = match part {
            HostPart::Slot(slot) => self.slots.get(slot as usize),
            HostPart::Outer { nest, axis } => of_nest(nest).and_then(|nest| nest.outer.get(usize::from(axis))),
            HostPart::Inner { nest, axis } => of_nest(nest).and_then(|nest| nest.inner.get(usize::from(axis))),
            HostPart::Condition | HostPart::SharedSize => None,
        };
        place.map(String::as_str).filter(|place| !place.is_empty())
    }
}

/// What a device kernel checks at a place of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Check {
    /// That an index lies within its memory.
    Index(bounds::Access),
    /// That integers of a type have a quotient. In the record of a fault the divisor stands for the index: 0, or -1 where the
    /// least integer was divided by that.
    Division(bounds::Access, Scalar),
}

/// What the parameter for the record of faults is.
static FAULTS: ParameterKind =
    ParameterKind::Pointer { element: ElementType::Scalar(Scalar::U32), mutable: true, restrict: false };

impl Signature {
    /// Words of the record of faults.
    pub const FAULT_WORDS: usize = Kernel::FAULT_WORDS;

    /// Words of the record that device kernels take: of faults, and of lines where they leave some.
    pub fn record_words(&self) -> usize {
        match (self.faults, self.lines.is_empty()) {
            (false, _) => 0,
            (true, true) => Self::FAULT_WORDS,
            (true, false) => Kernel::FIRST_LINE + Kernel::LINE_WORDS,
        }
    }

    /// Stands for the number of a place in the record where the driver has ended an item's loops.
    pub const ENDED_LOOPS: u32 = Kernel::ENDED_LOOPS;

    /// The type of the parameter at a position, be it the one for faults.
    pub fn kind(&self, position: u32) -> &ParameterKind {
        self.params.get(position as usize).map_or(&FAULTS, |parameter| &parameter.kind)
    }

    /// Parameters of device kernels, with the one for faults.
    pub fn device_params(&self) -> usize {
        self.params.len() + usize::from(self.faults)
    }

    /// The same without the places of accesses in the source, which decide nothing.
    #[must_use]
    pub fn without_places(&self) -> Self {
        let mut signature = Self { places: HostPlaces::default(), ..self.clone() };
        for nest in &mut signature.nests {
            let requirements = nest.bounds.requirements.iter_mut().flat_map(|requirement| &mut requirement.accesses);
            requirements.chain(&mut nest.bounds.unproven).for_each(|access| access.at.clear());
            let divisors = |of: &&mut bounds::Requirement| matches!(of.within, bounds::Within::Divisor { .. });
            let divisors = nest.bounds.requirements.iter_mut().filter(divisors).flat_map(|of| &mut of.accesses);
            divisors.chain(&mut nest.bounds.unproven_divisions).for_each(bounds::Access::clear);
        }
        for check in &mut signature.checked {
            match check {
                Check::Index(access) => access.at.clear(),
                Check::Division(division, _) => division.clear(),
            }
        }
        signature
    }
}

/// A dimension of a `@shared` array that the arguments of a launch decide. A kernel is built for certain ones: a launch with
/// others is one of the same kernel built for those.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedSize {
    /// What the array is called.
    pub array: String,
    /// What it is at a launch: an expression of scalar parameters.
    pub value: HostExpr,
    /// What the kernel is built for.
    pub built: u32,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ParameterKind,
}

/// The type of a kernel parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParameterKind {
    /// A number, passed by value.
    Scalar(Scalar),
    /// A struct, passed by value.
    Struct(StructLayout),
    /// Device memory.
    Pointer {
        /// What it points to.
        element: ElementType,
        /// Without `const`: the kernel may write.
        mutable: bool,
        /// Overlap with any other pointer argument is refused (when either may be written).
        restrict: bool,
    },
}

/// What a pointer parameter points to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ElementType {
    /// A number.
    Scalar(Scalar),
    /// A struct.
    Struct(StructLayout),
}

impl ElementType {
    /// Size of one element in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Scalar(s) => s.bytes(),
            Self::Struct(layout) => layout.bytes,
        }
    }
}

/// A struct, flattened to its scalar fields so that it can be compared with a caller's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructLayout {
    /// Its name.
    pub name: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// The type of the components, where it is a vector type.
    pub vector_of: Option<Scalar>,
    /// `(path, type, offset in bytes)` of every scalar: `position.x`, `weights[2]` …
    pub fields: Vec<(String, Scalar, usize)>,
}

/// One step of the host part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HostOp {
    /// `slot = value`
    Set(u32, HostExpr),
    /// `if`
    If(HostExpr, HostOps, HostOps),
    /// `while (condition) { body }`; the update is appended to the body.
    Loop(HostExpr, HostOps),
    /// Launches nest `n`.
    Launch(u32),
    /// Ends the kernel.
    Return,
}

/// A typed expression over scalar parameters and slots.
pub struct HostExpr {
    /// Type of its value.
    pub ty: Scalar,
    /// What it is.
    pub kind: HostExprKind,
}

/// The kinds of host expressions, as in the IR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum HostExprKind {
    Literal(Literal),
    /// Scalar parameter by position.
    Param(u32),
    /// Host variable.
    Slot(u32),
    /// Elements of the memory passed for the pointer parameter at a position, or the most that the type holds.
    Length(u32),
    /// The least element of the memory passed for the pointer parameter at a position, which is constant.
    Lowest(u32),
    /// The greatest one.
    Highest(u32),
    Unary(UnaryOp, Box<HostExpr>),
    Binary(BinaryOp, Box<HostExpr>, Box<HostExpr>),
    Cast(Box<HostExpr>),
    Select(Box<HostExpr>, Box<HostExpr>, Box<HostExpr>),
    Math(MathFn, Vec<HostExpr>),
}

/// One device kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NestSignature {
    /// Symbol in the artifact.
    pub entry: String,
    /// Number of groups along axes 0, 1, 2 (1 where there is none).
    pub outer: [HostExpr; 3],
    /// Number of items along axes 0, 1, 2: the maximum over the list, one entry per distinct region size.
    pub inner: [Vec<HostExpr>; 3],
    /// What the device kernel takes, in order.
    pub arguments: Vec<NestArgument>,
    /// Bytes of shared memory per group.
    pub shared_bytes: u64,
    /// `@max_inner_dims`.
    pub max_inner: Option<[u32; 3]>,
    /// What must hold for its accesses to lie within their memory.
    pub bounds: bounds::Bounds,
    /// A rough count of operations per item, for the choice of a launch path.
    pub cost: u32,
    /// What the target tells its backend; nobody else reads it.
    pub hints: Hints,
}

impl NestSignature {
    /// A device kernel that takes nothing and has one group of one item.
    pub fn new(entry: impl Into<String>) -> Self {
        let one = || HostExpr { ty: Scalar::I64, kind: HostExprKind::Literal(Literal::Int(1)) };
        Self {
            entry: entry.into(),
            outer: [one(), one(), one()],
            inner: [vec![one()], vec![one()], vec![one()]],
            arguments: Vec::new(),
            shared_bytes: 0,
            max_inner: None,
            bounds: bounds::Bounds::default(),
            cost: 1,
            hints: Hints::default(),
        }
    }
}

/// An argument of a device kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NestArgument {
    /// Kernel parameter by position.
    Param(u32),
    /// Host variable, passed by value.
    Slot(u32),
}
