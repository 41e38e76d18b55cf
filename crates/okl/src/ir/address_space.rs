//! Address spaces, for targets whose pointers say where they point.

use super::{Role, Type, Variable};

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressSpace {
    /// Memory of the device, which all items see.
    Global,
    /// Memory of a group.
    Local,
    /// Memory of an item.
    Private,
    /// A file-scope table.
    Constant,
}

impl AddressSpace {
    /// The space of a variable; for a pointer the one that a kernel's parameter points into.
    pub fn of(variable: &Variable) -> Self {
        match (variable.role, &variable.ty) {
            (_, Type::Pointer(_)) => Self::Global,
            (Role::Shared | Role::Exchange(_), _) => Self::Local,
            (Role::Constant(_), _) => Self::Constant,
            _ => Self::Private,
        }
    }

    /// What tells the versions of a function apart.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
            Self::Private => "private",
            Self::Constant => "constant",
        }
    }
}
