//! The field on the device, in either precision: the state, the one before it, and one that is kept for a replay.

use crate::Precision;
use ferrocca_comm::{Plan, RecordExchange};
use ferrocca_core::{AnyMemory, Device, Element, Graph, IntoArg, Kernel, Memory, Result, args};
use ferrocca_insitu::Field;

/// A floating point type that the field may have.
pub(crate) trait Real: Element + for<'a> IntoArg<'a> {
    fn narrow(value: f64) -> Self;
    fn widen(self) -> f64;
    fn extend_bytes(values: &[Self], bytes: &mut Vec<u8>);
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! real {
    ($($ty:ty),*) => {$(
        impl Real for $ty {
            fn narrow(value: f64) -> Self {
                value as Self
            }
            fn widen(self) -> f64 {
                self.into()
            }
            fn extend_bytes(values: &[Self], bytes: &mut Vec<u8>) {
                bytes.reserve(std::mem::size_of_val(values));
                values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
            }
            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                let (chunks, rest) = bytes.as_chunks();
                debug_assert!(rest.is_empty(), "a checkpoint's field has whole values");
                chunks.iter().map(|chunk| Self::from_le_bytes(*chunk)).collect()
            }
        }
    )*};
}

real!(f32, f64);

/// The scheme's constants in the field's precision, and its kernel.
pub(crate) struct Scheme {
    pub(crate) kernel: Kernel,
    /// Points of this rank.
    pub(crate) points: i32,
    /// Brings the ghosts of the neighbours, where there are any.
    pub(crate) plan: Plan,
    pub(crate) advection_factor: f64,
    pub(crate) diffusion_factor: f64,
}

/// The field at the current step and at the one before. A step swaps them instead of copying.
pub(crate) struct Buffers<T: Real> {
    pub(crate) current: Memory<T>,
    previous: Memory<T>,
    saved: Option<Memory<T>>,
}

impl<T: Real> Buffers<T> {
    fn new(device: &Device, initial: &[T]) -> Result<Self> {
        let current = device.malloc_from(initial)?;
        let previous = device.malloc::<T>(initial.len())?;
        Ok(Self { current, previous, saved: None })
    }

    fn step(&mut self, scheme: &Scheme) -> Result<()> {
        let (c1, c2) = (T::narrow(scheme.advection_factor), T::narrow(scheme.diffusion_factor));
        scheme.kernel.launch(args![scheme.points, c1, c2, &self.current, &mut self.previous])?;
        scheme.plan.exchange(&mut [&mut self.previous])?;
        std::mem::swap(&mut self.current, &mut self.previous);
        Ok(())
    }

    /// A step whose result is forgotten: what the first launch of a kernel needs is ready after it.
    fn rehearse(&mut self, scheme: &Scheme) -> Result<()> {
        self.step(scheme)?;
        std::mem::swap(&mut self.current, &mut self.previous);
        Ok(())
    }

    /// A step after which the two swap; the new state also goes to a slot of `ring`.
    fn record(&self, device: &Device, scheme: &Scheme, ring: Option<&AnyMemory>) -> Result<Graph> {
        let (c1, c2) = (T::narrow(scheme.advection_factor), T::narrow(scheme.diffusion_factor));
        let mut next = self.previous.share();
        device.record(|r| {
            r.launch(&scheme.kernel, args![scheme.points, c1, c2, &self.current, &mut next])?;
            r.exchange(&scheme.plan, &mut [&mut next])?;
            if let Some(ring) = ring {
                r.snapshot(&next, &mut ring.typed()?)?;
            }
            r.rotate([&self.current, &self.previous])
        })
    }

    /// Gives the launch of a recorded step the constants of `scheme`.
    fn set_factors(graph: &mut Graph, scheme: &Scheme) -> Result<()> {
        graph.set_argument(0, 1, T::narrow(scheme.advection_factor))?;
        graph.set_argument(0, 2, T::narrow(scheme.diffusion_factor))
    }

    /// Keeps the state before the last step, or the current one.
    fn save(&mut self, previous: bool) -> Result<()> {
        let state = if previous { &self.previous } else { &self.current };
        match &mut self.saved {
            Some(saved) => saved.copy_from_memory(state),
            None => {
                self.saved = Some(state.duplicate()?);
                Ok(())
            }
        }
    }

    /// Makes the saved state, or where none is wanted the previous one, the current state.
    fn restore(&mut self, saved: bool) -> Result<()> {
        match (saved, &self.saved) {
            (true, Some(saved)) => self.current.copy_from_memory(saved),
            _ => {
                std::mem::swap(&mut self.current, &mut self.previous);
                Ok(())
            }
        }
    }
}

/// [`Buffers`] of the precision that was chosen at run time.
pub(crate) enum AnyBuffers {
    F32(Buffers<f32>),
    F64(Buffers<f64>),
}

/// The same expression for either precision.
macro_rules! each {
    ($buffers:expr, $name:ident => $value:expr) => {
        match $buffers {
            AnyBuffers::F32($name) => $value,
            AnyBuffers::F64($name) => $value,
        }
    };
}

impl AnyBuffers {
    /// From values in double precision.
    pub(crate) fn new(device: &Device, precision: Precision, initial: &[f64]) -> Result<Self> {
        Ok(match precision {
            Precision::F32 => {
                let narrow: Vec<f32> = initial.iter().map(|value| *value as f32).collect();
                Self::F32(Buffers::new(device, &narrow)?)
            }
            Precision::F64 => Self::F64(Buffers::new(device, initial)?),
        })
    }

    /// From the little-endian bytes of a checkpoint.
    pub(crate) fn from_bytes(device: &Device, precision: Precision, bytes: &[u8]) -> Result<Self> {
        Ok(match precision {
            Precision::F32 => Self::F32(Buffers::new(device, &f32::from_bytes(bytes))?),
            Precision::F64 => Self::F64(Buffers::new(device, &f64::from_bytes(bytes))?),
        })
    }

    /// One step: afterwards the new state is the current one.
    pub(crate) fn step(&mut self, scheme: &Scheme) -> Result<()> {
        each!(self, buffers => buffers.step(scheme))
    }

    /// Launches the kernel of a step for the first time; the state stays the same, the one before it is lost.
    pub(crate) fn rehearse(&mut self, scheme: &Scheme) -> Result<()> {
        each!(self, buffers => buffers.rehearse(scheme))
    }

    /// A graph of one step, after which the new state is the current one; it also goes to a slot of `ring`.
    pub(crate) fn record(&self, device: &Device, scheme: &Scheme, ring: Option<&AnyMemory>) -> Result<Graph> {
        each!(self, buffers => buffers.record(device, scheme, ring))
    }

    /// Gives a graph of [`record`](Self::record) the constants of `scheme`.
    pub(crate) fn set_factors(&self, graph: &mut Graph, scheme: &Scheme) -> Result<()> {
        match self {
            Self::F32(_) => Buffers::<f32>::set_factors(graph, scheme),
            Self::F64(_) => Buffers::<f64>::set_factors(graph, scheme),
        }
    }

    /// Replays a graph of [`record`](Self::record).
    pub(crate) fn replay(&mut self, graph: &mut Graph, times: u64) -> Result<()> {
        each!(self, buffers => graph.replay_rotating(times, [&mut buffers.current, &mut buffers.previous]))
    }

    /// Memory for values of the field's type.
    pub(crate) fn allocate(&self, device: &Device, len: usize) -> Result<AnyMemory> {
        match self {
            Self::F32(_) => device.malloc::<f32>(len).map(Memory::into_untyped),
            Self::F64(_) => device.malloc::<f64>(len).map(Memory::into_untyped),
        }
    }

    /// Keeps the state before the last step.
    pub(crate) fn save_previous(&mut self) -> Result<()> {
        each!(self, buffers => buffers.save(true))
    }

    /// Keeps the current state.
    pub(crate) fn save_current(&mut self) -> Result<()> {
        each!(self, buffers => buffers.save(false))
    }

    /// Goes back to the saved state, or to the one before the last step.
    pub(crate) fn restore(&mut self, saved: bool) -> Result<()> {
        each!(self, buffers => buffers.restore(saved))
    }

    /// Counts the values that are not finite, on the device.
    pub(crate) fn count_not_finite(&self, kernel: &Kernel, count: &mut Memory<i32>) -> Result<i32> {
        count.fill(0)?;
        each!(self, buffers => {
            // A field has at most `i32::MAX` values: `Config::validate` has seen to it.
            kernel.launch(args![buffers.current.len() as i32, &buffers.current, &mut *count])?;
        });
        let mut host = [0];
        count.copy_to(&mut host)?;
        Ok(host[0])
    }

    /// The current state, widened to double precision where need be; every value is exact.
    pub(crate) fn to_vec(&self) -> Result<Vec<f64>> {
        each!(self, buffers => Ok(buffers.current.to_vec()?.into_iter().map(Real::widen).collect()))
    }

    /// The current state as little-endian bytes.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        each!(self, buffers => Real::extend_bytes(&buffers.current.to_vec()?, &mut bytes));
        Ok(bytes)
    }

    /// The current state for a frame.
    pub(crate) fn field(&self, name: &'static str) -> Field<'_> {
        each!(self, buffers => Field::new(name, &buffers.current))
    }
}
