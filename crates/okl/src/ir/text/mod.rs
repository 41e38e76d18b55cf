//! The IR as text: compact, complete and exact. [`dump`] prints it, [`parse`] reads it back to the same module but for
//! the spans, which then point into the text.
//!
//! ```text
//! kernel scale(n: i32, a: *f64 restrict)      parameters; `*const f64[4]`: read only, rows of four
//!   host m: i32                               host variables, then the host part
//!   m = (n - 1)
//!   launch 0
//!   nest 0
//!     outer(0) o: i32 from 0 step 16 count ((i64(m) + 15i64) / 16i64)
//!     shared s: f64[16]                       or `exchange(32)`, of subgroups of 32 lanes; then `exclusive`
//!     region
//!       inner(0) i: i32 from o step 1 count 16i64
//!       let x: f64 = a[i]                     `let` is written once, `var` again
//!       a[i] = (x * 2.0)
//! ```
//!
//! - A block is what stands two spaces deeper. What follows `//` is a comment.
//! - `f64(x)` is an implicit conversion, `((f64) x)` one that was written. Infix operators stand in parentheses.
//!   Numbers without a type behind them are `i32`, or `f64` where they hold a point, an exponent, `inf` or `nan`.
//! - Behind a `region exchange` items meet for the sake of arrays that are `exchange` alone, behind a `region shared` for that of
//!   shared memory.
//! - A nest of another dialect says so (`nest 0 looped`), and what its regions said of a launch:
//!   `items {16i64} {1i64} {1i64} shared 128 cost 12`, the distinct numbers of items along each axis.
//! - Memory at module scope is listed (`root s: f64[16] workgroup written`; `storage(0)` is a parameter's), and for each
//!   body the variables that stand for it: `root s t: f64[16]` says that `t` is the root `s`.
//! - Names are hints: the second variable of a body that is called `t` (the second function, struct or constant of the
//!   module) is `t#1`, and one that is called like a word of this text is `word#0`.
//! - Variables are numbered as they are met; `t%7` at its declaration is number 7 out of turn. A name stands for one
//!   variable in all of a body. What nothing declares is listed: `unused local t: f64`.
//! - `print "%d\n", x` is a `printf`, with `\u{…}` for what is not plain in its text;
//! - `reports` before a function says that it writes the record of faults; `faults` behind a kernel's parameters that the last
//!   of them is that record. `@length.1` is the number of elements of the memory passed for parameter 1.
//! - `let` and `var` before other variables say what is not usual for them: `var n: i32` is a parameter that is written.
//!   `let temp t: i32` is one that the compiler made.

mod cursor;
mod dump;
mod exprs;
mod items;
mod stmts;

pub use cursor::ParseError;
pub use dump::{dump, dump_lines};
pub use items::parse;

use super::{AtomicOp, MathFn, Role, Scalar};

/// Words that no variable, function, struct or constant is called without a number behind them.
const WORDS: &[&str] = &[
    "struct",
    "bytes",
    "align",
    "const",
    "pure",
    "fn",
    "kernel",
    "launch",
    "nest",
    "outer",
    "inner",
    "shared",
    "exchange",
    "size",
    "exclusive",
    "host",
    "table",
    "unused",
    "local",
    "param",
    "region",
    "block",
    "if",
    "else",
    "while",
    "update",
    "loop",
    "do",
    "unroll",
    "init",
    "head",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "end",
    "call",
    "atomic",
    "old",
    "let",
    "temp",
    "var",
    "fall",
    "for",
    "true",
    "false",
    "inf",
    "nan",
    "flat",
    "from",
    "step",
    "count",
    "void",
    "restrict",
    "mark",
    "max_inner_dims",
    "expanded",
    "entry",
    "looped",
    "simt",
    "root",
    "barrier",
    "print",
    "coarsened",
];

/// Whether the text gives a word a meaning of its own.
fn is_word(name: &str) -> bool {
    WORDS.contains(&name) || scalar_named(name).is_some() || MathFn::ALL.iter().any(|function| function.name() == name)
}

fn scalar_named(name: &str) -> Option<Scalar> {
    Scalar::ALL.iter().copied().find(|scalar| scalar.tag() == name)
}

const ATOMICS: [(AtomicOp, &str); 11] = [
    (AtomicOp::Add, "+="),
    (AtomicOp::Sub, "-="),
    (AtomicOp::Mul, "*="),
    (AtomicOp::Div, "/="),
    (AtomicOp::Min, "min="),
    (AtomicOp::Max, "max="),
    (AtomicOp::And, "&="),
    (AtomicOp::Or, "|="),
    (AtomicOp::Xor, "^="),
    (AtomicOp::CompareExchange, "cas="),
    (AtomicOp::Exchange, "="),
];

/// Whether variables of a role are written once unless the text says otherwise; locals always say.
fn is_usually_const(role: Role) -> bool {
    matches!(role, Role::Param(_) | Role::Outer(_) | Role::Inner(_) | Role::Constant(_))
}
