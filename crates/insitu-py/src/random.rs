//! Random numbers: `ferrocca::primitives::Random` for the package's `ferrocca.random`.

use crate::error::{OrRaise, WrongValueError};
use crate::memory::{PyMemory, refuse_read_only, refuse_strides, view_of, with_type};
use crate::primitives::{Operands, of_structs};
use ferrocca::primitives::Random;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Fills memory with numbers of a distribution with parameters `a` and `b`, from a position of the sequence of a seed on;
/// answers the next position.
#[pyfunction]
pub(crate) fn fill_random(
    py: Python<'_>,
    kind: &str,
    sequence: (u64, u64),
    parameters: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    out: &Bound<'_, PyMemory>,
) -> PyResult<u64> {
    let ((seed, position), (a, b)) = (sequence, parameters);
    let memory = out.borrow();
    let view = view_of(&memory);
    refuse_read_only(&view)?;
    refuse_strides(&view)?;
    let operands = Operands::new(&PyTuple::new(py, [out])?, None, None)?;
    let mut random = Random::new(seed).at(position);
    let target = memory.memory.clone();
    let (low, high) = match kind {
        "integers" => (a.extract::<i64>()?, b.extract::<i64>()?),
        "uniform" | "normal" | "exponential" | "poisson" => (0, 0),
        _ => return Err(WrongValueError::new_err(format!("`{kind}` is no distribution"))),
    };
    let (a, b): (f64, f64) = (a.extract()?, b.extract()?);
    operands.queue(py, &[], |primitives| {
        let random = &mut random;
        with_type!(target.dtype(), T => {
            let out = &mut target.typed::<T>()?;
            match kind {
                "uniform" => primitives.uniform(random, a, b, out),
                "normal" => primitives.normal(random, a, b, out),
                "exponential" => primitives.exponential(random, a, out),
                "poisson" => primitives.poisson(random, a, out),
                _ => primitives.integers(random, low, high, out),
            }
        }, else |layout| Err(of_structs(layout.name)))
    })?;
    Ok(random.position())
}

/// Writes the states of so many generators, two words each, to memory of `uint64`.
#[pyfunction]
pub(crate) fn xoroshiro128p_states(py: Python<'_>, seed: u64, out: &Bound<'_, PyMemory>) -> PyResult<()> {
    let memory = out.borrow();
    refuse_strides(&view_of(&memory))?;
    let mut target = memory.memory.typed::<u64>().or_raise()?;
    let count = target.len() / 2;
    py.detach(|| {
        let states = Random::xoroshiro128p_states(seed, count);
        let words: Vec<u64> = states.iter().flat_map(|state| [state.s0, state.s1]).collect();
        target.copy_from(&words)
    })
    .or_raise()
}
