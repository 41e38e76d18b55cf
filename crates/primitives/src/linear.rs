//! Linear algebra of many small matrices at once: products, Cholesky factors of dense and band matrices, triangular solves,
//! inverses of triangles, orthogonal polar factors; in `f32` and `f64`.
//!
//! A batch is matrices of one shape in one piece of memory, one after another, each row by row. A band holds of row `r` the
//! elements `r - half_width ..= r`, so that the diagonal is last; elements left of the matrix are not read (this is LAPACK's
//! storage of an upper band, by columns).
//!
//! # The order
//! Each sum takes its products by ascending index, without fused multiply-adds, and begins with what it is added to or
//! subtracted from: `c[i][j] + a[i][0] b[0][j] + a[i][1] b[1][j] …`. The pages of the kernels state the order of each
//! algorithm. Results are the same bits on every device, in any batch.
//!
//! # Failures
//! A matrix that has no factor says so in memory, beside those of its batch that have one, and the host does not wait.

use crate::primitives::{Primitives, State};
use crate::program::{Args, Macros, Source, index_type};
use ferrocca_core::{Error, IntoArg, Memory, Real, Result};
use okl::ir::Scalar;

const GEMM: Source = Source { text: include_str!("../kernels/gemm.okl"), kernel: "gemm" };
const CHOLESKY: Source = Source { text: include_str!("../kernels/cholesky.okl"), kernel: "cholesky" };
const TRIANGULAR: Source = Source { text: include_str!("../kernels/triangular.okl"), kernel: "triangular" };
const POLAR: Source = Source { text: include_str!("../kernels/polar.okl"), kernel: "polar" };

/// Steps of the polar factor's iteration before it gives up.
const STEPS: usize = 60;

/// Columns that a processor takes together: four registers of 256 bits.
fn strip<T: Real>() -> usize {
    128 / size_of::<T>()
}

/// What is left of an iteration that squares its error, when its next step is the last.
fn tolerance<T: Real>() -> f64 {
    if size_of::<T>() == 4 { 2e-4 } else { 1e-8 }
}

/// Where an iteration begins to scale: the higher, the more steps it takes, and the less it enlarges rounding errors of what
/// has come to 1 already.
fn lowest<T: Real>() -> f64 {
    if size_of::<T>() == 4 { 0.3 } else { 0.01 }
}

/// A batch of matrices that is read.
#[derive(Clone, Copy, Debug)]
pub struct Matrices<'a, T: Real> {
    memory: &'a Memory<T>,
    rows: usize,
    columns: usize,
    is_transposed: bool,
    skyline: usize,
}

impl<'a, T: Real> Matrices<'a, T> {
    /// All matrices of `rows × columns` that `memory` holds.
    pub fn new(memory: &'a Memory<T>, [rows, columns]: [usize; 2]) -> Self {
        Self { memory, rows, columns, is_transposed: false, skyline: 0 }
    }

    /// Their transposes, of the same memory.
    pub fn t(self) -> Self {
        Self { is_transposed: !self.is_transposed, ..self }
    }

    /// Says that column `j` of each has only zeros above its row `step * j`: [`syrk`](Primitives::syrk) of the transposes leaves
    /// out what it can of these.
    pub fn with_skyline(self, step: usize) -> Self {
        Self { skyline: step, ..self }
    }

    /// Rows and columns, as the operation sees them.
    fn shape(&self) -> [usize; 2] {
        if self.is_transposed { [self.columns, self.rows] } else { [self.rows, self.columns] }
    }
}

/// A batch of lower triangles.
#[derive(Clone, Copy, Debug)]
pub struct Factor<'a, T: Real> {
    memory: &'a Memory<T>,
    n: usize,
    half_width: Option<usize>,
}

impl<'a, T: Real> Factor<'a, T> {
    /// Dense `n × n` matrices; what stands above the diagonal is not read.
    pub fn dense(memory: &'a Memory<T>, n: usize) -> Self {
        Self { memory, n, half_width: None }
    }

    /// Bands of `n` rows of `half_width + 1` elements.
    pub fn band(memory: &'a Memory<T>, n: usize, half_width: usize) -> Self {
        Self { memory, n, half_width: Some(half_width) }
    }
}

/// Right-hand sides made of unit vectors: column `j` of the `o`-th of a matrix's `count` right-hand sides is 1 in row
/// `first + o + step * j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// The row of the first right-hand side's first column.
    pub first: usize,
    /// Right-hand sides of each matrix.
    pub count: usize,
    /// Rows from column to column.
    pub step: usize,
    /// Columns of each right-hand side.
    pub columns: usize,
}

/// What a product does to the matrix that it is stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It is overwritten.
    Set,
    /// The product is added.
    Add,
    /// The product is subtracted.
    Subtract,
}

impl Primitives {
    /// Queues the products of two batches: `C = A B`, `C + A B` or `C - A B`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for shapes that do not fit, memory that holds no whole number of matrices, or
    /// batches that differ; as [`ferrocca_core::Kernel::launch`].
    pub fn gemm<T: Real>(
        &self,
        a: Matrices<'_, T>,
        b: Matrices<'_, T>,
        update: Update,
        c: &mut Memory<T>,
    ) -> Result<()> {
        let ([m, k], [k_of_b, n]) = (a.shape(), b.shape());
        if k != k_of_b {
            return Err(Error::out_of_bounds(format!("gemm: matrices of {m} × {k} times matrices of {k_of_b} × {n}")));
        }
        self.multiply(a, Some(b), update, [m, n, k], c)
    }

    /// Queues the symmetric products `A transpose(A)`; `syrk(a.t())` is that of the transposes. Both sides of the diagonal are
    /// written; what is added to or subtracted from is read below it.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn syrk<T: Real>(&self, a: Matrices<'_, T>, update: Update, c: &mut Memory<T>) -> Result<()> {
        let [n, k] = a.shape();
        self.multiply(a, None, update, [n, n, k], c)
    }

    fn multiply<T: Real>(
        &self,
        a: Matrices<'_, T>,
        b: Option<Matrices<'_, T>>,
        update: Update,
        [m, n, k]: [usize; 3],
        c: &mut Memory<T>,
    ) -> Result<()> {
        let batch = batch_of("c", c.len(), m * n)?;
        same_batch("a", a.memory.len(), m * k, batch)?;
        if let Some(b) = &b {
            same_batch("b", b.memory.len(), k * n, batch)?;
        }
        if batch == 0 {
            return Ok(());
        }
        if k == 0 {
            return if update == Update::Set { c.fill(T::zeroed()) } else { Ok(()) };
        }
        let index = index_type(batch * (m * n).max(m * k).max(n * k));
        let state = &mut *self.state();
        let kernel = state.programs.kernel(&self.device, &GEMM, |macros| {
            set_numbers::<T>(macros, index, n);
            for (name, value) in [("M", m), ("N", n), ("K", k), ("SKYLINE", a.skyline)] {
                macros.set(name, value);
            }
            macros.set("A_TRANSPOSED", u8::from(a.is_transposed));
            macros.set("B_TRANSPOSED", u8::from(b.is_some_and(|b| b.is_transposed)));
            macros.set("SYMMETRIC", u8::from(b.is_none()));
            macros.set("BEGIN", u8::from(update != Update::Set));
            macros.set("SUBTRACT", u8::from(update == Update::Subtract));
            Ok(())
        })?;
        let mut arguments = Args::new();
        arguments.extend([batch.into_arg(), a.memory.into_arg()]);
        arguments.extend(b.as_ref().map(|b| b.memory.into_arg()));
        arguments.push(c.into_arg());
        kernel.launch_on(&self.stream, arguments)
    }

    /// Queues the Cholesky factors `L` of dense symmetric `n × n` matrices, `M = L transpose(L)`, in place. What stands above
    /// the diagonal is not read, and becomes 0. `info` has a number for each matrix: 0, or that of the first pivot, counted from
    /// 1, which is not above zero; the elements of such a factor are unspecified.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn cholesky<T: Real>(&self, matrices: &mut Memory<T>, n: usize, info: &mut Memory<i32>) -> Result<()> {
        self.factorise(matrices, n, None, info)
    }

    /// As [`cholesky`](Self::cholesky), of bands.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn band_cholesky<T: Real>(
        &self,
        bands: &mut Memory<T>,
        n: usize,
        half_width: usize,
        info: &mut Memory<i32>,
    ) -> Result<()> {
        self.factorise(bands, n, Some(half_width), info)
    }

    fn factorise<T: Real>(
        &self,
        matrices: &mut Memory<T>,
        n: usize,
        half_width: Option<usize>,
        info: &mut Memory<i32>,
    ) -> Result<()> {
        let batch = batch_of("matrices", matrices.len(), stored(n, half_width))?;
        same_batch("info", info.len(), 1, batch)?;
        if batch == 0 {
            return Ok(());
        }
        let index = index_type(matrices.len());
        let state = &mut *self.state();
        let kernel = state.programs.kernel(&self.device, &CHOLESKY, |macros| {
            set_numbers::<T>(macros, index, n);
            set_rows(macros, n, half_width);
            Ok(())
        })?;
        kernel.launch_on(&self.stream, [batch.into_arg(), matrices.into_arg(), info.into_arg()])
    }

    /// Queues the solutions of `L X = B` in place, for right-hand sides of `n × columns`.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn solve_lower<T: Real>(&self, factor: Factor<'_, T>, columns: usize, x: &mut Memory<T>) -> Result<()> {
        self.solve(factor, false, columns, None, x)
    }

    /// Queues the solutions of `transpose(L) X = B` in place, for right-hand sides of `n × columns`.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn solve_lower_transposed<T: Real>(
        &self,
        factor: Factor<'_, T>,
        columns: usize,
        x: &mut Memory<T>,
    ) -> Result<()> {
        self.solve(factor, true, columns, None, x)
    }

    /// Queues the solutions of `L transpose(L) X = B` in place, for right-hand sides of `n × columns`.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn cholesky_solve<T: Real>(&self, factor: Factor<'_, T>, columns: usize, x: &mut Memory<T>) -> Result<()> {
        self.solve(factor, false, columns, None, x)?;
        self.solve(factor, true, columns, None, x)
    }

    /// Queues columns of the inverses of lower triangles, `L X = E`: for each factor `units.count` matrices of `n × units.columns`.
    /// # Errors
    /// As [`gemm`](Self::gemm); [`ferrocca_core::ErrorKind::OutOfBounds`] for a unit vector beyond the last row.
    pub fn solve_units<T: Real>(&self, factor: Factor<'_, T>, units: Units, x: &mut Memory<T>) -> Result<()> {
        let last = units.first + units.count.saturating_sub(1) + units.step * units.columns.saturating_sub(1);
        if units.count > 0 && units.columns > 0 && last >= factor.n {
            return Err(Error::out_of_bounds(format!("unit vectors up to row {last} of {} rows", factor.n)));
        }
        self.solve(factor, false, units.columns, Some(units), x)
    }

    /// Queues the inverses of lower triangles as dense matrices.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn invert_lower<T: Real>(&self, factor: Factor<'_, T>, inverses: &mut Memory<T>) -> Result<()> {
        self.solve_units(factor, Units { first: 0, count: 1, step: 1, columns: factor.n }, inverses)
    }

    fn solve<T: Real>(
        &self,
        factor: Factor<'_, T>,
        is_transposed: bool,
        columns: usize,
        units: Option<Units>,
        x: &mut Memory<T>,
    ) -> Result<()> {
        let Factor { memory, n, half_width } = factor;
        let batch = batch_of("the factors", memory.len(), stored(n, half_width))?;
        let count = units.map_or(1, |units| units.count);
        same_batch("x", x.len(), count * n * columns, batch)?;
        if batch == 0 || x.is_empty() {
            return Ok(());
        }
        let index = index_type(memory.len().max(x.len()));
        let state = &mut *self.state();
        let kernel = state.programs.kernel(&self.device, &TRIANGULAR, |macros| {
            set_numbers::<T>(macros, index, columns);
            set_rows(macros, n, half_width);
            macros.set("COLUMNS", columns);
            macros.set("TRANSPOSED", u8::from(is_transposed));
            macros.set("UNIT", u8::from(units.is_some()));
            macros.set("OFFSETS", count);
            macros.set("STEP", units.map_or(0, |units| units.step));
            Ok(())
        })?;
        let first = units.map_or(0, |units| units.first);
        kernel.launch_on(&self.stream, [batch.into_arg(), first.into_arg(), memory.into_arg(), x.into_arg()])
    }

    /// Queues the orthogonal factors `U` of square matrices, `A = U H` with `H` symmetric and positive definite, by scaled
    /// Newton–Schulz iteration (Chen and Chow, 2014). `steps` has the number of steps of each, each two products; -1 where they
    /// did not converge: for a singular matrix, one whose condition number is near the inverse of the precision, or one
    /// with elements that are no finite numbers.
    /// # Errors
    /// As [`gemm`](Self::gemm).
    pub fn polar<T: Real>(&self, a: Matrices<'_, T>, u: &mut Memory<T>, steps: &mut Memory<i32>) -> Result<()> {
        let n = a.rows;
        if n != a.columns {
            return Err(Error::out_of_bounds(format!("polar: {n} × {} is not square", a.columns)));
        }
        let batch = batch_of("a", a.memory.len(), n * n)?;
        same_batch("u", u.len(), n * n, batch)?;
        same_batch("steps", steps.len(), 1, batch)?;
        if batch == 0 {
            return Ok(());
        }
        // What the kernel says for processors, and for GPUs.
        let (rows, columns, matrices) = match self.is_processor() {
            true => (n.next_multiple_of(4), n.next_multiple_of(strip::<T>()), 2),
            false => (n.next_multiple_of(80), n.next_multiple_of(80), 3),
        };
        let State { programs, work, .. } = &mut *self.state();
        let mut work = work.take::<T>(&self.device, batch * matrices * rows * columns)?;
        let index = index_type(work.len());
        let kernel = programs.kernel(&self.device, &POLAR, |macros| {
            macros.set("REAL", T::OKL_NAME);
            macros.set_type("INDEX", index);
            macros.set("N", n);
            macros.set("TRANSPOSED", u8::from(a.is_transposed));
            macros.set("ROWS", rows);
            macros.set("LD", columns);
            macros.set("STRIP", strip::<T>());
            macros.set("LOWEST", lowest::<T>());
            macros.set("TOLERANCE", tolerance::<T>());
            macros.set("LIMIT", STEPS);
            Ok(())
        })?;
        let arguments = [batch.into_arg(), a.memory.into_arg(), (&mut work).into_arg(), u.into_arg(), steps.into_arg()];
        kernel.launch_on(&self.stream, arguments)
    }

    /// Whether kernels run as loops of a processor.
    pub(crate) fn is_processor(&self) -> bool {
        ["Serial", "CPU", "Reference"].contains(&self.device.mode())
    }

    /// Whether a processor runs the items of a group as the lanes of vectors, and makes a switch between these of a barrier:
    /// Mesa's llvmpipe, through WebGPU.
    pub(crate) fn emulates_gpu(&self) -> bool {
        self.device.capabilities().runs_on_processor && !self.is_processor() && self.device.mode() != "OpenCL"
    }
}

/// Elements of one matrix.
fn stored(n: usize, half_width: Option<usize>) -> usize {
    n * half_width.map_or(n, |half_width| half_width + 1)
}

fn set_numbers<T: Real>(macros: &mut Macros<'_>, index: Scalar, columns: usize) {
    macros.set("REAL", T::OKL_NAME);
    macros.set_type("INDEX", index);
    macros.set("STRIP", strip::<T>().min(columns.next_power_of_two()));
}

fn set_rows(macros: &mut Macros<'_>, n: usize, half_width: Option<usize>) {
    macros.set("N", n);
    macros.set("BAND", u8::from(half_width.is_some()));
    macros.set("WIDTH", half_width.unwrap_or(n.saturating_sub(1)));
}

/// How many matrices of `each` elements there are.
fn batch_of(what: &str, len: usize, each: usize) -> Result<usize> {
    match each {
        0 if len == 0 => Ok(0),
        each if each > 0 && len.is_multiple_of(each) => Ok(len / each),
        _ => Err(Error::out_of_bounds(format!("{what}: {len} elements are no whole number of matrices of {each}"))),
    }
}

fn same_batch(what: &str, len: usize, each: usize, batch: usize) -> Result<()> {
    if len == each * batch {
        return Ok(());
    }
    Err(Error::out_of_bounds(format!("{what}: {len} elements, where {batch} matrices of {each} are needed")))
}
