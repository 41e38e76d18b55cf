//! What text for WebGPU depends on.

/// What a WebGPU device can do, as far as the text depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// `double`.
    pub f64: bool,
    /// 64-bit integers.
    pub i64: bool,
    /// 16-bit integers, in buffers too.
    pub i16: bool,
    /// Atomic 64-bit integers.
    pub i64_atomics: bool,
    /// Bytes of immediates that a dispatch can carry, 0 where there are none.
    pub immediate_bytes: u32,
    /// Largest part of a buffer that one binding reaches, in bytes.
    pub binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Storage buffers of a shader.
    pub storage_bindings: u32,
    /// Nests that only move data have a second entry, which runs two groups side by side.
    pub coarsen: bool,
    /// A branch is no jump: the device runs it for all items, and masks those that are not in it.
    pub masks: bool,
    /// The driver ends every loop of an item after some number of iterations of all of them together, and says nothing:
    /// kernels with loops ask whether it has, and report it.
    pub ends_loops: bool,
    /// Subgroups have exactly 32 threads, neighbours by their number in the workgroup (its first 32, the next 32 …), and threads
    /// that parted in a branch are together again behind it: what subgroup functions exchange stays in registers. No standard
    /// promises any of this, so it is for the backend to know its driver.
    pub subgroups: bool,
    /// Functions of `float` are WGSL's own where it has them: faster, and as precise as WGSL demands of the driver.
    pub native_math: bool,
}

impl Features {
    /// Everything that standards know, with the limits of a small device.
    pub const ALL: Self = Self {
        f64: true,
        i64: true,
        i16: true,
        i64_atomics: true,
        immediate_bytes: 128,
        binding_bytes: 128 << 20,
        buffer_bytes: (2 << 30) - 1,
        storage_bindings: 32,
        coarsen: true,
        masks: false,
        ends_loops: false,
        subgroups: false,
        native_math: false,
    };
}
