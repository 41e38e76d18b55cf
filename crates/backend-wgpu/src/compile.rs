//! Texts to shader modules and pipelines.
//!
//! An artifact is the text, the text for large memory, and what the driver made of the pipelines, so that a build from
//! the cache directory compiles nothing anew where the driver supports that.

use crate::context::Context;
use crate::error;
use crate::precise::{self, Parsed};
use ferrocca_core::Result;
use ferrocca_core::props::Props;
use okl::Compiled;
use okl::back::wgsl::LaunchHints;
use okl::back::wgsl::interface::{Interface, interface};
use okl::signature::{NestSignature, Signature};

/// First bytes of an artifact: its format.
const MAGIC: &[u8; 8] = b"OKLWGSL1";

/// What a kernel is loaded from.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Contents {
    pub(crate) text: String,
    /// Empty where there is none.
    pub(crate) paged_text: String,
    /// Parameters of the kernel that has most, which decides the windows of the text for large memory.
    pub(crate) params: u32,
    /// The arithmetic is done as it is written ([`crate::precise`]).
    pub(crate) precise: bool,
    /// The driver's pipelines; empty where it keeps none.
    pub(crate) pipelines: Vec<u8>,
}

impl Contents {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let parts = [self.text.as_bytes(), self.paged_text.as_bytes(), &self.pipelines];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.params.to_le_bytes());
        bytes.push(u8::from(self.precise));
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes
    }

    /// # Errors
    /// When it is no artifact of this crate.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = || error::driver("loading an artifact", "it is not of this version, or damaged");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (params, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (&precise, mut rest) = rest.split_first().ok_or_else(damaged)?;
        let mut part = || -> Result<Vec<u8>> {
            let (length, after) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
            let (part, after) = after.split_at_checked(length).ok_or_else(damaged)?;
            rest = after;
            Ok(part.to_vec())
        };
        let (text, paged_text, pipelines) = (part()?, part()?, part()?);
        let string = |bytes| String::from_utf8(bytes).map_err(|_| damaged());
        Ok(Self {
            text: string(text)?,
            paged_text: string(paged_text)?,
            params: u32::from_le_bytes(*params),
            precise: precise != 0,
            pipelines,
        })
    }
}

/// A bind group layout of storage buffers.
pub(crate) fn storage_layout(device: &wgpu::Device, bindings: &[u32]) -> wgpu::BindGroupLayout {
    let entries: Vec<wgpu::BindGroupLayoutEntry> = bindings
        .iter()
        .map(|&binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

/// Layouts of a nest's bindings.
pub(crate) struct Layouts {
    pub(crate) buffers: wgpu::BindGroupLayout,
    pub(crate) pipeline: wgpu::PipelineLayout,
}

impl Layouts {
    /// `windows`: bindings for each pointer.
    pub(crate) fn new(context: &Context, interface: &Interface, windows: u32) -> Self {
        let bindings: Vec<u32> = interface
            .bindings
            .iter()
            .flat_map(|(_, binding)| (0..windows).map(move |window| binding * windows + window))
            .collect();
        let buffers = storage_layout(&context.device, &bindings);
        let immediate = interface.is_immediate(&context.text);
        let groups = [Some(&buffers), Some(&context.queue.arguments_layout)];
        let pipeline = context.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: if immediate { &groups[..1] } else { &groups },
            immediate_size: if immediate { interface.bytes } else { 0 },
        });
        Self { buffers, pipeline }
    }
}

/// A text that pipelines are made from.
pub(crate) enum Shader {
    /// As wgpu hands it to the driver.
    Plain(wgpu::ShaderModule),
    /// With its arithmetic as it is written.
    Precise(Box<Parsed>),
}

impl Shader {
    /// # Errors
    /// `Kernel` where naga refuses the text.
    pub(crate) fn new(context: &Context, text: &str, precise: bool) -> Result<Self> {
        if precise {
            return Ok(Self::Precise(Box::new(Parsed::new(text)?)));
        }
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: Some("okl"), source: wgpu::ShaderSource::Wgsl(text.into()) };
        let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
        // SAFETY: bounds are checked. Loops are not counted: kernel text is trusted to end, as on every other target.
        let create = || unsafe { context.device.create_shader_module_trusted(descriptor, checks) };
        match context.scoped(create) {
            (module, None) => Ok(Self::Plain(module)),
            (_, Some(error)) => Err(error::refused(error::describe(&error))),
        }
    }
}

/// What a pipeline is made for.
pub(crate) struct Wanted<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) layouts: &'a Layouts,
    /// Bindings for each pointer.
    pub(crate) windows: u32,
    pub(crate) entry: &'a str,
    /// The overrides.
    pub(crate) constants: &'a [(&'a str, f64)],
    pub(crate) cache: Option<&'a wgpu::PipelineCache>,
}

/// A pipeline of a nest.
/// # Errors
/// `Kernel` where naga or the driver refuses it.
pub(crate) fn pipeline(context: &Context, shader: &Shader, wanted: &Wanted<'_>) -> Result<wgpu::ComputePipeline> {
    let Wanted { layouts, entry, constants, cache, .. } = *wanted;
    let precise;
    // The precise one has its overrides in it.
    let (module, constants): (_, &[(&str, f64)]) = match shader {
        Shader::Plain(module) => (module, constants),
        Shader::Precise(parsed) => {
            precise = parsed.shader(context, wanted)?;
            (&precise, &[])
        }
    };
    let (pipeline, reported) = context.scoped(|| {
        context.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&layouts.pipeline),
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                // Shared memory starts with whatever it holds, as on every target.
                zero_initialize_workgroup_memory: false,
            },
            cache,
        })
    });
    match reported {
        None => Ok(pipeline),
        Some(error) => Err(error::refused(format!("`{entry}`: {}", error::describe(&error)))),
    }
}

/// The driver's cache of pipelines, filled with what it gave before.
pub(crate) fn pipeline_cache(context: &Context, data: &[u8]) -> Option<wgpu::PipelineCache> {
    if !context.features.contains(wgpu::Features::PIPELINE_CACHE) {
        return None;
    }
    let descriptor =
        wgpu::PipelineCacheDescriptor { label: Some("okl"), data: (!data.is_empty()).then_some(data), fallback: true };
    // SAFETY: the data come from `get_data`: an artifact's bytes are checked by their hash before they get here. wgpu
    // itself checks that they are this driver's.
    Some(unsafe { context.device.create_pipeline_cache(&descriptor) })
}

/// Overrides that give a nest its sizes, where its text leaves them open.
pub(crate) fn size_names(entry: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("{entry}_{axis}"))
}

/// Whether the text leaves the sizes of a nest's groups to the launch.
pub(crate) fn is_sized_at_launch(nest: &NestSignature) -> bool {
    use okl::ir::Literal;
    use okl::signature::HostExprKind;
    let known = |count: &okl::signature::HostExpr| matches!(count.kind, HostExprKind::Literal(Literal::Int(_)));
    !nest.inner.iter().flatten().all(known)
}

/// Text to artifact: everything is compiled once, so that errors are errors of the build.
pub(crate) fn compile(context: &Context, compiled: &Compiled, props: &Props) -> Result<Vec<u8>> {
    let told = |error: ferrocca_core::Error| at_okl_lines(error, compiled);
    let mut nests =
        compiled.signatures.iter().flat_map(|signature| signature.nests.iter().map(move |nest| (signature, nest)));
    nests.try_for_each(|(signature, nest)| check_items(signature, nest, &context.limits))?;
    let precise = precise::is_possible(context) && props.get_str("fp_contract")?.unwrap_or("off") != "fast";
    let shader = Shader::new(context, &compiled.text, precise).map_err(told)?;
    let cache = pipeline_cache(context, &[]);
    for signature in &compiled.signatures {
        for nest in &signature.nests {
            let hints: LaunchHints = nest.hints.read().map_err(error::internal)?;
            for entry in [Some(&nest.entry), hints.coarsened.as_ref()].into_iter().flatten() {
                build(context, &shader, (signature, nest, entry), cache.as_ref()).map_err(told)?;
            }
        }
    }
    let contents = Contents {
        text: compiled.text.clone(),
        paged_text: compiled.extra_texts.get(okl::back::wgsl::PAGED).cloned().unwrap_or_default(),
        params: compiled.signatures.iter().map(|signature| signature.device_params() as u32).max().unwrap_or(0),
        precise,
        pipelines: cache.and_then(|cache| cache.get_data()).unwrap_or_default(),
    };
    Ok(contents.to_bytes())
}

/// The pipeline of an entry of a nest in groups of one item where their size is open: what does not compile shows here.
fn build(
    context: &Context,
    shader: &Shader,
    (signature, nest, entry): (&Signature, &NestSignature, &str),
    cache: Option<&wgpu::PipelineCache>,
) -> Result<wgpu::ComputePipeline> {
    let interface = interface(signature, nest).map_err(error::internal)?;
    let buffers = interface.bindings.len() + usize::from(!interface.is_immediate(&context.text));
    check_buffers(signature, buffers, context.text.storage_bindings)?;
    let layouts = Layouts::new(context, &interface, 1);
    let (interface, layouts) = (&interface, &layouts);
    let wanted = Wanted { interface, layouts, windows: 1, entry, constants: &[], cache };
    pipeline(context, shader, &wanted)
}

/// Whether the device runs groups of so many items, where the text fixes their number.
/// # Errors
/// `Unsupported`, with the device's limits.
fn check_items(signature: &Signature, nest: &NestSignature, limits: &wgpu::Limits) -> Result<()> {
    use okl::ir::Literal;
    use okl::signature::HostExprKind;
    let largest = |sizes: &Vec<okl::signature::HostExpr>| {
        let literals = sizes.iter().map(|size| match size.kind {
            HostExprKind::Literal(Literal::Int(count)) => u64::try_from(count).ok(),
            _ => None,
        });
        literals.collect::<Option<Vec<u64>>>()?.into_iter().max()
    };
    let Some(items) = nest.inner.iter().map(largest).collect::<Option<Vec<u64>>>() else { return Ok(()) };
    let total = items.iter().fold(1, |product: u64, &count| product.saturating_mul(count));
    let most = u64::from(limits.max_compute_invocations_per_workgroup);
    let axes =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    if total <= most && items.iter().zip(axes).all(|(&count, limit)| count <= u64::from(limit)) {
        return Ok(());
    }
    let [x, y, z] = axes;
    let number = signature.nests.iter().position(|of| std::ptr::eq(of, nest));
    let part = number.map(|nest| okl::signature::HostPart::Inner { nest: nest as u32, axis: 0 });
    let at = part.and_then(|part| signature.places.of(part)).map_or(String::new(), |place| format!("{place}: "));
    Err(ferrocca_core::Error::unsupported(
        format!("{at}kernel `{}`", signature.kernel),
        format!(
            "its groups have {total} items ({}); this device takes at most {most}, and at most {x}, {y}, {z} along axes 0, 1, 2: \
             make the tile or the `@inner` loops smaller",
            items.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
        ),
    ))
}

/// Whether the device gives a shader so many buffers.
/// # Errors
/// `Unsupported`, with what can be done about it.
fn check_buffers(signature: &Signature, buffers: usize, limit: u32) -> Result<()> {
    if buffers <= limit as usize {
        return Ok(());
    }
    let record = match signature.faults {
        true => {
            "; one of them is the record of accesses out of range, which kernels have whose indices cannot be proven: if all \
             are in range for certain, build it with `checks: 'none'`"
        }
        false => "",
    };
    Err(ferrocca_core::Error::unsupported(
        format!("kernel `{}`", signature.kernel),
        format!("it uses {buffers} buffers at once, this device has {limit} for a kernel{record}"),
    ))
}

/// An error of naga with the lines of the kernel's source in place of the text's.
fn at_okl_lines(error: ferrocca_core::Error, compiled: &Compiled) -> ferrocca_core::Error {
    let ferrocca_core::ErrorKind::Kernel { diagnostics } = error.kind() else { return error };
    let place = |line: usize| {
        let (file, number) = compiled.lines.get(line.checked_sub(1)?).copied().flatten()?;
        Some(format!("{}:{number}", compiled.files.get(file as usize)?))
    };
    // naga writes `wgsl:50:48`, or the label in place of `wgsl`.
    let mut places: Vec<String> = Vec::new();
    for part in diagnostics.split_whitespace() {
        let mut numbers = part.split(':').skip(1).map(str::parse::<usize>);
        if let (Some(Ok(line)), Some(Ok(_))) = (numbers.next(), numbers.next())
            && let Some(place) = place(line)
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    if places.is_empty() {
        return error;
    }
    error::refused(format!("{}: {diagnostics}", places.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_buffers_than_the_device_has_are_refused_with_a_way_out() {
        use okl::back::wgsl::WgslTarget;
        let source = "@kernel void gather(const int *at, const int *from, int *to) {
            for (int i = 0; i < 8; ++i; @tile(8, @outer, @inner)) { to[i] = from[at[i]]; }
        }";
        let request = okl::Request { name: "t.okl", source, mode: "WebGPU", defines: &[], includes: &okl::NoIncludes };
        let target = WgslTarget(okl::target::wgsl::Features::ALL);
        for (checks, buffers) in [(okl::Checks::Unproven, 4), (okl::Checks::None, 3)] {
            let compiled = okl::compile_with(&request, &target, checks).expect("it is correct");
            let signature = &compiled.signatures[0];
            let interface = interface(signature, &signature.nests[0]).expect("it is WGSL's");
            assert_eq!(interface.bindings.len(), buffers);
            assert!(check_buffers(signature, buffers, 4).is_ok());
            let refused = check_buffers(signature, buffers, 2).expect_err("too many").to_string();
            assert!(refused.contains("`gather`") && refused.contains("this device has 2"), "{refused}");
            assert_eq!(refused.contains("`checks: 'none'`"), checks == okl::Checks::Unproven, "{refused}");
        }
    }

    #[test]
    fn artifacts_come_back_and_damaged_ones_do_not() {
        let contents = Contents {
            text: "a".into(),
            paged_text: String::new(),
            params: 3,
            precise: true,
            pipelines: vec![1, 2, 3],
        };
        let bytes = contents.to_bytes();
        assert_eq!(Contents::from_bytes(&bytes).expect("it is whole"), contents);
        for length in 0..bytes.len() {
            assert!(Contents::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(Contents::from_bytes(b"something else").is_err());
    }
}
