//! Steady heat in a square plate: Jacobi iteration for Laplace's equation, as a solver that embeds Ferrocca.
//!
//! The plate has `n × n` inner points; its rim is held at given temperatures.
//! Source: any text on iterative methods, e.g. Y. Saad, *Iterative Methods for Sparse Linear Systems*, §4.1.

use ferrocca::{Device, Kernel, Memory, Result, args};

const SOURCE: &str = r"
// u, u_prev: (n + 2) x (n + 2), row-major, the rim included. change[0] takes the number of points that still move.
@kernel void jacobi(const int n, const double tolerance,
                    @restrict const double *u_prev, @restrict double *u, @restrict int *change) {
  for (int j = 1; j < n + 1; ++j; @tile(16, @outer(1), @inner(1))) {
    for (int i = 1; i < n + 1; ++i; @tile(16, @outer(0), @inner(0))) {
      const int k = j * (n + 2) + i;
      const double mean = 0.25 * (u_prev[k - 1] + u_prev[k + 1] + u_prev[k - n - 2] + u_prev[k + n + 2]);
      u[k] = mean;
      if (fabs(mean - u_prev[k]) > tolerance) {
        @atomic change[0] += 1;
      }
    }
  }
}";

/// A plate on a device.
pub struct Plate {
    n: usize,
    jacobi: Kernel,
    u: Memory<f64>,
    previous: Memory<f64>,
    change: Memory<i32>,
}

impl Plate {
    /// A plate with `n × n` inner points at 0, its upper rim at 1 and the others at 0.
    pub fn new(device: &Device, n: usize) -> Result<Self> {
        let row = n + 2;
        let mut start = vec![0.0; row * row];
        start[..row].fill(1.0);
        Ok(Self {
            n,
            jacobi: device.build_kernel_from_string(SOURCE, "jacobi", "")?,
            u: device.malloc_from(&start)?,
            previous: device.malloc_from(&start)?,
            change: device.malloc_filled(1, 0)?,
        })
    }

    /// Iterates until no point moves by more than `tolerance`; answers the number of sweeps.
    pub fn relax(&mut self, tolerance: f64) -> Result<usize> {
        for sweep in 1.. {
            self.change.fill(0)?;
            self.u.swap(&mut self.previous);
            self.jacobi.launch(args![self.n, tolerance, &self.previous, &mut self.u, &mut self.change])?;
            if self.change.to_vec()? == [0] {
                return Ok(sweep);
            }
        }
        unreachable!("the loop has no end but its return")
    }

    /// Temperature in the middle.
    pub fn centre(&self) -> Result<f64> {
        let row = self.n + 2;
        let mut value = [0.0];
        self.u.copy_to_at(row / 2 * row + row / 2, &mut value)?;
        Ok(value[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By symmetry, four plates with one hot side each add up to a plate that is hot all around: a quarter each.
    #[test]
    fn the_centre_has_a_quarter_of_the_rim() {
        for mode in ["mode=Serial", "mode=CPU"] {
            let device = Device::open(mode).expect("a C compiler");
            let mut plate = Plate::new(&device, 31).expect("a plate");
            plate.relax(1e-9).expect("converges");
            assert!((plate.centre().expect("a value") - 0.25).abs() < 1e-5);
        }
    }
}
