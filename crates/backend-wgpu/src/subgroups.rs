//! Whether subgroups are what kernels' texts take them for ([`okl::target::wgsl::Features::subgroups`]).
//!
//! Vulkan says how many threads a subgroup has. It does not say which these are, and before maximal reconvergence not when
//! they are together again behind a branch: so a device is asked once, when it is opened, and only of a vendor whose
//! hardware is known to keep both.

use crate::context::Context;
use crate::transfer;

/// Threads of a subgroup.
pub(crate) const LANES: u32 = 32;

const NVIDIA: u32 = 0x10de;

/// Whether an adapter is worth asking.
pub(crate) fn are_likely(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Vulkan
        && info.vendor == NVIDIA
        && (info.subgroup_min_size, info.subgroup_max_size) == (LANES, LANES)
}

/// Groups that look at themselves: one along one axis, and one in whose rows no subgroup ends.
const SHAPES: [[u32; 3]; 2] = [ROW, [12, 4, 2]];
const ROW: [u32; 3] = [256, 1, 1];

/// Each thread parts from its neighbours, then looks at the values and votes of its subgroup, and is counted if they are those
/// of its neighbours. `zero` is 0, which no compiler knows.
const TEXT: &str = "
    struct Found { right: atomic<u32>, zero: u32 }
    @group(0) @binding(0) var<storage, read_write> found: Found;
    @compute @workgroup_size(SHAPE) fn ask(@builtin(local_invocation_index) index: u32) {
        var value = index;
        for (var k = 0u; k < index % 5u; k += 1u) { value += found.zero; }
        let first = index - index % LANES;
        var is_right = subgroupBallot(value % 2u == 1u).x == 0xaaaaaaaau >> (32u - LANES);
        for (var lane = 0u; lane < LANES; lane += 1u) {
            if (subgroupShuffle(value, lane) != first + lane) { is_right = false; }
        }
        if (is_right) { atomicAdd(&found.right, 1u); }
    }";

/// Whether the subgroups of an open device have so many threads, which are neighbours in their group.
pub(crate) fn are_neighbours(context: &Context, lanes: u32) -> bool {
    SHAPES.iter().all(|&shape| right_threads(context, shape, lanes) == Some(shape.iter().product()))
}

/// How many threads of a group of this shape find what they expect; `None` where the device answers nothing.
fn right_threads(context: &Context, shape: [u32; 3], lanes: u32) -> Option<u32> {
    let shape = shape.map(|size| size.to_string()).join(", ");
    let text = TEXT.replace("SHAPE", &shape).replace("LANES", &format!("{lanes}u"));
    let device = &context.device;
    let (found, error) = context.scoped(|| {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("subgroups"), source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("subgroups"),
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let found = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("subgroups"),
            size: 8,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("subgroups"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: found.as_entire_binding() }],
        });
        let mut recorded = context.queue.lock();
        let mut pass = recorded.encoder(context).begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        found
    });
    let mut right = [0; 4];
    transfer::copy_out(context, &found, 0, &mut right).ok().filter(|()| error.is_none())?;
    Some(u32::from_le_bytes(right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter;
    use crate::context::Choices;
    use crate::fault_injection::unless_missing;
    use ferrocca_core::Result;
    use std::sync::Arc;

    /// A device whose subgroups all have as many threads, however many that are; `None` where no adapter has such.
    fn device() -> Result<Option<(Arc<Context>, u32)>> {
        let (instance, mut adapters) = adapter::list("Vulkan")?;
        let has_one_size = |of: &wgpu::Adapter| {
            let info = of.get_info();
            of.features().contains(wgpu::Features::SUBGROUP) && info.subgroup_min_size == info.subgroup_max_size
        };
        let Some(index) = adapters.iter().position(has_one_size) else { return Ok(None) };
        let chosen = adapters.swap_remove(index);
        let lanes = chosen.get_info().subgroup_min_size;
        let open = |adapter: &wgpu::Adapter, description: &wgpu::DeviceDescriptor<'_>| {
            let required_features = description.required_features | wgpu::Features::SUBGROUP;
            pollster::block_on(
                adapter.request_device(&wgpu::DeviceDescriptor { required_features, ..description.clone() }),
            )
        };
        Ok(Some((Context::open_by(instance, chosen, &Choices::default(), open)?, lanes)))
    }

    #[test]
    fn a_device_says_how_many_neighbours_a_subgroup_has() {
        let Some(found) = unless_missing(device()) else { return };
        let Some((context, lanes)) = found else { return println!("skipped: no adapter has subgroups of one size") };
        println!("{lanes} lanes");
        let all = right_threads(&context, ROW, lanes);
        assert_eq!(all, Some(ROW[0]), "{lanes} lanes");
        for other in [2, 4, 8, 16, 32].into_iter().filter(|other| *other != lanes) {
            assert_ne!(right_threads(&context, ROW, other), all, "{other} lanes, where subgroups have {lanes}");
        }
        context.failure.check().expect("no error is left");
    }
}
