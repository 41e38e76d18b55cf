//! The target: the IR itself, once as text for readers and once in the form that is executed.

use okl::back::signature::{self, Emission, Slots};
use okl::ir::{self, Module, Scalar};
use okl::signature::NestArgument;
use okl::target::{Emitted, Hints, Target};
use okl::{SourceMap, on_deep_stack};
use serde::{Deserialize, Serialize};

/// Name of the further text that is executed; the text itself is the IR as `ferrocca translate` shows it.
const PROGRAM: &str = "program";

/// The IR, for the interpreter.
///
/// A nest takes every parameter of its kernel and then every host variable, as the interpreter runs it in a frame of the
/// kernel.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceTarget;

impl Target for ReferenceTarget {
    fn name(&self) -> &str {
        "IR"
    }

    fn index_type(&self) -> Option<Scalar> {
        None
    }

    fn emit(&self, module: &Module, map: &SourceMap) -> Emitted {
        let (text, lines) = ir::dump_lines(module, map);
        let signatures = module.kernels.iter().map(|kernel| {
            let slots = Slots::of(kernel);
            let arguments: Vec<NestArgument> = (0..kernel.params.len() as u32)
                .map(NestArgument::Param)
                .chain((0..kernel.host_variables().count() as u32).map(NestArgument::Slot))
                .collect();
            let emissions = (0..kernel.nests.len()).map(|nest| Emission {
                entry: format!("{}_{nest}", kernel.name),
                arguments: arguments.clone(),
                hints: Hints::default(),
            });
            signature::signature(module, kernel, &slots, emissions.collect())
        });
        let program = Program::write(module, map);
        Emitted::new(text, lines, signatures.collect()).with_extra_text(PROGRAM, program)
    }
}

/// What is executed, with the source that its places are in.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) module: Module,
    pub(crate) map: SourceMap,
}

impl Program {
    fn write(module: &Module, map: &SourceMap) -> String {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            module: &'a Module,
            map: &'a SourceMap,
        }
        serde_json::to_string(&Borrowed { module, map })
            .unwrap_or_else(|error| unreachable!("the IR has neither maps nor failing parts: {error}"))
    }

    /// The program among the texts of a module that was compiled.
    pub(crate) fn text(compiled: &okl::Compiled) -> Option<&str> {
        compiled.extra_texts.get(PROGRAM).map(String::as_str)
    }

    /// Reads what [`ReferenceTarget`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        // The tree is as deep as the parser lets a source be.
        on_deep_stack(|| {
            let mut reader = serde_json::Deserializer::from_slice(bytes);
            reader.disable_recursion_limit();
            let program = Self::deserialize(&mut reader).map_err(|error| error.to_string())?;
            reader.end().map_err(|error| error.to_string())?;
            Ok(program)
        })
    }
}
