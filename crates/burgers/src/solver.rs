//! The solver: a field, a step, a clock.

use crate::buffers::{AnyBuffers, Scheme};
use crate::{Checkpoint, Config, KERNEL_SOURCE, Limits};
use ferrocca_core::{Device, Error, ErrorKind, Graph, Kernel, Memory, MemoryInfo, Props, Result};

/// The field on the device, to be read.
#[derive(Clone, Copy)]
pub enum FieldRef<'a> {
    /// Single precision.
    F32(&'a Memory<f32>),
    /// Double precision.
    F64(&'a Memory<f64>),
}

/// The field on the device, to be changed before the next step.
pub enum FieldMut<'a> {
    /// Single precision.
    F32(&'a mut Memory<f32>),
    /// Double precision.
    F64(&'a mut Memory<f64>),
}

/// A Burgers problem on a device, at some step.
pub struct Solver {
    pub(crate) device: Device,
    pub(crate) config: Config,
    pub(crate) buffers: AnyBuffers,
    pub(crate) counter: NotFiniteCounter,
    pub(crate) step: u64,
    pub(crate) time: f64,
    pub(crate) scheme: Scheme,
    /// A recorded step, once several were done at once.
    pub(crate) graph: Option<Graph>,
    limits: Limits,
}

/// Counts values that are not finite, on the device.
pub(crate) struct NotFiniteCounter {
    pub(crate) kernel: Kernel,
    pub(crate) count: Memory<i32>,
}

impl Solver {
    /// The problem at time 0: u = sin(2πx / length).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for a bad config; whatever allocating and building kernels meets.
    pub fn new(device: &Device, config: Config) -> Result<Self> {
        config.validate()?;
        check_memory(device, &config)?;
        let initial = config.initial_field();
        let buffers = AnyBuffers::new(device, config.precision, &initial)?;
        Self::with_state(device, config, buffers, &initial)
    }

    /// The problem at the step of a checkpoint; the steps that follow have the bits that they would have had.
    /// # Errors
    /// As [`new`](Self::new), and [`ferrocca_core::ErrorKind::Invalid`] for a checkpoint of another problem.
    pub fn resume(device: &Device, config: Config, checkpoint: &Checkpoint) -> Result<Self> {
        config.validate()?;
        checkpoint.matches(&config)?;
        check_memory(device, &config)?;
        let buffers = AnyBuffers::from_bytes(device, config.precision, &checkpoint.field)?;
        let state = buffers.to_vec()?;
        let mut solver = Self::with_state(device, config, buffers, &state)?;
        solver.step = checkpoint.step;
        solver.time = checkpoint.time;
        Ok(solver)
    }

    fn with_state(device: &Device, config: Config, buffers: AnyBuffers, state: &[f64]) -> Result<Self> {
        let props = Props::new().define("dfloat", config.precision.kernel_type());
        let build = |name: &str| device.build_kernel_from_string(KERNEL_SOURCE, name, &props);
        let scheme = Scheme {
            kernel: build("burgers_step")?,
            points: config.points as i32,
            advection_factor: config.advection_factor(),
            diffusion_factor: config.diffusion_factor(),
        };
        let counter =
            NotFiniteCounter { kernel: build("burgers_count_not_finite")?, count: device.malloc_filled(1, 0)? };
        let max_speed = state.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let limits = Limits::new(&config, max_speed);
        Ok(Self { device: device.clone(), config, buffers, counter, step: 0, time: 0.0, scheme, graph: None, limits })
    }

    /// One time step: one kernel launch. Asynchronous where the device is.
    /// # Errors
    /// What the launch meets. NaN is no error here: [`run`](Self::run) watches for it, [`is_finite`](Self::is_finite)
    /// looks once.
    pub fn step(&mut self) -> Result<()> {
        self.buffers.step(&self.scheme)?;
        self.count_steps(1, |_, _| ());
        Ok(())
    }

    /// Notes that steps were done, and tells number and time of each. Times are added up one by one, so that they do
    /// not depend on how many steps are done at once.
    pub(crate) fn count_steps(&mut self, count: u64, mut tell: impl FnMut(u64, f64)) {
        for _ in 0..count {
            self.step += 1;
            self.time += self.config.dt;
            tell(self.step, self.time);
        }
    }

    /// Steps that are about still to do.
    pub(crate) fn steps_left(&self) -> u64 {
        // Negative once the final time is reached, which the conversion makes 0.
        ((self.config.final_time - self.time) / self.config.dt).ceil() as u64
    }

    /// The field: `points + 2` values, of which the first and the last are ghosts.
    /// The memory behind it changes with every step.
    pub fn u(&self) -> FieldRef<'_> {
        match &self.buffers {
            AnyBuffers::F32(buffers) => FieldRef::F32(&buffers.current),
            AnyBuffers::F64(buffers) => FieldRef::F64(&buffers.current),
        }
    }

    /// The field, to be changed. The next step takes the ghosts as they are, and refreshes them for the one after.
    pub fn u_mut(&mut self) -> FieldMut<'_> {
        // The caller may put other memory in its place, which the recorded step does not know.
        self.graph = None;
        match &mut self.buffers {
            AnyBuffers::F32(buffers) => FieldMut::F32(&mut buffers.current),
            AnyBuffers::F64(buffers) => FieldMut::F64(&mut buffers.current),
        }
    }

    /// The field on the host, ghosts included; single precision is widened, which changes no value.
    /// # Errors
    /// What the copy meets.
    pub fn u_to_vec(&self) -> Result<Vec<f64>> {
        self.buffers.to_vec()
    }

    /// Whether every value is finite; looks on the device.
    /// # Errors
    /// What the launch and the copy meet.
    pub fn is_finite(&mut self) -> Result<bool> {
        Ok(self.buffers.count_not_finite(&self.counter.kernel, &mut self.counter.count)? == 0)
    }

    /// The state, to be written and resumed from.
    /// # Errors
    /// What the copy meets.
    pub fn checkpoint(&self) -> Result<Checkpoint> {
        let Config { points, length, nu, dt, precision, .. } = self.config;
        let field = self.buffers.to_bytes()?;
        Ok(Checkpoint { points, length, nu, dt, precision, step: self.step, time: self.time, field })
    }

    /// Time reached: Δt added up step by step.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps done since time 0.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    /// The problem.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The largest stable time steps for the field that the solver began with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// Refuses a problem that cannot fit. Asked first, because a host that promises more memory than it has ends the
/// program when the memory is touched, instead of answering with an error.
fn check_memory(device: &Device, config: &Config) -> Result<()> {
    let len = config.field_len() as u64;
    let fields = 2 * len * config.precision.bytes() as u64;
    // The initial field is made on the host, in double precision.
    let initial = if device.has_separate_memory_space() { 0 } else { 8 * len };
    let requested = fields + initial;
    match device.memory_info() {
        Ok(MemoryInfo { free, .. }) if free < requested => {
            let error = Error::new(ErrorKind::OutOfMemory { requested, free: Some(free) });
            Err(error.while_doing(format!("two fields of {len} values and the initial one")))
        }
        _ => Ok(()),
    }
}
