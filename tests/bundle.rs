//! Bundles: kernels built ahead, loaded where there may be no compiler and no source.

use ferrocca::{BuildOrigin, Bundle, Device, Error, Result, args};
use std::path::{Path, PathBuf};

const SOURCE: &str = "
@kernel void scale(const int n, const float a, const int *map, float *x) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) x[map[i]] *= a;
}
@kernel void clear(const int n, float *x) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) x[i] = 0;
}
";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::write(place.source(), SOURCE).unwrap();
        place
    }

    fn source(&self) -> PathBuf {
        self.0.path().join("scale.okl")
    }

    fn bundle(&self) -> PathBuf {
        self.0.path().join("kernels.bundle")
    }
}

fn open(mode: &str) -> Option<Device> {
    Device::open(mode).map_err(|error| eprintln!("skipped: {error}")).ok()
}

/// Launches `scale` of a bundle; its accesses depend on memory, so that checks are taken from the bundle, too.
fn scaled(device: &Device, bundle: &Path) -> Result<()> {
    let kernel = device.build_kernel_from_bundle(bundle, "scale")?;
    assert_eq!(*kernel.origin(), BuildOrigin::Bundle);
    let map = device.malloc_from(&[2, 0, 1])?;
    let mut x = device.malloc_from(&[1.0f32, 2.0, 3.0])?;
    kernel.launch(args![3, 2.0f32, &map, &mut x])?;
    assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0], "{}", device.mode());
    let wild = device.malloc_from(&[0, 1, 7])?;
    let refused = kernel.launch(args![3, 2.0f32, &wild, &mut x]).and_then(|()| device.finish());
    assert!(refused.is_err(), "an access out of range is found on {}", device.mode());
    Ok(())
}

fn message(result: Result<impl Sized>) -> String {
    result.map(drop).map_err(|error: Error| error.to_string()).unwrap_err()
}

#[test]
fn every_device_loads_what_was_built_for_it() -> Result<()> {
    let place = Place::new();
    let devices: Vec<Device> = ["mode=Reference", "mode=Serial", "mode=CPU", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"]
        .into_iter()
        .filter_map(open)
        .collect();
    let mut bundle = Bundle::new();
    devices.iter().try_for_each(|device| bundle.add(device, place.source(), ()))?;
    bundle.write(place.bundle())?;
    std::fs::remove_file(place.source()).unwrap();
    for device in &devices {
        scaled(device, &place.bundle())?;
    }
    assert_eq!(Bundle::read(place.bundle())?.modes().len(), devices.len());
    Ok(())
}

#[test]
fn a_binary_needs_no_compiler_and_a_text_does() -> Result<()> {
    let Some(serial) = open("mode=Serial") else { return Ok(()) };
    let place = Place::new();
    let none = Device::open("mode=Serial, compiler=/no/such/compiler")?;
    let mut bundle = Bundle::new();
    if let Err(error) = bundle.add(&serial, place.source(), ()) {
        eprintln!("skipped: {error}");
        return Ok(());
    }
    bundle.write(place.bundle())?;
    scaled(&none, &place.bundle())?;

    let mut texts = Bundle::new();
    texts.add_text("Serial", place.source(), ())?;
    texts.add_text("CUDA", place.source(), ())?;
    assert_eq!(texts.modes(), ["Serial (text)", "CUDA (text)"]);
    texts.write(place.bundle())?;
    scaled(&serial, &place.bundle())?;
    let why = message(none.build_kernel_from_bundle(place.bundle(), "scale"));
    assert!(why.contains("the bundle has no binary for") && why.contains("/no/such/compiler"), "{why}");
    Ok(())
}

#[test]
fn a_wrong_bundle_says_what_is_wrong() -> Result<()> {
    let place = Place::new();
    let device = Device::open("mode=Reference")?;
    let mut bundle = Bundle::new();
    bundle.add(&device, place.source(), ())?;
    bundle.write(place.bundle())?;
    let whole = std::fs::read(place.bundle()).unwrap();
    let build = |bytes: &[u8], name: &str| {
        std::fs::write(place.bundle(), bytes).unwrap();
        message(device.build_kernel_from_bundle(place.bundle(), name))
    };
    assert!(build(b"PK\x03\x04", "scale").contains("kernels.bundle: it is not a bundle"));
    assert!(build(b"okl-bundle 9\n", "scale").contains("another version of Ferrocca"));
    for at in [13, 80, 120, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        assert!(build(&damaged, "scale").contains("it is damaged"), "byte {at}");
    }
    for len in [13, 77, 100, whole.len() - 1] {
        assert!(build(&whole[..len], "scale").contains("it is damaged"), "{len} bytes");
    }
    let why = build(&whole, "scael");
    assert!(why.contains("there is no kernel `scael` in the bundle (did you mean `scale`?)"), "{why}");
    let Some(serial) = open("mode=Serial") else { return Ok(()) };
    let why = message(serial.build_kernel_from_bundle(place.bundle(), "scale"));
    assert!(why.contains("the bundle has no kernels for mode `Serial`; it has: `Reference`"), "{why}");
    let why = message(device.build_kernel_from_bundle(place.source(), "scale"));
    assert!(why.contains("it is not a bundle"), "{why}");
    Ok(())
}
