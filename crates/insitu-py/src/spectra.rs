//! Extraction of spectra, for `ferrocca.spex`: buffers of `float64` in and out, in place.

use crate::device::PyDevice;
use crate::error::{OrRaise, WrongValueError};
use ferrocca::Device;
use ferrocca_spectra::{Decorrelate, Extractor, Grid, Image, Options, Precision, Psf, Series};
use pyo3::buffer::PyBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

fn numbers(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    PyBuffer::<f64>::get(array)?.to_vec(py)
}

/// Pixels and inverse variances, which stay where they are.
struct Pixels {
    pixels: PyBuffer<f64>,
    ivar: PyBuffer<f64>,
    columns: usize,
    origin: [i64; 2],
}

impl Pixels {
    fn of((pixels, ivar, columns, origin): &PyImage<'_>) -> PyResult<Self> {
        let buffer = |array: &Bound<'_, PyAny>| -> PyResult<PyBuffer<f64>> {
            let buffer = PyBuffer::get(array)?;
            if buffer.is_c_contiguous() {
                Ok(buffer)
            } else {
                Err(WrongValueError::new_err("an image lies row by row"))
            }
        };
        Ok(Self { pixels: buffer(pixels)?, ivar: buffer(ivar)?, columns: *columns, origin: *origin })
    }

    fn image(&self) -> Image<'_> {
        // SAFETY: the buffer has so many numbers, one after another, for as long as `self` keeps it. That nobody writes them
        // meanwhile is the caller's duty, which the documentation of `extract_frame` says.
        let slice =
            |buffer: &PyBuffer<f64>| unsafe { std::slice::from_raw_parts(start_of(buffer), buffer.item_count()) };
        Image { pixels: slice(&self.pixels), ivar: slice(&self.ivar), columns: self.columns, origin: self.origin }
    }
}

/// The first number of a buffer; not null where there is none.
fn start_of(buffer: &PyBuffer<f64>) -> *const f64 {
    let start = buffer.buf_ptr().cast_const().cast::<f64>();
    if start.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { start }
}

/// Results that NumPy takes without a copy: bytes of what `extract_frame` says, which consumers may write.
#[pyclass(name = "SpectraNumbers", module = "ferrocca._native", frozen)]
pub(crate) struct PyNumbers {
    /// Of a leaked `Vec<u64>`, with its capacity, which this owns.
    start: *mut u64,
    capacity: usize,
    bytes: usize,
}

// SAFETY: this side only frees the memory; who may write what is a matter of those who hold buffers of it, as with any other
// exporter of Python's.
unsafe impl Send for PyNumbers {}
// SAFETY: as above.
unsafe impl Sync for PyNumbers {}

impl PyNumbers {
    fn reals(values: Vec<f64>) -> Self {
        let (mut values, bytes) = (ManuallyDrop::new(values), size_of::<f64>());
        Self { start: values.as_mut_ptr().cast(), capacity: values.capacity(), bytes: values.len() * bytes }
    }

    fn bits(values: &[u32]) -> Self {
        let mut words = vec![0f64; values.len().div_ceil(2)];
        ferrocca::bytemuck::cast_slice_mut::<f64, u32>(&mut words)[..values.len()].copy_from_slice(values);
        let mut numbers = Self::reals(words);
        numbers.bytes = size_of_val(values);
        numbers
    }
}

impl Drop for PyNumbers {
    fn drop(&mut self) {
        // SAFETY: a `Vec` of numbers of eight bytes with this capacity was given up to `self`; Python drops it when no buffer of
        // it is left.
        drop(unsafe { Vec::from_raw_parts(self.start, 0, self.capacity) });
    }
}

/// Corners of spots, which are whole numbers, as float64 has them exactly.
fn corners(corners: &[[i64; 2]]) -> PyNumbers {
    PyNumbers::reals(corners.iter().flatten().map(|corner| *corner as f64).collect())
}

#[pymethods]
impl PyNumbers {
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, buffer: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (start, bytes) = (slf.get().start.cast(), slf.get().bytes as isize);
        // SAFETY: Python passes a buffer to fill. The memory lives as long as `slf`, which the buffer keeps.
        match unsafe { ffi::PyBuffer_FillInfo(buffer, slf.as_ptr(), start, bytes, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// A series: coefficients, terms, the wavelengths of -1 and 1.
type PySeries<'py> = (Bound<'py, PyAny>, usize, f64, f64);

/// A camera's point-spread function.
#[pyclass(name = "SpectraPsf", module = "ferrocca._native", frozen)]
pub(crate) struct PyPsf(Psf);

#[pymethods]
impl PyPsf {
    #[new]
    fn new(
        py: Python<'_>,
        series: [PySeries<'_>; 5],
        degrees: [usize; 2],
        half_sizes: [usize; 2],
        error: f64,
    ) -> PyResult<Self> {
        let mut parts = Vec::new();
        for (coefficients, terms, low, high) in &series {
            parts.push(Series { coefficients: numbers(py, coefficients)?, terms: *terms, range: [*low, *high] });
        }
        let [x, y, sigma_x, sigma_y, hermite] = <[Series; 5]>::try_from(parts).expect("five were given");
        Ok(Self(Psf { x, y, sigma_x, sigma_y, hermite, degrees, half_sizes, error }))
    }
}

/// An image, its inverse variances, its columns, and where its first pixel lies.
type PyImage<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, usize, [i64; 2]);

/// The kernels and the memory of extractions on some devices.
#[pyclass(name = "SpectraExtractor", module = "ferrocca._native", frozen)]
pub(crate) struct PyExtractor(Mutex<Extractor>);

#[pymethods]
impl PyExtractor {
    #[new]
    fn new(devices: Vec<PyRef<'_, PyDevice>>, precision: &str) -> PyResult<Self> {
        let precision = match precision {
            "f64" => Precision::F64,
            "f32" => Precision::F32,
            other => return Err(WrongValueError::new_err(format!("precision is 'f64' or 'f32', not {other:?}"))),
        };
        let devices: Vec<Device> = devices.iter().map(|device| device.device().clone()).collect();
        Ok(Self(Mutex::new(Extractor::on(&devices, precision).or_raise()?)))
    }

    /// Results by the names of `extract_frame`; arrays as buffers of float64, `specmask` of uint32. `firsts` are the first
    /// fibres of bundles.
    #[pyo3(signature = (psf, image, grid, firsts, *, bundlesize, nsubbundles, nwavestep, wavepad, wavepad_frac, pixpad_frac,
                        regularize, psferr, model, timing))]
    #[allow(clippy::too_many_arguments)]
    fn extract<'py>(
        &self,
        py: Python<'py>,
        psf: &PyPsf,
        image: PyImage<'py>,
        grid: (f64, f64, f64),
        firsts: Vec<usize>,
        bundlesize: usize,
        nsubbundles: usize,
        nwavestep: usize,
        wavepad: usize,
        wavepad_frac: f64,
        pixpad_frac: f64,
        regularize: f64,
        psferr: Option<f64>,
        model: bool,
        timing: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let pixels = Pixels::of(&image)?;
        let options = Options {
            bundle_size: bundlesize,
            sub_bundles: nsubbundles,
            wave_step: nwavestep,
            wave_pad: wavepad,
            wave_pad_fraction: wavepad_frac,
            pixel_pad_fraction: pixpad_frac,
            regularize,
            psf_error: psferr,
            model,
        };
        let (frame, timeline) = py
            .detach(|| {
                let grid = Grid { first: grid.0, last: grid.1, step: grid.2 };
                let mut extractor = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                extractor.set_timing(timing);
                let frame = extractor.extract_bundles(&psf.0, &pixels.image(), grid, &firsts, &options)?;
                Ok((frame, extractor.timeline().clone()))
            })
            .or_raise()?;
        let result = PyDict::new(py);
        for (name, values) in [
            ("wave", frame.wave),
            ("specflux", frame.flux),
            ("specivar", frame.ivar),
            ("Rdiags", frame.rdiags),
            ("pixmask_fraction", frame.pixmask_fraction),
            ("chi2pix", frame.chi2pix),
            ("modelimage", frame.model),
        ] {
            result.set_item(name, PyNumbers::reals(values))?;
        }
        result.set_item("specmask", PyNumbers::bits(&frame.mask))?;
        let spans = timeline.spans.iter().map(|span| {
            let stage = format!("{:?}", span.stage).to_lowercase();
            (span.device, span.fibre, stage, span.begin, span.end)
        });
        result.set_item("spans", spans.collect::<Vec<_>>())?;
        result.set_item("timeline", if timing { timeline.to_string() } else { String::new() })?;
        result.set_item("warnings", frame.warnings)?;
        Ok(result)
    }

    /// Spots and the row and column of each one's first pixel.
    fn spots(
        &self,
        py: Python<'_>,
        psf: &PyPsf,
        grid: (f64, f64, f64),
        fibres: [usize; 2],
    ) -> PyResult<(PyNumbers, PyNumbers)> {
        let spots = py
            .detach(|| {
                let grid = Grid { first: grid.0, last: grid.1, step: grid.2 };
                self.0.lock().unwrap_or_else(PoisonError::into_inner).spots(&psf.0, grid, fibres)
            })
            .or_raise()?;
        Ok((PyNumbers::reals(spots.values), corners(&spots.corners)))
    }

    /// The stages of one patch without margins, by their names in Rust.
    #[allow(clippy::too_many_arguments)]
    fn stages<'py>(
        &self,
        py: Python<'py>,
        psf: &PyPsf,
        image: PyImage<'py>,
        grid: (f64, f64, f64),
        fibres: [usize; 2],
        regularize: f64,
        decorrelate: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let decorrelate = match decorrelate {
            "signal" => Decorrelate::Signal,
            "noise" => Decorrelate::Noise,
            other => {
                return Err(WrongValueError::new_err(format!("decorrelate is 'signal' or 'noise', not {other:?}")));
            }
        };
        let pixels = Pixels::of(&image)?;
        let stages = py
            .detach(|| {
                let grid = Grid { first: grid.0, last: grid.1, step: grid.2 };
                let mut extractor = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                extractor.stages(&psf.0, &pixels.image(), grid, fibres, regularize, decorrelate)
            })
            .or_raise()?;
        let result = PyDict::new(py);
        for (name, values) in [
            ("spots", stages.spots),
            ("icov", stages.icov),
            ("y", stages.y),
            ("fluxweight", stages.fluxweight),
            ("xflux", stages.x),
            ("flux", stages.flux),
            ("ivar", stages.ivar),
            ("R", stages.resolution),
        ] {
            result.set_item(name, PyNumbers::reals(values))?;
        }
        result.set_item("corners", corners(&stages.corners))?;
        Ok(result)
    }
}
