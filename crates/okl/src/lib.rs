//! OKL: C with `@kernel`, `@outer`, `@inner`, `@shared`, `@exclusive` …, compiled once per target.
//!
//! source + defines + mode → [`front`] (preprocess, parse) → [`lower`] → [`ir`] → `valid` →
//! [`passes`] → [`back`] → text and [`signature::Signature`]s.
//!
//! Under the promise of stability (`docs/stability.md`): [`compile`](fn@compile) and what it gives, [`ir`], [`interp`],
//! [`signature`], [`target`], and what targets elsewhere print with: [`back::c_family`], [`back::namer`],
//! [`back::signature`], [`back::writer`] and the entry at the top of each target. The rest is public for this
//! workspace's tests and backends alone.
//!
//! This crate is pure: it reads no file (an [`Includes`] does), talks to no driver and never
//! panics on any input. Every refusal is a [`Diagnostic`] with a span.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod back;
pub mod bounds;
pub mod diagnostic;
pub mod front;
pub mod interp;
pub mod ir;
pub mod lower;
pub mod passes;
pub mod rules;
pub mod signature;
pub mod source;
pub mod target;
pub(crate) mod valid;
pub mod vocabulary;

mod compile;
mod deep_stack;

pub use compile::{
    Checks, Compiled, IncludeRecord, Includes, NoIncludes, Options, Request, Sizes, compile, compile_module,
    compile_with, to_ir, to_ir_of_sizes,
};
pub use deep_stack::on_deep_stack;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use ir::value;
pub use signature::Signature;
pub use source::{SourceMap, Span};

/// Version of this compiler and a hash of its own source: what another one emitted may differ.
pub const EMITTER: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("OKL_SOURCE_HASH"));
