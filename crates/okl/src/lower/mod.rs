//! Syntax tree to IR: names, types and conversions, side effects, pointers, and the parallel loops.
//!
//! | file | what it decides |
//! | --- | --- |
//! | `unit`, `calls` | the order of declarations, heads of functions, who calls whom |
//! | `scope`, `names` | what a name means, what it is called in the IR |
//! | `types`, `constants` | types as written, C's conversions, folding |
//! | `body`, `function`, `kernel` | the state of one function; what differs between functions and kernels |
//! | `expr`, `assign`, `call`, `math`, `atomic` | expressions, and their effects hoisted into statements |
//! | `place`, `pointer`, `aim` | objects in memory; pointers as root and offset; local pointers |
//! | `stmt`, `declare`, `initial`, `control` | statements |
//! | `attributes`, `loops`, `linear` | `@outer`, `@inner`, `@tile` as written; extents |
//! | `parallel`, `region`, `axes` | nests, regions and their axes |
//! | `split`, `uniform`, `carry`, `exclusive` | regions cut at barriers, and the variables that live across |
//! | `host`, `finish` | the host part; what is only known once a body is complete |
//!
//! # Rules kept
//! - Everything that [`crate::ir`] promises holds for what [`lower`] returns without an error finding.
//! - A finding is reported where it is found; its construct is left out and lowering goes on, so that one run
//!   reports many. [`Reported`] tells callers to get out of the way, never to report again.
//! - Nothing here panics or runs without end on any tree: recursion is bounded by [`body::MAX_DEPTH`], and no step
//!   copies a statement list more than once.
//!
//! Not here: what a target cannot do ([`crate::valid`]).

mod aim;
mod assign;
mod atomic;
mod attributes;
mod axes;
mod body;
mod call;
mod calls;
mod carry;
mod constants;
mod control;
mod declare;
mod exclusive;
mod expr;
mod finish;
mod function;
mod host;
mod initial;
mod kernel;
mod linear;
mod loops;
mod math;
pub(crate) mod names;
mod parallel;
mod place;
mod pointer;
mod region;
mod scope;
mod split;
mod stmt;
mod types;
mod uniform;
mod unit;

pub use unit::lower;

/// A finding has been pushed already: whoever sees this leaves the construct out.
#[derive(Clone, Copy, Debug)]
struct Reported;

/// What lowering a construct gives.
type Lowered<T> = Result<T, Reported>;
