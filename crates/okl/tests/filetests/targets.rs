//! The targets of a filetest by their labels: `wgsl`, or `wgsl without i64 i16` for a device that lacks something.

use naga::valid::Capabilities;
use okl::back::{cpu::CpuTarget, cuda::CudaTarget, opencl::OpenClTarget, wgsl::WgslTarget};
use okl::target::{Target, opencl, wgsl};

/// What a label stands for.
pub(crate) struct Labelled {
    pub(crate) target: Box<dyn Target>,
    /// How the file of its text ends.
    pub(crate) ending: &'static str,
    /// What the device can do besides what every device can, where naga checks the text.
    pub(crate) naga: Option<Capabilities>,
}

impl Labelled {
    pub(crate) fn new(label: &str) -> Result<Self, String> {
        let mut words = label.split_whitespace();
        let name = words.next().unwrap_or_default();
        let mut is_there = true;
        let (mut opencl, mut wgsl) = (opencl::Features::ALL, wgsl::Features::ALL);
        let mut naga = Capabilities::all();
        for word in words {
            match (name, word) {
                (_, "with" | "without") => is_there = word == "with",
                ("opencl" | "opencl_loops", word) => opencl_feature(&mut opencl, word, is_there)?,
                ("wgsl", word) => wgsl_feature(&mut wgsl, &mut naga, word, is_there)?,
                _ => return Err(format!("target `{name}` knows no feature `{word}`")),
            }
        }
        let (target, ending): (Box<dyn Target>, _) = match name {
            "cpu" => (Box::new(CpuTarget), "c"),
            "cuda" => (Box::new(CudaTarget), "cu"),
            "opencl" => (Box::new(OpenClTarget(opencl)), "cl"),
            "opencl_loops" => (Box::new(OpenClTarget(opencl::Features { form: opencl::Form::Loops, ..opencl })), "cl"),
            "wgsl" => (Box::new(WgslTarget(wgsl)), "wgsl"),
            _ => return Err(format!("unknown target `{name}`")),
        };
        let naga = (name == "wgsl").then_some(naga);
        Ok(Self { target, ending, naga })
    }
}

fn opencl_feature(features: &mut opencl::Features, word: &str, is_there: bool) -> Result<(), String> {
    match word {
        "f64" => features.f64 = is_there,
        "int64_atomics" => features.int64_atomics = is_there,
        "int64_extended_atomics" => features.int64_extended_atomics = is_there,
        _ => match word.strip_prefix("max_group=").and_then(|number| number.parse().ok()) {
            Some(number) if is_there => features.max_group = number,
            _ => return Err(format!("a device for OpenCL has no feature `{word}`")),
        },
    }
    Ok(())
}

fn wgsl_feature(
    features: &mut wgsl::Features,
    naga: &mut Capabilities,
    word: &str,
    is_there: bool,
) -> Result<(), String> {
    let (feature, capabilities) = match word {
        "f64" => (&mut features.f64, Capabilities::FLOAT64),
        "i64" => (&mut features.i64, Capabilities::SHADER_INT64),
        "i16" => (&mut features.i16, Capabilities::SHADER_INT16),
        "i64_atomics" => (
            &mut features.i64_atomics,
            Capabilities::SHADER_INT64_ATOMIC_ALL_OPS | Capabilities::SHADER_INT64_ATOMIC_MIN_MAX,
        ),
        "coarsen" => (&mut features.coarsen, Capabilities::empty()),
        "native_math" => (&mut features.native_math, Capabilities::empty()),
        "ends_loops" => (&mut features.ends_loops, Capabilities::empty()),
        "subgroups" => (&mut features.subgroups, Capabilities::empty()),
        "masks" => (&mut features.masks, Capabilities::empty()),
        _ => return Err(format!("a device for WGSL has no feature `{word}`")),
    };
    *feature = is_there;
    naga.set(capabilities, is_there);
    Ok(())
}

/// Parses and validates WGSL as wgpu does for a device that can do this.
pub(crate) fn validate_wgsl(text: &str, capabilities: Capabilities) -> Result<(), String> {
    let refused = |said: String| {
        let numbered: String = text.lines().enumerate().map(|(n, line)| format!("{:4} {line}\n", n + 1)).collect();
        format!("naga refuses the emitted text:\n{said}\n{numbered}")
    };
    let module = naga::front::wgsl::parse_str(text).map_err(|e| refused(e.emit_to_string(text)))?;
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(&module).map(drop).map_err(|e| refused(e.emit_to_string(text)))
}
