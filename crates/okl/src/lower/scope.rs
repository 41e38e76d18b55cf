//! What a name means where it stands.

use super::dim::Dimensions;
use super::local_pointer::PointerId;
use super::types::Declared;
use crate::ir::{ConstantId, Literal, Scalar, StructId, VarId};
use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A scalar, struct, array or pointer parameter.
    Var(VarId),
    /// A local pointer, which is no variable of the IR.
    Pointer(PointerId),
    /// A parameter that is a reference: a pointer of the IR.
    Reference(VarId),
    /// A local reference.
    LocalReference(PointerId),
    /// An enumerator or a constant scalar.
    Literal(Literal, Scalar),
    /// A constant complex number, by its parts.
    Complex(StructId, [Literal; 2]),
    /// A file-scope constant table.
    Table(ConstantId),
    /// A file-scope variable, which the host alone has; where it is declared.
    HostVariable(Span),
    /// `struct`
    Struct(StructId),
    /// `typedef`, or an enum's tag.
    Typedef(Declared),
    /// A function or kernel; its head is in the unit's table.
    Function,
    /// A lambda's name.
    Lambda(std::rc::Rc<super::lambda::LambdaValue>),
    /// Its declaration was refused: every use is silent.
    Refused,
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Distinguishes scopes that have ended from those that have not.
    pub(super) serial: u32,
    symbols: HashMap<String, Symbol>,
    dimensions: HashMap<String, Rc<Dimensions>>,
}

impl Scope {
    /// A scope without names.
    pub(super) fn new(serial: u32) -> Self {
        Self { serial, symbols: HashMap::new(), dimensions: HashMap::new() }
    }

    /// Gives a name its meaning; answers whether it had none here.
    pub(super) fn bind(&mut self, name: &str, symbol: Symbol) -> bool {
        self.symbols.insert(name.to_owned(), symbol).is_none()
    }

    /// The meaning of a name in this scope.
    pub(super) fn get(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// Notes what the indices of `name`, which is bound here, mean.
    pub(super) fn bind_dimensions(&mut self, name: &str, dimensions: Rc<Dimensions>) {
        self.dimensions.insert(name.to_owned(), dimensions);
    }

    /// What the indices of `name`, which is bound here, mean.
    pub(super) fn dimensions(&self, name: &str) -> Option<Rc<Dimensions>> {
        self.dimensions.get(name).cloned()
    }

    /// Every name with its meaning.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Symbol)> {
        self.symbols.iter().map(|(name, symbol)| (name.as_str(), symbol))
    }

    /// Every name of this scope.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }
}

/// Longer names are not compared: the time grows with the square.
const MAX_COMPARED: usize = 64;

/// The name nearest to `wanted`, where one is near enough to be a slip of the keyboard.
pub(super) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (wanted.chars().count() / 3).min(3);
    names
        .filter(|name| name.len() <= MAX_COMPARED)
        .filter(|name| name.len().abs_diff(wanted.len()) <= limit && *name != wanted)
        .map(|name| (strsim::osa_distance(wanted, name), name))
        .filter(|&(distance, _)| distance <= limit)
        // Names are hashed: the alphabet decides among equals, so that a run repeats.
        .min()
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_name_is_a_slip_away_or_none() {
        let names = ["u_prev", "alpha", "n", "index"];
        let near = |wanted| nearest(wanted, names.into_iter());
        assert_eq!(near("u_perv").as_deref(), Some("u_prev"));
        assert_eq!(near("indx").as_deref(), Some("index"));
        assert_eq!(near("beta"), None);
        assert_eq!(near("gamma_value"), None);
    }
}
