//! Syntax tree to IR: names, types and conversions, side effects, pointers, and the parallel loops.
//!
//! | file | what it decides |
//! | --- | --- |
//! | `module`, `call_graph` | the order of declarations, heads of functions, who calls whom |
//! | `scope` | what a name means |
//! | `types`, `constants` | types as written, C's conversions, folding |
//! | `context`, `function`, `kernel` | the state of one function; what differs between functions and kernels |
//! | `expr`, `assign`, `call`, `math`, `atomic` | expressions, and their effects hoisted into statements |
//! | `subgroup` | values that neighbouring items give each other |
//! | `prefetch` | `__builtin_prefetch` |
//! | `print` | `printf`: its format, and the types of what it prints |
//! | `vector` | vector types, and what is computed with them |
//! | `complex`, `complex_math` | complex numbers, what is computed with them, and their functions |
//! | `candidates`, `template`, `lambda` | which function a call means; what templates and lambdas become |
//! | `place`, `pointer`, `local_pointer` | objects in memory; pointers as root and offset; local pointers |
//! | `record`, `choice` | pointers in structs; pointers that may lead into several arrays |
//! | `dim`, `reference` | `@dim`; references |
//! | `stmt`, `declare`, `initializer`, `control` | statements |
//! | `attributes` | every attribute: where it may stand and what it does |
//! | `loop_attributes`, `loops`, `known` | `@outer`, `@inner`, `@tile` as written; extents; what is known of an expression |
//! | `unroll` | what the source asks of loops |
//! | `parallel`, `region`, `axes` | nests, regions and their axes |
//! | `row` | what is written between two nested `@inner` loops |
//! | `cut`, `uniformity`, `live_across`, `exclusive_init` | regions cut at barriers, and the variables that live across |
//! | `host`, `finalize` | the host part; what is only known once a body is complete |
//!
//! # Rules kept
//! - Everything that [`crate::ir`] promises holds for what [`lower`] returns without an error finding.
//! - A finding is reported where it is found; its construct is left out and lowering goes on, so that one run
//!   reports many. [`Reported`] tells callers to get out of the way, never to report again.
//! - Nothing here panics or runs without end on any tree: recursion is bounded by [`context::MAX_DEPTH`], and no step
//!   copies a statement list more than once.
//!
//! Not here: what a target cannot do (`crate::valid`).

mod assign;
mod atomic;
mod attributes;
mod axes;
mod call;
mod call_graph;
mod candidates;
mod choice;
mod complex;
mod complex_math;
mod constants;
mod context;
mod control;
mod cut;
mod declare;
mod dim;
mod exclusive_init;
mod expr;
mod extents;
mod finalize;
mod fold_axes;
mod function;
mod host;
mod initializer;
mod kernel;
mod kernel_record;
mod known;
mod lambda;
mod launch_size;
mod live_across;
mod local_pointer;
mod loop_attributes;
mod loops;
mod math;
mod module;
mod null;
mod parallel;
mod place;
mod pointer;
mod power;
mod prefetch;
mod print;
mod record;
mod record_result;
mod reference;
mod region;
mod row;
mod scope;
mod stmt;
mod strided;
mod subgroup;
mod template;
mod types;
mod uniformity;
mod unroll;
mod vector;

pub(crate) use attributes::names as attribute_names;
pub use attributes::takes_arguments;
pub(crate) use complex_math::names as complex_function_names;
pub(crate) use math::names as math_function_names;
pub(crate) use module::lower;

/// A finding has been pushed already: whoever sees this leaves the construct out.
#[derive(Clone, Copy, Debug)]
struct Reported;

/// What lowering a construct gives.
type Lowered<T> = Result<T, Reported>;
