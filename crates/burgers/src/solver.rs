//! The solver: a field, a step, a clock.

use crate::buffers::{AnyBuffers, Scheme};
use crate::{Checkpoint, Config, KERNEL_SOURCE, Limits};
use ferrocca_comm::{Boundary, Comm, Grid, Operation, Plan};
use ferrocca_core::{Device, Error, ErrorKind, Kernel, Memory, MemoryInfo, Props, Result};

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

/// A Burgers problem on a device, at some step; with several ranks, this rank's part of it.
///
/// Ranks call [`step`](Self::step), [`steps`](Self::steps), [`run`](Self::run) and what looks at the whole field together.
pub struct Solver {
    pub(crate) grid: Grid,
    pub(crate) device: Device,
    pub(crate) config: Config,
    pub(crate) buffers: AnyBuffers,
    pub(crate) counter: NotFiniteCounter,
    pub(crate) step: u64,
    pub(crate) time: f64,
    pub(crate) scheme: Scheme,
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
        Self::on_ranks(&Comm::alone(), device, config)
    }

    /// As [`new`](Self::new), of which each rank has a part, on a device of its own; the bits are those of one rank. Collective.
    /// # Errors
    /// As [`new`](Self::new), [`ferrocca_core::ErrorKind::Invalid`] for more ranks than points,
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn on_ranks(comm: &Comm, device: &Device, config: Config) -> Result<Self> {
        config.validate()?;
        let grid = grid(comm, &config)?;
        check_memory(device, &config, grid.centred().len())?;
        let initial = &config.initial_field()[part(&grid)];
        let buffers = AnyBuffers::new(device, config.precision, initial)?;
        Self::with_state(grid, device, config, buffers, initial)
    }

    /// The problem at the step of a checkpoint; the steps that follow have the bits that they would have had.
    /// # Errors
    /// As [`new`](Self::new), and [`ferrocca_core::ErrorKind::Invalid`] for a checkpoint of another problem.
    pub fn resume(device: &Device, config: Config, checkpoint: &Checkpoint) -> Result<Self> {
        Self::resume_on_ranks(&Comm::alone(), device, config, checkpoint)
    }

    /// As [`resume`](Self::resume), of which each rank has a part; every rank has read the checkpoint, which another number of
    /// ranks may have written. Collective.
    /// # Errors
    /// As [`resume`](Self::resume) and [`on_ranks`](Self::on_ranks).
    pub fn resume_on_ranks(comm: &Comm, device: &Device, config: Config, checkpoint: &Checkpoint) -> Result<Self> {
        config.validate()?;
        checkpoint.matches(&config)?;
        let grid = grid(comm, &config)?;
        check_memory(device, &config, grid.centred().len())?;
        let (part, size) = (part(&grid), config.precision.bytes());
        let bytes = &checkpoint.field[part.start * size..part.end * size];
        let buffers = AnyBuffers::from_bytes(device, config.precision, bytes)?;
        let state = buffers.to_vec()?;
        let mut solver = Self::with_state(grid, device, config, buffers, &state)?;
        solver.step = checkpoint.step;
        solver.time = checkpoint.time;
        Ok(solver)
    }

    fn with_state(grid: Grid, device: &Device, config: Config, buffers: AnyBuffers, state: &[f64]) -> Result<Self> {
        let props = Props::new().define("dfloat", config.precision.kernel_type());
        let build = |name: &str| device.build_kernel_from_string(KERNEL_SOURCE, name, &props);
        let scheme = Scheme {
            kernel: build("burgers_step")?,
            points: grid.extents()[0] as i32,
            plan: Plan::new(&grid, device, &[(grid.centred(), config.precision.dtype())])?,
            advection_factor: config.advection_factor(),
            diffusion_factor: config.diffusion_factor(),
        };
        let counter =
            NotFiniteCounter { kernel: build("burgers_count_not_finite")?, count: device.malloc_filled(1, 0)? };
        let max_speed = state.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let mut max_speed = [max_speed];
        grid.comm().all_reduce(Operation::Max, &mut max_speed)?;
        let limits = Limits::new(&config, max_speed[0]);
        Ok(Self { grid, device: device.clone(), config, buffers, counter, step: 0, time: 0.0, scheme, limits })
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
    pub fn steps_left(&self) -> u64 {
        // Negative once the final time is reached, which the conversion makes 0.
        ((self.config.end() - self.time) / self.config.dt).ceil() as u64
    }

    /// The field: `points + 2` values, of which the first and the last are ghosts; of several ranks, this one's points.
    /// The memory behind it changes with every step.
    pub fn u(&self) -> FieldRef<'_> {
        match &self.buffers {
            AnyBuffers::F32(buffers) => FieldRef::F32(buffers.current()),
            AnyBuffers::F64(buffers) => FieldRef::F64(buffers.current()),
        }
    }

    /// The field, to be changed. The next step takes the ghosts as they are, and refreshes them for the one after.
    pub fn u_mut(&mut self) -> FieldMut<'_> {
        match &mut self.buffers {
            AnyBuffers::F32(buffers) => FieldMut::F32(buffers.current_mut()),
            AnyBuffers::F64(buffers) => FieldMut::F64(buffers.current_mut()),
        }
    }

    /// Changes ν (`nu`), Δt (`dt`) or the final time (`final_time`) from the next step on. The limits are those of the new
    /// values for the field that the solver began with.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another name, and for a value that [`Config::validate`] refuses; the
    /// parameters are then as before. Failures of the device.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<()> {
        let mut config = self.config.clone();
        let place = match name {
            "nu" => &mut config.nu,
            "dt" => &mut config.dt,
            "final_time" => &mut config.final_time,
            other => {
                let text = format!("`{other}` cannot be changed while the solver runs: nu, dt and final_time can");
                return Err(Error::invalid(text));
            }
        };
        *place = value;
        config.validate()?;
        self.scheme.advection_factor = config.advection_factor();
        self.scheme.diffusion_factor = config.diffusion_factor();
        self.buffers.set_factors(&self.scheme)?;
        self.limits = Limits::new(&config, self.limits.max_speed);
        self.config = config;
        Ok(())
    }

    /// The grid, of which each rank has a part.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How the ranks exchange their ghosts.
    pub fn exchange_plan(&self) -> &Plan {
        &self.scheme.plan
    }

    /// The field of all ranks, ghosts included, on rank 0; `None` on the others. Collective.
    /// # Errors
    /// What the copy and the messages meet.
    pub fn gather(&self) -> Result<Option<Vec<f64>>> {
        let precision = self.config.precision;
        Ok(self.gather_bytes()?.map(|bytes| precision.values_of(&bytes)))
    }

    /// The field of all ranks, ghosts included, as little-endian bytes.
    pub(crate) fn gather_bytes(&self) -> Result<Option<Vec<u8>>> {
        let bytes = self.buffers.to_bytes()?;
        let comm = self.grid.comm();
        if comm.size() == 1 {
            return Ok(Some(bytes));
        }
        // The ghosts between two ranks are points of the other one.
        let (size, last) = (self.config.precision.bytes(), comm.rank() + 1 == comm.size());
        let first = if comm.rank() == 0 { 0 } else { size };
        let end = if last { bytes.len() } else { bytes.len() - size };
        Ok(comm.gather(&bytes[first..end])?.map(|parts| parts.concat()))
    }

    /// The field of all ranks, ghosts included, on each of them.
    pub(crate) fn everywhere(&self) -> Result<Vec<f64>> {
        let bytes = self.gather_bytes()?.unwrap_or_default();
        Ok(self.config.precision.values_of(&self.grid.comm().broadcast(bytes)?))
    }

    /// The field on the host, ghosts included; of several ranks, this one's points; single precision is widened, which changes no value.
    /// # Errors
    /// What the copy meets.
    pub fn u_to_vec(&self) -> Result<Vec<f64>> {
        self.buffers.to_vec()
    }

    /// Whether every value of all ranks is finite; looks on the device.
    /// # Errors
    /// What the launch and the copy meet.
    pub fn is_finite(&mut self) -> Result<bool> {
        let mut count = [self.buffers.count_not_finite(&self.counter.kernel, &mut self.counter.count)?.into()];
        self.grid.comm().all_reduce(Operation::Sum, &mut count)?;
        Ok(count[0] == 0.0)
    }

    /// The state, to be written and resumed from. With several ranks rank 0 has it all, the others have a field of no values.
    /// # Errors
    /// What the copy and the messages meet.
    pub fn checkpoint(&self) -> Result<Checkpoint> {
        let Config { points, length, nu, dt, precision, .. } = self.config;
        let field = self.gather_bytes()?.unwrap_or_default();
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

/// The points, cut into a part for each rank. A step writes the ghosts of a part as if the part were the whole interval, from
/// the state before it: what the ranks at both ends have written there is for each other.
fn grid(comm: &Comm, config: &Config) -> Result<Grid> {
    Grid::new(comm, &[config.points as usize], 1)?.boundaries(&[Boundary::Wrapped])
}

/// This rank's values of the field, ghosts included.
fn part(grid: &Grid) -> std::ops::Range<usize> {
    grid.start()[0]..grid.start()[0] + grid.centred().len()
}

/// Refuses a problem that cannot fit. Asked first, because a host that promises more memory than it has ends the
/// program when the memory is touched, instead of answering with an error.
fn check_memory(device: &Device, config: &Config, len: usize) -> Result<()> {
    let len = len as u64;
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
