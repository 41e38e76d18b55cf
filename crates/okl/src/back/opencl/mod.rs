//! OpenCL C 1.2, which every later version takes too.
//!
//! # The entry's ABI (shared with the OpenCL backend)
//! Each nest is one `__kernel` named [`crate::signature::NestSignature::entry`]. Its arguments are those of
//! [`crate::signature::NestSignature::arguments`] in order:
//! - a pointer is its buffer, of which the slice may begin at any element (a buffer of part of another must begin at an
//!   aligned address); how many elements lie before the slice is its *start*, a `long`;
//! - a scalar or struct is its value; a `bool` is a `uchar`.
//!
//! The rest depends on the form ([`Form`], [`LaunchHints::serial_items`]):
//! - [`Form::WorkItems`]: the start follows its buffer. Last comes `first`, a `long3` (32 bytes): the numbers of the first
//!   group along axes 0, 1, 2, so that a space of groups larger than a device takes is run in parts. The work-group has the
//!   maximum over [`crate::signature::NestSignature::inner`] along each axis. Nests that do nothing but move data
//!   ([`LaunchHints::coarsened`]) take one argument more, `end`, a `long`: where it is not 0, each work-group runs two groups along axis 0, from
//!   `first.x + 2 · get_group_id(0)` on and below `end`.
//! - [`Form::Loops`]: after the nest's arguments comes a struct of `long`s, the starts in order, six `dims` (the counts of
//!   groups, and of items by the same maximum, along the axes) and `stretch`. Work-item `w`, in groups of one, runs the
//!   groups from `w · stretch` on, `stretch` of them, of the linearised space (axis 0 fastest).
//!
//! With the macro `OKL_FP_CONTRACT_FAST` the compiler may make one operation of a multiplication and an addition.
//!
//! Pointers know their address space: a device function has a version for each combination that it is called with
//! ([`crate::passes`], `spaces`). A `bool` in memory is a `uchar`, because OpenCL leaves a `bool`'s size open.

mod arguments;
mod loops;
mod reserved;
mod threads;
mod words;

use super::c_family::{Items, Language};
use super::cpu;
use super::signature::{self, Slots};
use super::writer::Writer;
use crate::diagnostic::Diagnostic;
use crate::ir::{Dialect, Kernel, Module, Nest, Pass};
use crate::passes::{self, address_spaces, coarsen, simt};
use crate::source::SourceMap;
use crate::target::opencl::{Features, Form};
use crate::target::{Emitted, Target};
use crate::valid;
use serde::{Deserialize, Serialize};

/// What a launch of a nest needs to know besides its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchHints {
    /// The entry runs the items of a group one after the other: [`Form::Loops`].
    pub serial_items: bool,
    /// The entry takes `end`, and runs two groups a work-group where that is not 0.
    pub coarsened: bool,
}

/// OpenCL C for a device that can do this.
#[derive(Clone, Debug)]
pub struct OpenClTarget(pub Features);

impl Target for OpenClTarget {
    fn name(&self) -> &str {
        "OpenCL C"
    }

    fn check(&self, module: &Module, found: &mut Vec<Diagnostic>) {
        valid::opencl::check(module, &self.0, found);
    }

    fn passes(&self) -> Vec<Pass> {
        let is_on_processor = self.0.form == Form::Loops;
        let loops = is_on_processor.then_some([passes::FORWARD_TILES, passes::LOOPS_ON_STACK]).into_iter().flatten();
        let simt = Pass { name: "simt", run: |module| simt::run(module, threads::THREADS) };
        let coarsen = Pass { name: "coarsen", run: |module| coarsen::run(module, threads::THREADS.group) };
        let hide_zeros = (!is_on_processor).then_some(passes::HIDE_ZEROS);
        let passes = passes::ITEMS.into_iter().chain(loops).chain([passes::ADDRESS_SPACES, simt, coarsen]);
        passes.chain(hide_zeros).collect()
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        emit(module, &self.0, map)
    }
}

fn emit(module: &Module, features: &Features, map: &SourceMap) -> Emitted {
    let words = words::for_device(features);
    let spaces = address_spaces::of_functions(module);
    let items = Items::new(&words.threads, module).with_spaces(&spaces);
    let mut code = Writer::new(map);
    items.all(&mut code);
    let mut signatures = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let slots = Slots::of(kernel);
        let mut emissions = Vec::new();
        for (index, nest) in kernel.nests.iter().enumerate() {
            let name = items.names.entry(number, index);
            let entry = Entry { items: &items, words: &words.threads, features, kernel, nest, name };
            emissions.push(if nest.dialect == Dialect::Looped {
                loops::emit(&entry, &words.loops, &mut code, &slots)
            } else {
                threads::emit(&entry, &mut code, &slots)
            });
        }
        signatures.push(signature::signature(module, kernel, &slots, emissions));
    }
    let mut definitions = Writer::new(map);
    items.definitions(&mut definitions);
    definitions.append(code);
    let mut out = Writer::new(map);
    items.title(&mut out, "OpenCL C");
    words::prelude(&items.needs.borrow().extensions, valid::opencl::has_double(module), !module.structs.is_empty())
        .iter()
        .for_each(|line| out.line(line));
    cpu::marks(&items.needs.borrow().marks).iter().for_each(|line| out.line(line));
    out.append(definitions);
    let (text, lines) = out.finish();
    Emitted::new(text, lines, signatures)
}

/// One nest on its way to a kernel.
struct Entry<'a> {
    items: &'a Items<'a>,
    words: &'a Language,
    features: &'a Features,
    kernel: &'a Kernel,
    nest: &'a Nest,
    name: &'a str,
}
