//! Shaders whose arithmetic is done as it is written.
//!
//! WGSL lets a driver contract `a * b + c`, and drivers go further: Mesa adds constants up across parentheses and takes
//! `x - x` for zero, which no compensated sum survives. SPIR-V can forbid it, but naga has no way to say so. On Vulkan,
//! unless `fp_contract: fast` is asked for, the SPIR-V that naga writes is therefore told to compute as it is written
//! ([`crate::spirv`]), and handed to the driver as it is. It also says which memory is read alone, which text for wgpu cannot:
//! to wgpu a buffer is read or written as a whole. Everything else (bindings, bounds, overrides) is as wgpu would have it.

use crate::compile::Wanted;
use crate::context::Context;
use crate::error;
use crate::spirv;
use ferrocca_core::Result;
use okl::back::wgsl::interface::Interface;
use std::borrow::Cow;

/// Whether a device takes such shaders.
pub(crate) fn is_possible(context: &Context) -> bool {
    cfg!(any(target_os = "linux", target_os = "android", target_os = "freebsd", windows))
        && context.adapter.get_info().backend == wgpu::Backend::Vulkan
        && context.features.contains(wgpu::Features::PASSTHROUGH_SHADERS)
}

/// A text, checked.
pub(crate) struct Parsed {
    module: naga::Module,
    info: naga::valid::ModuleInfo,
}

impl Parsed {
    /// # Errors
    /// `Kernel` where naga refuses the text.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let module = naga::front::wgsl::parse_str(text).map_err(|e| error::refused(e.emit_to_string(text)))?;
        // What the device can do was asked when the text was made.
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
        let info = validator.validate(&module).map_err(|e| error::refused(e.emit_to_string(text)))?;
        Ok(Self { module, info })
    }

    /// The shader of one entry.
    /// # Errors
    /// `Kernel` where naga or the driver refuses it.
    pub(crate) fn shader(&self, context: &Context, wanted: &Wanted<'_>) -> Result<wgpu::ShaderModule> {
        let entry = wanted.entry;
        let words = self.spirv(context, wanted)?;
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(entry),
            entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: entry.into(),
                workgroup_size: (1, 1, 1),
            }]),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: the words are what naga makes of a valid module, with indices checked.
        let (module, reported) =
            context.scoped(|| unsafe { context.device.create_shader_module_passthrough(descriptor) });
        match reported {
            None => Ok(module),
            Some(error) => Err(error::refused(format!("`{entry}`: {}", error::describe(&error)))),
        }
    }

    /// The module with memory that is read alone marked as such, which lets drivers load it early and through caches that see no
    /// stores.
    fn with_access(&self, interface: &Interface, windows: u32) -> Cow<'_, naga::Module> {
        if interface.read_only.is_empty() {
            return Cow::Borrowed(&self.module);
        }
        let mut module = self.module.clone();
        let is_read_only = |binding: u32| interface.read_only.contains(&(binding / windows));
        for (_, variable) in module.global_variables.iter_mut() {
            let is_atomic = match module.types[variable.ty].inner {
                naga::TypeInner::Array { base, .. } => {
                    matches!(module.types[base].inner, naga::TypeInner::Atomic(_))
                }
                _ => false,
            };
            if let (naga::AddressSpace::Storage { access }, Some(naga::ResourceBinding { group: 0, binding })) =
                (&mut variable.space, variable.binding)
                && is_read_only(binding)
                && !is_atomic
            {
                *access = naga::StorageAccess::LOAD;
            }
        }
        Cow::Owned(module)
    }

    fn spirv(&self, context: &Context, wanted: &Wanted<'_>) -> Result<Vec<u32>> {
        let Wanted { interface, windows, entry, constants, .. } = *wanted;
        let refused = |message: String| error::refused(format!("`{entry}`: {message}"));
        let stage = naga::ShaderStage::Compute;
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let module = self.with_access(interface, windows);
        let (module, info) =
            naga::back::pipeline_constants::process_overrides(&module, &self.info, Some((stage, entry)), &constants)
                .map_err(|e| refused(e.to_string()))?;
        let options = naga::back::spv::Options {
            lang_version: context.vulkan.spirv_version,
            flags: naga::back::spv::WriterFlags::empty(),
            fake_missing_bindings: false,
            binding_map: binding_map(interface, windows),
            bounds_check_policies: naga::proc::BoundsCheckPolicies {
                index: naga::proc::BoundsCheckPolicy::Restrict,
                buffer: if context.vulkan.checks_buffers {
                    naga::proc::BoundsCheckPolicy::Unchecked
                } else {
                    naga::proc::BoundsCheckPolicy::Restrict
                },
                ..Default::default()
            },
            zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
            force_loop_bounding: false,
            ..Default::default()
        };
        let pipeline = naga::back::spv::PipelineOptions { shader_stage: stage, entry_point: entry.to_owned() };
        let words = naga::back::spv::write_vec(&module, &info, &options, Some(&pipeline));
        Ok(spirv::as_written(&words.map_err(|e| refused(e.to_string()))?, &context.vulkan.floats))
    }
}

/// wgpu numbers the bindings of a group one after the other.
fn binding_map(interface: &Interface, windows: u32) -> naga::back::spv::BindingMap {
    let given = interface.bindings.iter().flat_map(|(_, binding)| (0..windows).map(move |w| binding * windows + w));
    let buffers = given.zip(0..).map(|(binding, number)| (naga::ResourceBinding { group: 0, binding }, 0, number));
    let arguments = (naga::ResourceBinding { group: 1, binding: 0 }, 1, 0);
    buffers
        .chain([arguments])
        .map(|(resource, descriptor_set, binding)| {
            (resource, naga::back::spv::BindingInfo { descriptor_set, binding, binding_array_size: None })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads binding 0 (and 1, its second window), words of binding 2, and writes binding 4.
    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> x_1: array<f32>;
        @group(0) @binding(2) var<storage, read_write> words: array<atomic<u32>>;
        @group(0) @binding(4) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(64) fn copy(@builtin(global_invocation_id) item: vec3<u32>) {
            y[item.x] = x[item.x] + x_1[item.x] + f32(atomicLoad(&words[item.x]));
        }";

    /// How many variables of the SPIR-V are decorated as `NonWritable`.
    fn read_only(windows: u32, read_only: &[u32]) -> usize {
        let bindings = vec![(0, 0), (1, 1), (2, 2)];
        let interface = Interface { bindings, read_only: read_only.to_vec(), ..Interface::default() };
        let parsed = Parsed::new(TEXT).unwrap();
        let module = parsed.with_access(&interface, windows);
        let words = naga::back::spv::write_vec(&module, &parsed.info, &naga::back::spv::Options::default(), None);
        const DECORATE: u32 = 3 << 16 | 71;
        words.unwrap().windows(3).filter(|words| words[0] == DECORATE && words[2] == 24).count()
    }

    #[test]
    fn subgroups_exchange_registers_where_the_text_is_for_such() {
        use okl::target::wgsl::Features;
        const SOURCE: &str = "@kernel void test(const long *in, const float *values, long *out, unsigned int *votes) {
            for (int o = 0; o < 4; ++o; @outer) {
                for (int i = 0; i < 64; ++i; @inner) {
                    out[64 * o + i] = subgroup_sum(in[64 * o + i], 32) + (long)subgroup_max(values[i], 8);
                    votes[64 * o + i] = subgroup_ballot(values[i] > 0.0f, 16);
                }
            }
        }";
        const SHUFFLE: u32 = 6 << 16 | 345;
        const BALLOT: u32 = 5 << 16 | 339;
        let request =
            okl::Request { name: "t.okl", source: SOURCE, mode: "WebGPU", defines: &[], includes: &okl::NoIncludes };
        for subgroups in [false, true] {
            let target = okl::back::wgsl::WgslTarget(Features { subgroups, ..Features::ALL });
            let compiled = okl::compile_with(&request, &target, okl::Checks::None).expect("it is correct");
            let parsed = Parsed::new(&compiled.text).expect("naga takes it");
            let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
            let words =
                naga::back::spv::write_vec(&parsed.module, &parsed.info, &options, None).expect("it is written");
            let words = spirv::as_written(&words, &spirv::FloatControls::default());
            assert_eq!([SHUFFLE, BALLOT].map(|first| words.contains(&first)), [subgroups; 2], "{}", compiled.text);
            assert_eq!(compiled.text.contains("workgroupBarrier"), !subgroups, "{}", compiled.text);
        }
    }

    #[test]
    fn memory_that_is_read_alone_is_marked_in_the_shader() {
        assert_eq!(read_only(2, &[]), 0);
        // Both windows of the first pointer; words that are loaded atomically must not be marked.
        assert_eq!(read_only(2, &[0]), 2);
        assert_eq!(read_only(2, &[0, 1]), 2);
        assert_eq!(read_only(1, &[0]), 1);
    }
}
