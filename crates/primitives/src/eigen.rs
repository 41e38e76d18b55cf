//! Eigenvalues and eigenvectors of many small symmetric matrices, in `f32` and `f64`: Jacobi rotations in a fixed order, which
//! `eigen.okl` states, so that results are the same bits on every device.

use crate::primitives::Primitives;
use crate::program::{Source, index_type};
use ferrocca_core::{Error, IntoArg, Memory, Real, Result};

const EIGEN: Source = Source { text: include_str!("../kernels/eigen.okl"), kernel: "eigen" };

/// Sweeps before it gives up. Convergence is quadratic: matrices of some hundred rows take about ten.
const SWEEPS: usize = 30;

impl Primitives {
    /// Queues the eigenvalues of a batch of symmetric `n × n` matrices into `values`, `n` of each in ascending order, and the
    /// eigenvectors of length 1 into `vectors`, as the columns of `n × n` matrices in the same order. Of `a` the part on and
    /// below the diagonal is read. `info` is 0 for each matrix, and 1 for one that has not converged, such as one with a NaN.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for memory that holds no whole number of matrices, or results of another size;
    /// as [`ferrocca_core::Kernel::launch`].
    pub fn symmetric_eigen<T: Real>(
        &self,
        a: &Memory<T>,
        n: usize,
        values: &mut Memory<T>,
        vectors: &mut Memory<T>,
        info: &mut Memory<i32>,
    ) -> Result<()> {
        let size = n.checked_mul(n).filter(|&size| size > 0 && a.len().is_multiple_of(size));
        let Some(size) = size else {
            let text = format!("symmetric_eigen: {} elements are no whole number of {n} × {n} matrices", a.len());
            return Err(Error::out_of_bounds(text));
        };
        let batch = a.len() / size;
        let results = [values.len(), vectors.len(), info.len()];
        if results != [batch * n, a.len(), batch] {
            return Err(Error::out_of_bounds(format!(
                "symmetric_eigen: results of {batch} matrices of {n} × {n} into memory of {results:?} elements"
            )));
        }
        if batch == 0 {
            return Ok(());
        }
        let state = &mut *self.state();
        let mut work = state.work.take::<T>(&self.device, a.len())?;
        let mut turned = state.turned.take::<T>(&self.device, a.len())?;
        let kernel = state.programs.kernel(&self.device, &EIGEN, |macros| {
            macros.set_type("INDEX", index_type(a.len()));
            macros.set_type("REAL", T::DTYPE.scalar().unwrap_or(okl::ir::Scalar::F64));
            macros.set("N", n);
            macros.set("SWEEPS", SWEEPS);
            Ok(())
        })?;
        let arguments = [
            batch.into_arg(),
            a.into_arg(),
            (&mut work).into_arg(),
            (&mut turned).into_arg(),
            values.into_arg(),
            vectors.into_arg(),
            info.into_arg(),
        ];
        kernel.launch_on(&self.stream, arguments)
    }
}
