//! How long bundles of 25 fibres and 2,326 wavelengths take, from arrays to arrays:
//!
//! ```sh
//! cargo run --release -p ferrocca-spectra --example bundle -- "mode=CPU, threads=1" mode=CUDA mode=CUDA/f32
//! ```
//!
//! The camera is made up: traces 7.5 pixels apart, spots of Gaussians. The image has a continuum and noise. Each
//! device extracts three times; the first one builds kernels. Several devices that share a frame are joined by `+`:
//! `"CUDA, device_id=0+CUDA, device_id=1"`. `FIBRES=500` takes 20 bundles. What is printed last is the share
//! of the light that was found, a sum that is the same for the same device, and how many bins have no solution. `PROFILE=1` adds
//! what each kernel took, `TIMELINE=1` when bundles were copied and computed.

use ferrocca::Device;
use ferrocca_spectra::{Extractor, Grid, Image, Options, Precision, Psf, Series, mask};
use std::time::Instant;

const ROWS: usize = 4128;
const GRID: Grid = Grid { first: 5760.0, last: 7620.0, step: 0.8 };
const RANGE: [f64; 2] = [5700.0, 7700.0];

/// A number of (0, 1) for each place.
fn random(at: usize) -> f64 {
    let mut x = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn psf(fibres: usize) -> Psf {
    let series = |terms: &dyn Fn(usize) -> [f64; 4]| Series {
        coefficients: (0..fibres).flat_map(terms).collect(),
        terms: 4,
        range: RANGE,
    };
    let bundle = |fibre: usize| 30.0 + 7.5 * fibre as f64 + 12.0 * (fibre / 25) as f64;
    // Of the 49 functions of a fibre the first one alone.
    let hermite = (0..fibres * 49 * 4).map(|at| f64::from(u8::from(at % (49 * 4) == 0))).collect();
    Psf {
        x: series(&|fibre| [bundle(fibre), 3.0, 0.5, 0.0]),
        y: series(&|fibre| [2064.0 + 0.1 * (fibre % 25) as f64, 2150.0, 10.0, 0.0]),
        sigma_x: series(&|_| [1.05, 0.0, 0.0, 0.0]),
        sigma_y: series(&|_| [1.1, 0.0, 0.0, 0.0]),
        hermite: Series { coefficients: hermite, terms: 4, range: RANGE },
        degrees: [6, 6],
        half_sizes: [8, 5],
        error: 0.01,
    }
}

/// Light of 300 electrons a row and fibre, more or less; also that between the first and the last wavelength.
fn image(psf: &Psf, fibres: usize, columns: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let (mut pixels, mut light) = (vec![0.0; ROWS * columns], 0.0);
    // A pixel takes the mean over its width, which is nearly a wider bell's value at its centre.
    let bell = |off: f64, sigma: f64| {
        let variance = sigma * sigma + 1.0 / 12.0;
        (-0.5 * off * off / variance).exp() / (variance * std::f64::consts::TAU).sqrt()
    };
    for row in 0..ROWS {
        let t = (row as f64 - 2064.0) / 2150.0;
        let flux = 300.0 + 100.0 * (row as f64 / 200.0).sin();
        for fibre in 0..fibres {
            let centre = psf.x.coefficients[4 * fibre] + 3.0 * t + 0.5 * (1.5 * t * t - 0.5);
            // Rows of the first and last wavelengths' traces.
            light += if (43..4042).contains(&row) { flux } else { 0.0 };
            for column in centre as usize - 6..centre as usize + 8 {
                pixels[row * columns + column] += flux * bell(column as f64 - centre, 1.05);
            }
        }
    }
    let ivar: Vec<f64> = pixels.iter().map(|p| 1.0 / (p + 9.0)).collect();
    for (at, (pixel, ivar)) in pixels.iter_mut().zip(&ivar).enumerate() {
        // The sum of four uniform numbers is near enough to a normal one.
        let noise: f64 = (0..4).map(|k| random(4 * at + k)).sum::<f64>() - 2.0;
        *pixel += noise * 3f64.sqrt() / ivar.sqrt();
    }
    (pixels, ivar, light)
}

fn main() -> ferrocca::Result<()> {
    let fibres: usize = std::env::var("FIBRES").ok().and_then(|n| n.parse().ok()).unwrap_or(25);
    let psf = psf(fibres);
    let columns = (psf.x.coefficients[4 * (fibres - 1)] + 40.0) as usize;
    let (pixels, ivar, light) = image(&psf, fibres, columns);
    let image = Image { pixels: &pixels, ivar: &ivar, columns, origin: [0, 0] };
    let devices: Vec<String> = std::env::args().skip(1).collect();
    let devices = if devices.is_empty() { vec!["mode=CPU, threads=1".to_owned()] } else { devices };
    println!("{fibres} fibres, {} wavelengths", GRID.len());
    for props in devices {
        let (props, precision) = match props.strip_suffix("/f32") {
            Some(props) => (props, Precision::F32),
            None => (props.as_str(), Precision::F64),
        };
        let devices = props.split('+').map(Device::open).collect::<ferrocca::Result<Vec<_>>>()?;
        let mut extractor = Extractor::on(&devices, precision)?;
        for pass in 1..=3 {
            let start = Instant::now();
            let frame = extractor.extract(&psf, &image, GRID, 0, fibres, &Options::default())?;
            let seconds = start.elapsed().as_secs_f64();
            let found: f64 = frame.flux.iter().sum::<f64>() * GRID.step;
            let failed = frame.mask.iter().filter(|bits| **bits & mask::NO_SOLUTION != 0).count();
            let share = found / light;
            println!(
                "{props}, {precision:?}, pass {pass}: {seconds:.3} s, {share:.4} of the light, sum {found:.6}, {failed} failed"
            );
        }
        if std::env::var_os("TIMELINE").is_some() {
            extractor.set_timing(true);
            extractor.extract(&psf, &image, GRID, 0, fibres, &Options::default())?;
            println!("{}", extractor.timeline());
            extractor.set_timing(false);
        }
        if std::env::var_os("PROFILE").is_some() {
            devices.iter().for_each(|device| device.set_profiling(true));
            extractor.extract(&psf, &image, GRID, 0, fibres, &Options::default())?;
            devices.iter().try_for_each(|device| device.profile().map(|profile| println!("{profile}")))?;
        }
    }
    Ok(())
}
