//! What recorded launches touch, and what a backend has made of that.

use std::fmt;
use std::sync::Arc;

pub use okl::signature::bounds::{AccessKind, BoxSpan, Footprint, Span};

/// What the groups of a recorded launch read and write; the error says why that is not known. The parameters of its spans are
/// positions in the list of the command's arguments.
pub type LaunchFootprint = Result<Arc<Footprint>, Arc<str>>;

/// How a graph is replayed, and why so: what [`Graph::plan`](crate::Graph::plan) answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPlan {
    /// Repetitions that one pass through memory does; 1 where each repetition is a pass of its own.
    pub steps_per_pass: u64,
    /// The choice and its reason, a sentence.
    pub reason: String,
}

impl GraphPlan {
    /// Each repetition is a pass through memory.
    pub fn one_step(reason: impl Into<String>) -> Self {
        Self { steps_per_pass: 1, reason: reason.into() }
    }
}

impl fmt::Display for GraphPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps_per_pass {
            1 => write!(f, "one step a pass: {}", self.reason),
            steps => write!(f, "{steps} steps a pass: {}", self.reason),
        }
    }
}
