//! What must hold at a launch for the accesses of a nest to lie within their memory, and the proof of it.
//!
//! The iterations of a nest are described as in the polyhedral model. *Symbols* are integers that a launch knows: scalar
//! arguments, host variables, sizes of the grid, the least and the greatest element of constant memory, and products of them. *Variables* stand for what differs from item to
//! item: positions along axes, counts of loop iterations, quotients, values read from memory. Each is limited by affine
//! constraints over symbols and earlier variables, and so are the accesses below a guard. A launch knows the symbols, so
//! that constraints have plain numbers as factors. [`Bounds::check`] then eliminates the variables of an index, last one
//! first, by the constraints that limit it: what is left is a number that the index does not exceed.

mod check;
mod computed;
mod constants;
mod footprint;
mod footprint_text;
mod text;

pub use check::{Finding, Verdict};
pub use constants::WithConstants;
pub use footprint::{BoxSpan, Footprint, Span};

use super::HostExpr;
use crate::ir::Scalar;
use serde::{Deserialize, Serialize};

/// Terms that a sum may have: no index that a person writes has more.
const MOST_TERMS: usize = 64;

/// What must hold for the accesses of a nest to lie within their memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Integers that a launch knows.
    pub symbols: Vec<HostExpr>,
    /// What differs from item to item, each after those that its constraints mention.
    pub variables: Vec<Variable>,
    /// Conditions that hold where an access stands.
    pub guards: Vec<Guard>,
    /// What is to be proven.
    pub requirements: Vec<Requirement>,
    /// Accesses in all; those of device functions count at each call.
    pub accesses: u32,
    /// Accesses of which nothing can be proven before the launch runs.
    pub unproven: Vec<Access>,
    /// Divisions of integers of which nothing can be proven before the launch runs.
    pub unproven_divisions: Vec<Access>,
    /// What is proven besides where the launch is given constant memory, if anything is.
    pub with_constants: Option<WithConstants>,
    /// The variables that count the groups along axes 0, 1, 2; `None` where the nest has no such axis.
    pub groups: [Option<u32>; 3],
    /// Those that count the items of a group along axes 0, 1, 2.
    pub items: [Option<u32>; 3],
    /// What of memory an item reads and writes; `None` where nobody has looked, or too much would have to be.
    pub touched: Option<Vec<Touched>>,
}

/// `constant + Σ factor · symbol · variable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sum {
    /// What is added.
    pub constant: i64,
    /// Each symbol and variable together once, in order, with a factor that is not zero.
    pub terms: Vec<Term>,
}

/// `factor · symbol · variable`, where what is missing counts as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Term {
    /// Index into [`Bounds::variables`].
    pub variable: Option<u32>,
    /// Index into [`Bounds::symbols`].
    pub symbol: Option<u32>,
    /// The number.
    pub factor: i64,
}

/// An integer that differs from item to item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Sums that are at least zero, over symbols, this variable and earlier ones.
    pub constraints: Vec<Sum>,
    /// What else is known.
    pub is: Is,
}

/// What a variable stands for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Is {
    /// Each integer that the constraints allow occurs.
    #[default]
    Any,
    /// Some integers that the constraints allow: what memory holds, what a function answers.
    Some,
    /// No less than the least and no more than the greatest of these.
    Between(Vec<Alternative>),
    /// One of these, each where its guard holds.
    OneOf(Vec<Alternative>),
    /// An integer quotient by a divisor that the launch knows: rounded down, or towards zero as in C.
    Quotient {
        /// What is divided.
        dividend: Sum,
        /// By what: symbols and a constant.
        divisor: Sum,
        /// Rounded down.
        floor: bool,
    },
    /// The result of an operation on two numbers of which only the ranges count.
    Of(RangeOp, Sum, Sum),
    /// The sum where it lies in the range of the type, else some number of the type: arithmetic that may well wrap.
    Wrapped(Sum, Scalar),
}

/// An operation on ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RangeOp {
    /// Product.
    Mul,
    /// Quotient, towards zero.
    Div,
    /// Remainder of C: it has the sign of the dividend.
    Rem,
    /// `&`, `|` or `^` of numbers that are not negative.
    Bits,
}

/// A value under a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The value.
    pub value: Sum,
    /// Where it is the one.
    pub guard: Option<u32>,
}

/// A condition that holds where an access stands, besides those of its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// Index into [`Bounds::guards`].
    pub parent: Option<u32>,
    /// What holds; `None`: something that no sum says.
    pub condition: Option<Condition>,
    /// The condition says everything: where it holds, the access happens.
    pub exact: bool,
}

/// What a guard says of a sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Condition {
    /// It is at least zero.
    NotNegative(Sum),
    /// It is not zero.
    NotZero(Sum),
}

/// What is done to an element of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It may be read and written: `+=`, an atomic.
    Update,
}

/// Elements of the memory passed for a parameter that an item reads or writes where a guard holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// Position of the parameter.
    pub param: u32,
    /// What is done to them.
    pub kind: AccessKind,
    /// The index without its constant; `None`: any element.
    pub index: Option<Sum>,
    /// The constants, in order; of very many the least and the greatest, which stand for all between them.
    pub constants: Vec<i64>,
    /// Where: index into [`Bounds::guards`].
    pub guard: Option<u32>,
}

/// That an index lies within a range, or that a divisor does, for all values of its variables. Several accesses may share one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// The index without its constant.
    pub index: Sum,
    /// Least and greatest constant of all accesses that share the requirement.
    pub constants: [i64; 2],
    /// Where: index into [`Bounds::guards`].
    pub guard: Option<u32>,
    /// The range.
    pub within: Within,
    /// The accesses with the least and the greatest constant.
    pub accesses: [Access; 2],
}

/// A range: of indices it begins at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Within {
    /// The elements of the memory passed for a parameter.
    Memory(u32),
    /// The elements of an array.
    Array(u64),
    /// The values of a type: arithmetic does not wrap.
    Type(Scalar),
    /// Divisors: not 0.
    Divisor {
        /// Nor -1: the dividend may be the least integer of its type, whose quotient the type does not hold.
        may_overflow: bool,
    },
}

/// An access, or a division, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// What is accessed; the text of the division.
    pub name: String,
    /// Where it is written: `file.okl:33:12`, or nothing where that is not known.
    pub at: String,
}

impl Access {
    pub(super) fn clear(&mut self) {
        self.name.clear();
        self.at.clear();
    }
}

impl Sum {
    /// A number.
    pub fn number(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// A variable.
    pub fn variable(variable: u32) -> Self {
        Self { constant: 0, terms: vec![Term { variable: Some(variable), symbol: None, factor: 1 }] }
    }

    /// A symbol.
    pub fn symbol(symbol: u32) -> Self {
        Self { constant: 0, terms: vec![Term { variable: None, symbol: Some(symbol), factor: 1 }] }
    }

    /// `self + factor · other`; `None` where a number leaves 64 bits, or there are too many terms.
    pub fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for term in &other.terms {
            sum.add(Term { factor: term.factor.checked_mul(factor)?, ..term.clone() })?;
        }
        Some(sum)
    }

    /// Adds a term; `None`: that cannot be said.
    pub(crate) fn add(&mut self, term: Term) -> Option<()> {
        if term.factor == 0 {
            return Some(());
        }
        let key = |term: &Term| (term.variable, term.symbol);
        match self.terms.binary_search_by_key(&key(&term), key) {
            Ok(at) => {
                self.terms[at].factor = self.terms[at].factor.checked_add(term.factor)?;
                if self.terms[at].factor == 0 {
                    self.terms.remove(at);
                }
            }
            Err(_) if self.terms.len() == MOST_TERMS => return None,
            Err(at) => self.terms.insert(at, term),
        }
        Some(())
    }

    /// The variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = u32> {
        self.terms.iter().filter_map(|term| term.variable)
    }

    /// Whether a launch knows its value.
    pub fn is_known(&self) -> bool {
        self.variables().next().is_none()
    }
}
