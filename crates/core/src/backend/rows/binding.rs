//! What every plan to run a recorded loop as one kernel has: why there is none, and where the memory and the values of the loop are.

use crate::Error;
use crate::backend::GraphArgument;
use std::ops::Range;

/// Why there is no plan.
#[derive(Debug)]
pub enum NoPlan {
    /// The loop cannot run so, or not to its advantage: the reason, as a user reads it.
    Refused(String),
    /// A fault of this program.
    Fault(Error),
}

impl From<Error> for NoPlan {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// A plan, or why there is none.
pub type Result<T> = std::result::Result<T, NoPlan>;

/// There is no plan, for this reason.
/// # Errors
/// Always.
pub fn refuse<T>(reason: impl Into<String>) -> Result<T> {
    Err(NoPlan::Refused(reason.into()))
}

/// What changes with the memory and values of a loop while its plan stays.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    /// Of the plan's pieces of memory, in its order.
    pub addresses: Vec<u64>,
    /// The bytes of all values, each where `positions` says.
    pub values: Vec<u8>,
    /// Of each message of a repetition: the slots that it goes through, the control words of this side, the word of the other side
    /// that acknowledges, and the one that ends all waiting.
    pub messages: Vec<[u64; 4]>,
    /// For each command, where its arguments' bytes are in `values`.
    pub positions: Vec<Vec<Option<Range<usize>>>>,
}

impl Binding {
    /// Gives every value a place, in which updates replace it. `commands` has the arguments of each command, none for one that is
    /// no launch.
    pub fn bind_values<'a>(&mut self, commands: impl IntoIterator<Item = &'a [GraphArgument]>) {
        for arguments in commands {
            let positions = arguments.iter().map(|argument| match argument {
                GraphArgument::Value(bytes) => {
                    self.align();
                    let begin = self.values.len();
                    self.values.extend(bytes);
                    Some(begin..begin + bytes.len())
                }
                GraphArgument::Memory { .. } => None,
            });
            let positions = positions.collect();
            self.positions.push(positions);
        }
        self.align();
    }

    /// No type of a kernel's parameter is aligned to more.
    fn align(&mut self) {
        let bytes = self.values.len().next_multiple_of(16);
        self.values.resize(bytes, 0);
    }
}
