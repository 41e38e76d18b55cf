//! Extraction against numbers of an independent implementation: `data/desi.gz`, or all of the reference arrays where
//! `FERROCCA_DESI` names their directory. `FERROCCA_SPECTRA_DEVICES` replaces the devices: `mode=CUDA;mode=OpenCL`.

use ferrocca::Device;
use ferrocca_spectra::{Decorrelate, Extractor, Frame, Grid, Image, Options, Precision, Psf, Series, mask};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Arrays by their names, `case/name`.
struct Arrays {
    arrays: HashMap<String, (Vec<usize>, Vec<f64>)>,
    is_whole: bool,
}

/// What NumPy wrote: shape and numbers.
fn npy(bytes: &[u8]) -> (Vec<usize>, Vec<f64>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "a .npy file of version 1");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..end]).expect("text");
    assert!(header.contains("'fortran_order': False"), "{header}");
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).expect("a shape").0;
    let shape: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let kind = header.split_once("'descr': '").expect("a type").1;
    let values = match &kind[..3] {
        "<f8" => bytes[end..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect(),
        "<i8" => {
            bytes[end..].chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight")) as f64).collect()
        }
        "|b1" => bytes[end..].iter().map(|b| f64::from(*b)).collect(),
        other => panic!("numbers of {other}"),
    };
    (shape, values)
}

impl Arrays {
    fn load() -> Self {
        let mut arrays = HashMap::new();
        if let Some(directory) = std::env::var_os("FERROCCA_DESI") {
            for case in ["psf", "tiny", "small", "masked"] {
                for entry in std::fs::read_dir(Path::new(&directory).join(case)).expect("a directory of arrays") {
                    let path = entry.expect("an entry").path();
                    if path.extension().is_some_and(|e| e == "npy") {
                        let name = format!("{case}/{}", path.file_stem().expect("a name").to_string_lossy());
                        arrays.insert(name, npy(&std::fs::read(path).expect("an array")));
                    }
                }
            }
            return Self { arrays, is_whole: true };
        }
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&include_bytes!("data/desi.gz")[..]).read_to_end(&mut bytes).expect("gzip");
        let mut at = 0;
        let mut take = |len: usize| {
            at += len;
            &bytes[at - len..at]
        };
        loop {
            let len = u32::from_le_bytes(take(4).try_into().expect("four")) as usize;
            let name = String::from_utf8(take(len).to_vec()).expect("text");
            let len = u64::from_le_bytes(take(8).try_into().expect("eight")) as usize;
            arrays.insert(name.clone(), npy(take(len)));
            if name == "masked/good" {
                break;
            }
        }
        let good = arrays["masked/good"].1.clone();
        for name in ["image", "ivar"] {
            let (shape, values) = arrays[&format!("small/{name}")].clone();
            let masked = values.iter().zip(&good).map(|(value, good)| value * good).collect();
            arrays.insert(format!("masked/{name}"), (shape, masked));
        }
        Self { arrays, is_whole: false }
    }

    fn get(&self, name: &str) -> &[f64] {
        &self.arrays[name].1
    }

    fn psf(&self) -> Psf {
        let trace = |name: &str| {
            let (shape, coefficients) = self.arrays[&format!("psf/{name}")].clone();
            let range = if name.ends_with("trace") { [5543.0, 7826.0] } else { [5543.0, 7827.0] };
            Series { coefficients, terms: shape[1], range }
        };
        let (shape, gh) = &self.arrays["psf/gh"];
        let [nx, ny, fibres, terms] = shape[..] else { panic!("the shape of gh") };
        // From function by function to fibre by fibre.
        let coefficients = (0..fibres * nx * ny * terms)
            .map(|at| {
                let (fibre, function, k) = (at / (nx * ny * terms), at / terms % (nx * ny), at % terms);
                gh[(function * fibres + fibre) * terms + k]
            })
            .collect();
        Psf {
            x: trace("xtrace"),
            y: trace("ytrace"),
            sigma_x: trace("ghsigx"),
            sigma_y: trace("ghsigy"),
            hermite: Series { coefficients, terms, range: [5543.0, 7827.0] },
            degrees: [nx - 1, ny - 1],
            half_sizes: [8, 5],
            error: 0.01,
        }
    }

    fn image<'a>(&'a self, case: &str, pixels: &'a [f64]) -> Image<'a> {
        let origin = self.get(&format!("{case}/origin_yx"));
        Image {
            pixels,
            ivar: self.get(&format!("{case}/ivar")),
            columns: self.arrays[&format!("{case}/image")].0[1],
            origin: [origin[0] as i64, origin[1] as i64],
        }
    }
}

/// Devices and what they compute with; those that are missing are named.
fn devices(default: &str) -> Vec<(Device, Precision)> {
    let list = std::env::var("FERROCCA_SPECTRA_DEVICES").unwrap_or_else(|_| default.to_owned());
    let mut found = Vec::new();
    for props in list.split(';') {
        let (props, is_narrow) = match props.strip_suffix("/f32") {
            Some(props) => (props, true),
            None => (props, false),
        };
        match Device::open(props) {
            Ok(device) => found.push((device, if is_narrow { Precision::F32 } else { Precision::F64 })),
            Err(error) => {
                assert!(std::env::var_os("FERROCCA_SPECTRA_DEVICES").is_none(), "{props}: {error}");
                let mode = props.split(',').next().unwrap_or(props).trim_start_matches("mode=");
                let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
                assert!(!required.split(',').any(|name| name.trim().eq_ignore_ascii_case(mode)), "{props}: {error}");
                eprintln!("skipped: {props}: {error}");
            }
        }
    }
    found
}

/// The largest difference, relative to the largest magnitude.
fn relative(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len(), "lengths");
    let highest = expected.iter().fold(0.0f64, |high, v| high.max(v.abs()));
    let off = |(a, b): (&f64, &f64)| if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
    got.iter().zip(expected).map(off).fold(0.0, f64::max) / highest
}

#[track_caller]
fn below(what: &str, value: f64, bar: f64) {
    println!("{what}: {value:.2e}, bar {bar:.0e}");
    assert!(value < bar, "{what}: {value:e} is not below {bar:e}");
}

#[test]
fn stages_of_one_patch() {
    let arrays = Arrays::load();
    let psf = arrays.psf();
    let tiny = |name: &str| arrays.get(&format!("tiny/{name}"));
    let corner = |name: &str| tiny(name).iter().fold(f64::INFINITY, |low, v| low.min(*v)) as i64;
    let image = Image {
        pixels: tiny("img"),
        ivar: tiny("ivar"),
        columns: arrays.arrays["tiny/img"].0[1],
        origin: [corner("yc"), corner("xc")],
    };
    let grid = Grid { first: 6000.0, last: 6049.0, step: 1.0 };
    for (device, precision) in devices("mode=Serial, checked=true;mode=Serial;mode=CPU;mode=OpenCL;mode=WebGPU/f32") {
        let mut extractor = Extractor::new(&device, precision).expect("an extractor");
        for (decorrelate, suffix) in [(Decorrelate::Signal, "signal"), (Decorrelate::Noise, "noise")] {
            if decorrelate == Decorrelate::Noise && device.mode() == "WebGPU" {
                // One matrix of 250 is more than Mesa's software driver lets an item loop.
                continue;
            }
            let found = extractor.stages(&psf, &image, grid, [0, 5], 0.0, decorrelate).expect("stages");
            let corners: Vec<f64> = found.corners.iter().map(|corner| corner[0] as f64).collect();
            assert_eq!(corners, tiny("yc"));
            let bar = if precision == Precision::F64 { 1e-9 } else { 1e-3 };
            let compare = |name: &str, got: &[f64]| below(name, relative(got, tiny(name)), bar);
            println!("{}, {precision:?}, {suffix}", device.mode());
            compare("spots", &found.spots);
            compare("icov", &found.icov);
            compare("y", &found.y);
            compare("fluxweight", &found.fluxweight);
            compare("xflux", &found.x);
            compare(&format!("flux_{suffix}"), &found.flux);
            compare(&format!("fluxivar_{suffix}"), &found.ivar);
            compare(&format!("R_{suffix}"), &found.resolution);
        }
    }
}

fn extract(arrays: &Arrays, case: &str, extractor: &mut Extractor) -> Frame {
    let image = arrays.image(case, arrays.get(&format!("{case}/image")));
    let grid = Grid::of(arrays.get(&format!("{case}/wave"))).expect("a grid");
    let options = Options { bundle_size: 10, sub_bundles: 2, ..Options::default() };
    extractor.extract(&arrays.psf(), &image, grid, 0, 10, &options).expect("a frame")
}

/// Bars in `f64` for flux as a pull, inverse variance, resolution, χ², model.
fn compare(arrays: &Arrays, case: &str, frame: &Frame, precision: Precision, bars: [f64; 5]) {
    let get = |name: &str| arrays.get(&format!("{case}/{name}"));
    let (flux, ivar, fraction) = (get("specflux"), get("specivar"), get("pixmask_fraction"));
    let is_good = |at: &usize| fraction[*at] <= 0.5;
    let worst = |of: &dyn Fn(usize) -> f64| {
        (0..flux.len()).filter(is_good).map(of).fold(0.0, |worst: f64, v| if v.is_nan() { v } else { worst.max(v) })
    };
    let pull = |at: usize| (frame.flux[at] - flux[at]).abs() * ivar[at].sqrt();
    println!("{case}, {precision:?}");
    below(
        "pixmask_fraction",
        relative(&frame.pixmask_fraction, fraction),
        if precision == Precision::F64 { 1e-9 } else { 1e-4 },
    );
    match precision {
        Precision::F64 => below("pull", worst(&pull), bars[0]),
        Precision::F32 => {
            // Which of both a bin keeps.
            println!("pull alone: {:.2e}", worst(&pull));
            let either = |at: usize| (pull(at) / 5e-4).min((frame.flux[at] / flux[at] - 1.0).abs() / 1e-4);
            below("pull / 5e-4 or relative flux / 1e-4", worst(&either), 1.0);
        }
    }
    below("ivar", worst(&|at| (frame.ivar[at] / ivar[at] - 1.0).abs()), bars[1]);
    let (rdiags, nwave) = (get("Rdiags"), frame.wave.len());
    let rows = frame.diagonals;
    let of_bin = |at: usize| {
        let (fibre, bin) = (at / nwave, at % nwave);
        (0..rows)
            .map(|row| (fibre * rows + row) * nwave + bin)
            .map(|at| (frame.rdiags[at] - rdiags[at]).abs())
            .fold(0.0, f64::max)
    };
    below("Rdiags", worst(&of_bin), bars[2]);
    let highest = get("chi2pix").iter().fold(0.0f64, |high, v| high.max(*v));
    below("chi2pix", worst(&|at| (frame.chi2pix[at] - get("chi2pix")[at]).abs() / highest), bars[3]);
    // The subset has rows of the model that bins before its first one do not reach.
    let model = get("modelimage");
    below("modelimage", relative(&frame.model[frame.model.len() - model.len()..], model), bars[4]);
    for (at, fraction) in fraction.iter().enumerate() {
        assert_eq!(frame.mask[at] & mask::SOME_BAD_PIXELS != 0, *fraction > 0.5, "bin {at}: {}", frame.mask[at]);
        if *fraction >= 1.0 - 1e-6 {
            assert!(frame.mask[at] & mask::ALL_BAD_PIXELS != 0 && frame.ivar[at] == 0.0, "bin {at}");
        }
    }
    assert!(frame.mask.iter().all(|bits| bits & mask::NO_SOLUTION == 0));
}

fn bars(case: &str, precision: Precision) -> [f64; 5] {
    match (precision, case) {
        (Precision::F32, _) => [5e-4, 1e-3, 1e-3, 1e-3, 1e-3],
        (_, "small") => [1e-8, 1e-9, 1e-9, 1e-8, 1e-9],
        _ => [1e-4, 1e-5, 1e-5, 1e-5, 1e-5],
    }
}

#[test]
fn small_and_masked_frames() {
    let arrays = Arrays::load();
    println!("all bins: {}", arrays.is_whole);
    for (device, precision) in devices("mode=Serial;mode=Serial/f32;mode=CPU, threads=2;mode=OpenCL;mode=WebGPU/f32") {
        let mut extractor = Extractor::new(&device, precision).expect("an extractor");
        for case in ["small", "masked"] {
            let start = std::time::Instant::now();
            let frame = extract(&arrays, case, &mut extractor);
            println!("{} {case}: {:.3} s", device.mode(), start.elapsed().as_secs_f64());
            compare(&arrays, case, &frame, precision, bars(case, precision));
            let again = extract(&arrays, case, &mut extractor);
            assert_eq!(frame, again, "memory that was used before changes nothing");
        }
    }
}
