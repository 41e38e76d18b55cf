//! What OpenCL C depends on.

/// What runs the items of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A work-item each, which meet at barriers: for GPUs.
    WorkItems,
    /// One work-item after the other, as loops that a compiler vectorises: for processors. A nest whose groups need
    /// memory that is no work-item's own has the other form.
    Loops,
}

/// What a device can do besides what every device can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// `double`: `cl_khr_fp64`, or OpenCL C 3.0's own.
    pub f64: bool,
    /// Atomic updates of 64-bit words: `cl_khr_int64_base_atomics`.
    pub int64_atomics: bool,
    /// More of them: `cl_khr_int64_extended_atomics`.
    pub int64_extended_atomics: bool,
    /// Most items of a group: a kernel of known, smaller groups says so to the compiler.
    pub max_group: u64,
    /// What runs the items of a group.
    pub form: Form,
}

impl Features {
    /// A device that has all that kernels may ask for.
    pub const ALL: Self =
        Self { f64: true, int64_atomics: true, int64_extended_atomics: true, max_group: 1024, form: Form::WorkItems };
}
