//! Parts of programs that pages show, as parts of functions that are compiled. `readme.rs` compares them.

use ferrocca::{Device, Memory, Result, args};
use std::ffi::c_void;

mod kernels {
    ferrocca::okl!("tests/kernels/axpy.okl");
}

fn tasks(device: Device, x: Memory<f64>, mut y: Memory<f64>) -> Result<()> {
    let kernels = kernels::Kernels::build(&device, ())?;
    kernels.axpy(3, 2.0, &x, &mut y)?;
    Ok(())
}

fn opencl(
    context: *mut c_void,
    device_id: *mut c_void,
    mem: *mut c_void,
    queue: *mut c_void,
    len: usize,
) -> Result<()> {
    use ferrocca::{NativeHandle, opencl};
    // SAFETY: nobody calls this.
    let device = Device::open_with(&unsafe { opencl::InContext::new(context, device_id) }?, "mode=OpenCL")?;
    // SAFETY: as above.
    let memory = unsafe { device.wrap_memory::<f32>(NativeHandle::opencl(mem as u64), len) }?;
    // SAFETY: as above.
    let stream = unsafe { device.wrap_stream(queue as u64) }?;
    drop((memory, stream));
    Ok(())
}

fn webgpu(n: usize) -> Result<()> {
    let webgpu = Device::open("mode=WebGPU, exportable=true")?;
    let cuda = webgpu.peer("CUDA")?;
    let there = webgpu.malloc::<f32>(n)?;
    let here: Memory<f32> = cuda.import_memory(there.untyped())?.typed()?;
    cuda.default_stream().wait_stream(&webgpu.default_stream())?;
    drop(here);
    Ok(())
}

fn tuned(device: &Device) -> Result<()> {
    let step = device.build_kernel("heat.okl", "heat", "tune: {TILE: [64, 128, 256, 1024]}")?;
    drop(step);
    Ok(())
}

fn many_machines() -> std::process::ExitCode {
    use ferrocca::comm::{self, Grid, RecordExchange};
    comm::run(|comm| {
        let device = comm.open_device("CPU")?;
        let grid = Grid::new(comm, &[1000, 1000], 1)?.periodic(&[true, true])?;
        let heat = device.build_kernel("heat.okl", "heat", ())?;
        let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
        let mut v = device.malloc_filled(grid.centred().len(), 0.0)?;
        let (rows, columns) = (grid.extents()[0], grid.extents()[1]);
        let plan = grid.plan(&[&mut v])?;
        if comm.rank() == 0 {
            println!("{plan}");
        }
        let mut graph = device.record(|r| {
            r.launch(&heat, args![rows as i32, columns as i32, 0.1, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.rotate([&u, &v])
        })?;
        graph.replay_rotating(1000, [&mut u, &mut v])?;
        if let Some(all) = grid.gather(&u)? {
            println!("the first point: {}", all[0]);
        }
        Ok(())
    })
}
