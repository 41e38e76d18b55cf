//! Several bundles: on any devices and in any dealing the same bits, without new memory, along a time line; and what is done
//! where a patch has no solution, or a PSF no light.

use ferrocca::Device;
use ferrocca_spectra::{Extractor, Frame, Grid, Image, Options, Precision, Psf, Series, Stage, mask};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Counts large allocations of a thread.
struct Counting;

const LARGE: usize = 256 << 10;

thread_local! {
    static COUNTED: Cell<usize> = const { Cell::new(0) };
    static LOGGED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE {
            let _ = COUNTED.try_with(|counted| counted.set(counted.get() + 1));
        }
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Keeps what a thread builds.
struct Log;

impl log::Log for Log {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Info
    }

    fn log(&self, record: &log::Record<'_>) {
        LOGGED.with_borrow_mut(|lines| lines.push(record.args().to_string()));
    }

    fn flush(&self) {}
}

const RANGE: [f64; 2] = [5000.0, 5200.0];
const GRID: Grid = Grid { first: 5030.0, last: 5089.0, step: 1.0 };
const ROWS: usize = 260;

/// Traces 6 pixels apart, spots near 1.1 pixels wide with a lean.
fn psf(fibres: usize) -> Psf {
    let series = |terms: &dyn Fn(usize) -> [f64; 3]| Series {
        coefficients: (0..fibres).flat_map(terms).collect(),
        terms: 3,
        range: RANGE,
    };
    let hermite = |at: usize| match (at / 3 % 9, at % 3) {
        (0, 0) => 1.0,
        (4, 0) => 0.05,
        (8, 1) => 0.01,
        _ => 0.0,
    };
    Psf {
        x: series(&|fibre| [12.0 + 6.0 * fibre as f64, 1.3, 0.2]),
        y: series(&|fibre| [130.0 + 0.2 * fibre as f64, 160.0, 1.0]),
        sigma_x: series(&|_| [1.05, 0.02, 0.0]),
        sigma_y: series(&|_| [1.1, -0.03, 0.0]),
        hermite: Series { coefficients: (0..fibres * 27).map(hermite).collect(), terms: 3, range: RANGE },
        degrees: [2, 2],
        half_sizes: [6, 4],
        error: 0.01,
    }
}

/// A number of (0, 1) for each place.
fn random(at: usize) -> f64 {
    let mut x = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Pixels of noise: what the spectra are does not matter here.
struct Exposure {
    pixels: Vec<f64>,
    ivar: Vec<f64>,
    columns: usize,
}

impl Exposure {
    fn of(fibres: usize) -> Self {
        let columns = 6 * fibres + 22;
        let pixels = (0..ROWS * columns).map(|at| 100.0 * random(at)).collect();
        let ivar =
            (0..ROWS * columns).map(|at| if random(3 * at) < 0.01 { 0.0 } else { 0.01 + random(5 * at) }).collect();
        Self { pixels, ivar, columns }
    }

    fn image(&self) -> Image<'_> {
        Image { pixels: &self.pixels, ivar: &self.ivar, columns: self.columns, origin: [0, 0] }
    }
}

fn options(bundle_size: usize) -> Options {
    Options { bundle_size, sub_bundles: 1, wave_step: 20, wave_pad: 5, ..Options::default() }
}

fn open(props: &[&str]) -> Vec<Device> {
    props.iter().map(|props| Device::open(*props).expect("a device")).collect()
}

fn extract(devices: &[&str], fibres: usize, bundle_size: usize) -> Frame {
    let (psf, exposure) = (psf(fibres), Exposure::of(fibres));
    let mut extractor = Extractor::on(&open(devices), Precision::F64).expect("an extractor");
    extractor.extract(&psf, &exposure.image(), GRID, 0, fibres, &options(bundle_size)).expect("a frame")
}

#[test]
fn any_dealing_over_devices_gives_the_same_bits() {
    // Bundles of two: three of them share columns, so that the model's sums have an order.
    let alone = extract(&["mode=Serial"], 10, 2);
    assert!(alone.model.iter().any(|light| *light != 0.0) && alone.flux.iter().all(|flux| flux.is_finite()));
    for devices in
        [&["mode=CPU, threads=1", "mode=CPU, threads=2"][..], &["mode=Serial", "mode=Serial", "mode=CPU, threads=2"]]
    {
        assert!(extract(devices, 10, 2) == alone, "{devices:?}");
    }
}

#[test]
fn ranks_that_take_every_other_bundle_get_the_same_bits() {
    let whole = extract(&["mode=Serial"], 6, 2);
    let (psf, exposure) = (psf(6), Exposure::of(6));
    let mut extractor = Extractor::on(&open(&["mode=Serial"]), Precision::F64).expect("an extractor");
    let mut of = |firsts: &[usize]| {
        extractor.extract_bundles(&psf, &exposure.image(), GRID, firsts, &options(2)).expect("a frame")
    };
    let (even, odd) = (of(&[0, 4]), of(&[2]));
    let len = 2 * whole.wave.len();
    assert_eq!(even.flux, [&whole.flux[..len], &whole.flux[2 * len..]].concat());
    assert_eq!(odd.ivar, whole.ivar[len..2 * len]);
    assert!(of(&[]).flux.is_empty(), "a rank may have no bundle");
}

#[test]
fn later_bundles_allocate_nothing() {
    let (psf, exposure) = (psf(10), Exposure::of(10));
    let device = Device::open("mode=Serial").expect("a device");
    let mut extractor = Extractor::new(&device, Precision::F64).expect("an extractor");
    let mut run = |fibres: usize| {
        let before = COUNTED.get();
        let options = Options { model: false, ..options(5) };
        extractor.extract(&psf, &exposure.image(), GRID, 0, fibres, &options).expect("a frame");
        (COUNTED.get() - before, device.memory_allocated())
    };
    let (first, _) = run(5);
    assert!(first > 1, "the first frame makes what bundles need: {first}");
    // Its second slot is as large as its first; the strips of other bundles may be larger.
    let (_, bytes) = run(10);
    assert_eq!(run(10), (0, bytes));
    assert_eq!(run(5), (0, bytes), "what is there is kept");
}

#[test]
fn a_time_line_has_each_stage_of_each_bundle() {
    let (psf, exposure) = (psf(6), Exposure::of(6));
    let mut extractor =
        Extractor::on(&open(&["mode=Serial", "mode=CPU, threads=1"]), Precision::F64).expect("an extractor");
    extractor.extract(&psf, &exposure.image(), GRID, 0, 6, &options(2)).expect("a frame");
    assert!(extractor.timeline().spans.is_empty(), "nobody asked");
    extractor.set_timing(true);
    extractor.extract(&psf, &exposure.image(), GRID, 0, 6, &options(2)).expect("a frame");
    let spans = &extractor.timeline().spans;
    let bundles: Vec<(usize, usize)> = spans.iter().map(|span| (span.device, span.fibre)).collect();
    assert_eq!(bundles, [[(0, 0); 3], [(0, 4); 3], [(1, 2); 3]].concat());
    for stages in spans.chunks(3) {
        assert_eq!(
            [Stage::Upload, Stage::Compute, Stage::Download].map(Some),
            [0, 1, 2].map(|at| Some(stages[at].stage))
        );
        for span in stages {
            assert!(0.0 <= span.begin && span.begin <= span.end, "{span:?}");
        }
        assert!(stages[0].end <= stages[1].end && stages[1].end <= stages[2].end, "{stages:?}");
        assert!(stages[1].end > stages[1].begin, "kernels take time");
    }
    let mut text = String::new();
    write!(text, "{}", extractor.timeline()).expect("a string takes everything");
    assert_eq!(text.lines().count(), 1 + spans.len());
    assert!(text.lines().nth(2).is_some_and(|line| line.contains("compute") && line.ends_with('#')), "{text}");
}

/// Two fibres on one trace cannot be told apart: their normal equations have no factor.
#[test]
fn a_patch_without_a_solution_is_regularised() {
    let mut psf = psf(4);
    for series in [&mut psf.x, &mut psf.y] {
        series.coefficients.copy_within(0..3, 3);
    }
    let mut exposure = Exposure::of(4);
    // Beside sums of this size 1e-15 on the diagonal is nothing, and the square of 1e-4 is enough.
    exposure.ivar.iter_mut().for_each(|ivar| *ivar *= 1e4);
    let mut extractor = Extractor::new(&open(&["mode=Serial"])[0], Precision::F64).expect("an extractor");
    let mut of = |regularize: f64| {
        let options = Options { regularize, ..options(2) };
        extractor.extract(&psf, &exposure.image(), GRID, 0, 4, &options).expect("a frame")
    };
    let (plain, regularised, other) = (of(0.0), of(1e-4), of(1e-3));
    let half = 2 * plain.wave.len();
    assert_eq!(plain.flux[..half], regularised.flux[..half], "the first bundle is done again");
    assert_eq!(plain.ivar[..half], regularised.ivar[..half]);
    assert!(plain.mask.iter().all(|bits| bits & mask::NO_SOLUTION == 0));
    assert!(plain.flux[..half].iter().all(|flux| flux.is_finite()));
    assert_ne!(plain.flux[half..], regularised.flux[half..], "the second one is left alone");
    assert_ne!(plain.flux[..half], other.flux[..half]);
    assert!(plain.model.iter().all(|light| light.is_finite()));
}

/// Weights whose sums are beyond the largest number leave nothing to solve, regularised or not.
#[test]
fn a_patch_without_any_solution_is_marked() {
    let psf = psf(4);
    let mut exposure = Exposure::of(4);
    // Rows that the patch of the second twenty bins sees alone, left of the second bundle.
    let columns = exposure.columns;
    for row in 63..66 {
        exposure.ivar[row * columns + 8..row * columns + 16].fill(1e308);
    }
    let mut extractor = Extractor::new(&open(&["mode=Serial"])[0], Precision::F64).expect("an extractor");
    let frame = extractor.extract(&psf, &exposure.image(), GRID, 0, 4, &options(2)).expect("a frame");
    let nwave = frame.wave.len();
    let failed: Vec<bool> = frame.mask.iter().map(|bits| bits & mask::NO_SOLUTION != 0).collect();
    assert!(failed[..nwave].iter().any(|failed| *failed) && failed[..nwave].iter().any(|failed| !failed), "{failed:?}");
    assert_eq!(failed[..nwave], failed[nwave..2 * nwave], "both fibres of the patch");
    assert!(!failed[2 * nwave..].iter().any(|failed| *failed), "the other bundle");
    for (at, failed) in failed.iter().enumerate() {
        assert!(frame.flux[at].is_finite() && frame.ivar[at].is_finite());
        assert!(!failed || (frame.flux[at] == 0.0 && frame.ivar[at] == 0.0));
    }
    assert!(frame.model.iter().all(|light| light.is_finite()), "what failed has no light");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let exposure = Exposure::of(4);
    let mut extractor = Extractor::new(&open(&["mode=Serial"])[0], Precision::F64).expect("an extractor");
    let mut refused = |what: &str, psf: &Psf, image: Image<'_>, grid: Grid, first: usize, options: &Options| {
        let error = extractor.extract(psf, &image, grid, first, 4, options).expect_err(what).to_string();
        assert!(error.contains(what), "{what}: {error}");
    };
    let (good, image, fine) = (psf(4), exposure.image(), options(2));
    refused("fibres 2 to 6 of a PSF of 4", &good, image, GRID, 2, &fine);
    refused("no whole bundles of 2", &good, image, GRID, 1, &fine);
    refused("cannot be cut into 3 equal parts", &good, image, GRID, 0, &Options { sub_bundles: 3, ..options(2) });
    refused("margins of 3; a margin has 4", &good, image, GRID, 0, &Options { wave_pad: 3, ..options(2) });
    refused("5 Å beyond the range", &good, image, Grid { first: 4990.0, ..GRID }, 0, &fine);
    refused("has no two bins", &good, image, Grid { step: f64::NAN, ..GRID }, 0, &fine);
    refused("1 inverse variances", &good, Image { ivar: &[1.0], ..image }, GRID, 0, &fine);
    let changed = |change: &dyn Fn(&mut Psf)| {
        let mut psf = psf(4);
        change(&mut psf);
        psf
    };
    let thin = changed(&|psf| psf.sigma_x.coefficients[6] = -1.0);
    refused("fibre 2 at ", &thin, image, GRID, 0, &fine);
    let short = changed(&|psf| psf.y.coefficients.truncate(11));
    refused("`y` has 11 coefficients", &short, image, GRID, 0, &fine);
    let not_a_number = changed(&|psf| psf.x.coefficients[2] = f64::NAN);
    refused("`x` has an empty range or a coefficient that is no number", &not_a_number, image, GRID, 0, &fine);
    let dark = changed(&|psf| {
        psf.hermite.coefficients[3 * 27..].fill(0.0);
        psf.hermite.coefficients[3 * 27] = -1.0;
    });
    refused("psf: fibre 3 at 5024 Å has an empty spot", &dark, image, GRID, 0, &fine);
    assert!(Grid::of(&[1.0, 2.0, 4.0]).is_err_and(|error| error.to_string().contains("not evenly spaced")));
    assert!(Extractor::on(&[], Precision::F64).is_err_and(|error| error.to_string().contains("needs a device")));
}

/// A launch whose accesses cannot be proven builds its kernel a second time, with checks, and runs at half the speed.
#[test]
fn accesses_are_proven() {
    static LOG: Log = Log;
    // Only this test sets a logger.
    log::set_logger(&LOG).expect("the first one");
    log::set_max_level(log::LevelFilter::Info);
    extract(&["mode=Serial"], 2, 2);
    let mut built = HashMap::new();
    for line in LOGGED.take() {
        let name = line.split('`').nth(1).expect("the kernel's name").to_owned();
        *built.entry(name).or_insert(0) += 1;
    }
    // Of the band and of the fibres' covariances; forwards, back, for unit vectors, and an inverse.
    for (name, expected) in
        [("spots", 1), ("gather", 1), ("cholesky", 2), ("triangular", 4), ("gemm", 1), ("polar", 1), ("finish", 1)]
    {
        assert_eq!(built.get(name), Some(&expected), "{name}: {built:?}");
    }
}
