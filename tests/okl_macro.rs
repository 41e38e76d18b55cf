//! `okl!`: kernels that are checked while this test compiles, and that need no file when it runs.

use ferrocca::{Device, Result};

mod burgers_kernels {
    ferrocca::okl!("kernels/burgers.okl", dfloat = "float");
}

mod particles {
    ferrocca::okl!("tests/kernels/particles.okl", dfloat = double);
}

ferrocca::kernel_struct! {
    /// A point that moves.
    pub struct Particle {
        x: f64,
        v: f64,
    }
}

fn devices() -> Vec<Device> {
    let devices: Vec<_> = ["mode=Reference", "mode=Serial", "mode=CPU", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"]
        .into_iter()
        .filter_map(|mode| Device::open(mode).map_err(|error| eprintln!("skipped: {error}")).ok())
        .collect();
    assert!(!devices.is_empty(), "mode `Reference` is always there");
    devices
}

#[test]
fn kernels_are_launched_by_functions_of_their_own() -> Result<()> {
    for device in devices() {
        let kernels = particles::Kernels::build(&device, ())?;
        let particle = |x| Particle { x, v: 2.0 };
        let mut memory = device.malloc_from(&[particle(0.0), particle(1.0), particle(2.0)])?;
        let still = device.malloc_from(&[0, 1, 0])?;
        kernels.r#move(3, 0.5, &mut memory, &still)?;
        let x: Vec<f64> = memory.to_vec()?.iter().map(|particle| particle.x).collect();
        assert_eq!(x, [1.0, 1.0, 3.0], "{}", device.mode());
        assert_eq!(kernels.move_kernel().name(), "move");
    }
    Ok(())
}

#[test]
fn a_define_decides_the_type() -> Result<()> {
    let device = Device::open("mode=Reference")?;
    let kernels = burgers_kernels::Kernels::build(&device, ())?;
    let before = device.malloc_filled(66, 1.0f32)?;
    let mut after = device.malloc_filled(66, 0.0f32)?;
    kernels.burgers_step(64, 0.5, 0.25, &before, &mut after)?;
    assert_eq!(after.to_vec()?, vec![1.0; 66]);
    Ok(())
}

/// Includes are part of the program: they are found from any directory, also where there are no such files.
#[test]
fn no_file_is_needed() {
    let source = particles::Kernels::SOURCE;
    assert_eq!(source.name, "tests/kernels/particles.okl");
    assert!(matches!(source.includes, [("real.h", _, "typedef dfloat real;\n")]), "{source:?}");
}
