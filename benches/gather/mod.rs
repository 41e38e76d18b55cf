//! `to[i] = from[idx[i]]`, with checks, with indices in constant memory, and without checks.

use crate::compare::{Contender, interleave};
use ferrocca::{Device, Result, args};
use std::cell::RefCell;
use std::time::Duration;

const SOURCE: &str = "@kernel void gather(const int n, const int *idx, const double *from, double *to) {
    for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) { to[i] = from[idx[i]]; }
}";

/// In which order elements are read.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    /// One after the other.
    Ascending,
    /// Mixed among 1,024 neighbours, as a mesh's nodes are.
    Near,
    /// From anywhere.
    Random,
}

impl Order {
    pub(crate) const ALL: [Self; 3] = [Self::Ascending, Self::Near, Self::Random];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Near => "near",
            Self::Random => "random",
        }
    }

    /// A permutation: 7919 and 37 have no divisor in common with what they count through.
    fn index(self, i: i64, n: i64) -> i64 {
        match self {
            Self::Ascending => i,
            Self::Near if i / 1024 < n / 1024 => i / 1024 * 1024 + (i * 37) % 1024,
            Self::Near => i,
            Self::Random => i * 7919 % n,
        }
    }
}

/// Seconds of a gather of `n` numbers.
pub(crate) struct Measured {
    pub(crate) checked: f64,
    /// The indices are in constant memory.
    pub(crate) constant: f64,
    pub(crate) vouched_for: f64,
}

/// Measures gathers of `n` numbers.
/// # Errors
/// Failures of the device; an index out of range.
pub(crate) fn measure(device: &Device, n: usize, order: Order) -> Result<Measured> {
    let kernel = device.build_kernel_from_string(SOURCE, "gather", ())?;
    // SAFETY: every index is below n.
    let unchecked = unsafe { kernel.assume_in_bounds()? };
    let idx: Vec<i32> = (0..n as i64).map(|i| order.index(i, n as i64) as i32).collect();
    let (variable, constant) = (device.malloc_from(&idx)?, device.malloc_constant_from(&idx)?);
    let from = device.malloc_from(&(0..n).map(|i| i as f64).collect::<Vec<_>>())?;
    let to = RefCell::new(device.malloc_filled(n, 0.0)?);
    let launches = [(&kernel, &variable), (&kernel, &constant), (&unchecked, &variable)];
    let (from, to) = (&from, &to);
    let mut contenders = launches.map(|(kernel, idx)| Contender {
        name: "gather",
        run: Box::new(move |times| {
            for _ in 0..times {
                let to = &mut *to.borrow_mut();
                kernel.launch(args![n as i32, idx, from, to]).expect("every index is in range");
            }
            device.finish().expect("every index is in range");
        }),
    });
    let samples = interleave(&mut contenders, 31, Duration::from_millis(20));
    Ok(Measured { checked: samples.median(0), constant: samples.median(1), vouched_for: samples.median(2) })
}
