//! The text of mode `Worker`: a small dialect of C with words of its own (`w_f64`, `W_INLINE`), and an entry of its own,
//! which takes a job. Everything else is Ferrocca's printer of C.

use okl::SourceMap;
use okl::back::c_family::{self, Items, Language, Printer};
use okl::back::cpu;
use okl::back::namer::Reserved;
use okl::back::signature::{self, Emission, Slots};
use okl::back::writer::Writer;
use okl::ir::{Kernel, Module, Nest, Pass, Scalar, Scratch, Type};
use okl::passes;
use okl::target::{Emitted, Hints, Target};
use serde::{Deserialize, Serialize};
use std::iter;

/// What the text says before anything else. A job is what [`crate::kernel`] hands to an entry.
const PRELUDE: &str = "\
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define W_INLINE static inline
#define W_TABLE static const
#define W_SHARED _Alignas(64)
#define W_ALONE restrict
typedef bool w_bool; typedef int8_t w_i8; typedef uint8_t w_u8; typedef int16_t w_i16; typedef uint16_t w_u16;
typedef int32_t w_i32; typedef uint32_t w_u32; typedef int64_t w_i64; typedef uint64_t w_u64;
typedef float w_f32; typedef double w_f64;
typedef struct { void *const *arguments; const w_i64 *sizes; w_i64 begin, end; void *scratch; } w_job;";

const RESERVED: Reserved = Reserved {
    anywhere: |word| word.starts_with("w_") || word.starts_with("W_") || (cpu::LANGUAGE.reserved.anywhere)(word),
    ..*cpu::LANGUAGE.reserved
};

/// The words that differ from those of the host's C.
const LANGUAGE: Language = Language {
    reserved: &RESERVED,
    companions: &[],
    scalar,
    stored_bool: "w_bool",
    restrict: "W_ALONE",
    function: "W_INLINE ",
    constant: "W_TABLE ",
    shared: "W_SHARED ",
    independent: None,
    independent_short: None,
    independent_guarded: None,
    ..cpu::LANGUAGE
};

fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "w_bool",
        Scalar::I8 => "w_i8",
        Scalar::U8 => "w_u8",
        Scalar::I16 => "w_i16",
        Scalar::I32 => "w_i32",
        Scalar::U32 => "w_u32",
        Scalar::I64 => "w_i64",
        Scalar::U64 => "w_u64",
        Scalar::F32 => "w_f32",
        Scalar::F64 => "w_f64",
        // The floats that are only held in memory are their bits.
        _ => "w_u16",
    }
}

/// What the backend must know of a nest besides its signature.
#[derive(Serialize, Deserialize)]
pub(crate) struct WorkerHints {
    /// Bytes of scratch memory for each item of a group.
    pub(crate) scratch_bytes: u64,
}

/// The dialect.
#[derive(Debug)]
pub(crate) struct WorkerTarget;

impl Target for WorkerTarget {
    fn name(&self) -> &str {
        "Worker C"
    }

    fn passes(&self) -> Vec<Pass> {
        passes::ITEMS.into_iter().chain([passes::LOOPS]).collect()
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        let items = Items::new(&LANGUAGE, module);
        let mut code = Writer::new(map);
        items.all(&mut code);
        let mut signatures = Vec::new();
        for (number, kernel) in module.kernels.iter().enumerate() {
            let slots = Slots::of(kernel);
            let nests = kernel.nests.iter().enumerate();
            let emit =
                |(index, nest)| entry(&items, &mut code, (kernel, nest), items.names.entry(number, index), &slots);
            let emissions = nests.map(emit).collect();
            signatures.push(signature::signature(module, kernel, &slots, emissions));
        }
        let mut out = Writer::new(map);
        items.title(&mut out, "Worker C");
        PRELUDE.lines().for_each(|line| out.line(line));
        items.definitions(&mut out);
        out.append(code);
        let (text, lines) = out.finish();
        Emitted::new(text, lines, signatures)
    }
}

/// A nest as a function that runs groups `job->begin` to `job->end`, the items of each in loops.
fn entry(items: &Items<'_>, out: &mut Writer<'_>, of: (&Kernel, &Nest), name: &str, slots: &Slots) -> Emission {
    let (kernel, nest) = of;
    let (body, captures) = (&kernel.body, kernel.captures(nest));
    let scratch = nest.launch.as_ref().and_then(|launch| launch.scratch.as_ref());
    let memory = scratch.iter().flat_map(|scratch| iter::once(scratch.items).chain(scratch.starts().map(|of| of.0)));
    let mut locals = items.locals(body, captures.iter().copied().chain(memory), &nest.stmts);
    let job = locals.fresh("job");
    let [begin, end, sizes] = ["begin", "end", "sizes"].map(|member| format!("{job}->{member}"));
    let builtins = c_family::range_builtins(&begin, &end, &sizes);
    let mut printer = Printer::new(items, body, &locals, &builtins);
    out.line("");
    out.at(kernel.span);
    out.open(format!("void {name}(const w_job *{job}) {{"));
    for (position, &var) in captures.iter().enumerate() {
        let value = match &body.var(var).ty {
            Type::Pointer(_) => format!("{job}->arguments[{position}]"),
            ty => {
                format!("*(const {} *){job}->arguments[{position}]", c_family::type_name(&LANGUAGE, &items.names, ty))
            }
        };
        out.line(format!("{} = {value};", printer.declarator(var)));
    }
    if let Some(scratch) = scratch {
        let count = printer.name(scratch.items);
        out.line(format!("const w_i64 {count} = {sizes}[3] * {sizes}[4] * {sizes}[5];"));
        for (var, before) in scratch.starts() {
            out.line(format!("{} = (void *)((char *){job}->scratch + {before} * {count});", printer.declarator(var)));
        }
    }
    printer.stmts(out, &nest.stmts);
    out.close("}");
    out.at_none();
    Emission {
        entry: name.to_owned(),
        arguments: captures.iter().map(|&var| slots.argument(body, var)).collect(),
        hints: Hints::of(&WorkerHints { scratch_bytes: scratch.map_or(0, Scratch::bytes) }),
    }
}
