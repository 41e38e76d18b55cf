//! What ends a run early, and how it is told to the kernel's author.

use crate::Diagnostic;
use crate::ir::value::{ScalarValue, Trap};
use crate::source::Span;
use std::fmt;

/// A run that has no defined result.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Where in the source.
    pub span: Span,
    /// The group and item that did it, as indices along axes 0, 1, 2; `None` at host or group level.
    pub item: Option<([u64; 3], [u64; 3])>,
    /// The arithmetic that has no result, with the values of its operands: `2147483647 + 1`.
    pub operation: Option<String>,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Arithmetic that C leaves undefined.
    Arithmetic(Trap),
    /// An operation whose operands are finite and whose result is not.
    NotFinite {
        /// Its result.
        value: f64,
    },
    /// An access outside of what a pointer or array covers.
    OutOfBounds {
        /// The variable through which it went.
        name: String,
        /// First byte of the access, counted from where the variable's memory starts.
        byte: i64,
        /// Bytes that there are.
        bytes: i64,
        /// Size of an element of the variable.
        element: i64,
    },
    /// A subscript outside of its own dimension.
    Dimension {
        /// The array.
        name: String,
        /// The subscript.
        index: i64,
        /// Size of the dimension.
        size: u32,
    },
    /// Memory or a variable is read before it was written.
    Uninitialised {
        /// The variable.
        name: String,
    },
    /// Two items touch one byte, at least one of them writes, and nothing orders them.
    Race {
        /// The variable of the later access.
        name: String,
        /// The element of it, where it has several.
        index: Option<i64>,
        /// Whether the later access writes.
        writes: bool,
        /// The earlier access.
        other: Span,
        /// Its group and item, in words.
        other_item: String,
        /// Whether it writes.
        other_writes: bool,
    },
    /// An access through a null pointer.
    Null {
        /// The pointer.
        name: String,
    },
    /// A statement of a region assigns a variable that the whole group has in common.
    GroupVariable {
        /// The variable.
        name: String,
    },
    /// A function ended without a value.
    NoValue {
        /// The function.
        name: String,
    },
    /// A launch asks for another size of an array than the one that the IR is for.
    SharedSize {
        /// The array.
        array: String,
        /// The size that the arguments ask for.
        asked: i128,
        /// The size that it has.
        built: u32,
    },
    /// More items than `@max_inner_dims` allows.
    InnerDims {
        /// The axis.
        axis: usize,
        /// Items along it.
        items: u64,
        /// Most that were announced.
        most: u32,
    },
    /// The run exceeds a limit: steps, nesting, or memory.
    Limit(String),
    /// Arguments that do not fit the kernel.
    Argument(String),
    /// The module breaks a rule of the IR: a fault of the compiler, not of the kernel.
    Invalid(&'static str),
}

impl Fault {
    /// A fault at `span`, boxed because it is rare and large.
    pub(super) fn new(kind: FaultKind, span: Span) -> Box<Self> {
        Box::new(Self { kind, span, item: None, operation: None })
    }

    /// As a finding that can be rendered with its source line.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut message = self.kind.to_string();
        if let Some(operation) = &self.operation {
            message.push_str(&format!(": {operation}"));
        }
        if let Some((group, item)) = self.item {
            message.push_str(&format!(" (group {group:?}, item {item:?})"));
        }
        let diagnostic = Diagnostic::fault(self.span, message);
        match &self.kind {
            FaultKind::Race { name, index, other, other_item, other_writes, .. } => {
                let verb = if *other_writes { "written" } else { "read" };
                let is_of_group =
                    self.item.is_some_and(|(group, _)| other_item.starts_with(&format!("group {group:?}")));
                let apart = match is_of_group {
                    true => "put a `@barrier` between the two accesses, or each in an `@inner` loop of its own",
                    false => "groups run in any order: put each access in an `@outer` loop of its own",
                };
                let element = element(name, *index);
                diagnostic
                    .label(*other, format!("{verb} here by {other_item}"))
                    .hint(format!("if the items add to `{element}`, write `@atomic` before each update; else {apart}"))
            }
            FaultKind::Uninitialised { .. } => diagnostic.hint(
                "give it a value first; what another item of the group writes is there behind a `@barrier`, or in the next \
                 `@inner` loop",
            ),
            FaultKind::GroupVariable { .. } => diagnostic.hint("declare it `@exclusive`, or within the inner loop"),
            _ => diagnostic,
        }
    }
}

/// `2147483647 + 1`, `(int)1e300`, `abs(-2147483648)`: what stands before one operand, or between two.
pub(crate) fn operation(symbol: &str, operands: &[ScalarValue]) -> String {
    match operands {
        [a, b] => format!("{a} {symbol} {b}"),
        [a] if symbol.ends_with(['-', 's']) => format!("{symbol}({a})"),
        [a] => format!("{symbol}{a}"),
        _ => symbol.to_owned(),
    }
}

/// `a[3]`, or a variable alone.
fn element(name: &str, index: Option<i64>) -> String {
    index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"))
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arithmetic(trap) => trap.fmt(f),
            Self::NotFinite { value } => write!(f, "finite values become {value} here"),
            Self::OutOfBounds { name, byte, bytes, element } => {
                let (index, len) = (byte.div_euclid(*element), bytes / element);
                write!(
                    f,
                    "`{name}[{index}]` is out of bounds: `{name}` has {len} element{}",
                    if len == 1 { "" } else { "s" }
                )
            }
            Self::Dimension { name, index, size } => {
                write!(f, "subscript {index} of `{name}` is outside of a dimension of {size}")
            }
            Self::Uninitialised { name } => write!(f, "`{name}` is read before it was written"),
            Self::Race { name, index, writes, other_item, .. } => {
                let (verb, element) = (if *writes { "write" } else { "read" }, element(name, *index));
                write!(f, "race: this {verb} of `{element}` is not ordered with an access by {other_item}")
            }
            Self::Null { name } => write!(f, "`{name}` is a null pointer"),
            Self::GroupVariable { name } => write!(f, "an item assigns `{name}`, which its whole group has in common"),
            Self::NoValue { name } => write!(f, "`{name}` ended without returning a value"),
            Self::SharedSize { array, asked, built } => {
                write!(f, "this launch asks for size {asked} of `{array}`, the kernel is built for {built}")
            }
            Self::InnerDims { axis, items, most } => {
                write!(f, "{items} items along axis {axis}, but `@max_inner_dims` allows {most}")
            }
            Self::Limit(what) => f.write_str(what),
            Self::Argument(message) => f.write_str(message),
            Self::Invalid(what) => write!(f, "the IR breaks its rules: {what}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Fault {}
