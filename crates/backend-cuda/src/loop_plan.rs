//! What every plan to run a recorded loop as one kernel has: why there is none, and where the memory and the values of the loop are.

use ferrocca_core::Error;
use ferrocca_core::backend::GraphArgument;
use std::ops::Range;

/// Why there is no plan.
#[derive(Debug)]
pub(crate) enum NoPlan {
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

pub(crate) type Result<T> = std::result::Result<T, NoPlan>;

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Result<T> {
    Err(NoPlan::Refused(reason.into()))
}

/// What changes with the memory and values of a loop while its plan stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    /// Of the plan's pieces of memory, in its order.
    pub(crate) addresses: Vec<u64>,
    pub(crate) values: Vec<u8>,
    /// Of each message of a repetition: the slots that it goes through, the control words of this side, the word of the other side
    /// that acknowledges, and the one that ends all waiting.
    pub(crate) messages: Vec<[u64; 4]>,
    /// For each command, where its arguments' bytes are in `values`.
    pub(crate) positions: Vec<Vec<Option<Range<usize>>>>,
}

impl Binding {
    /// Gives every value a place, in which updates replace it. `commands` has the arguments of each command, none for one that is
    /// no launch.
    pub(crate) fn bind_values<'a>(&mut self, commands: impl IntoIterator<Item = &'a [GraphArgument]>) {
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
