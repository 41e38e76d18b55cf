//! The field on the device, in either precision: the state, the one before it, and one that is kept for a replay.

use crate::Precision;
use ferrocca_comm::{Plan, RecordExchange};
use ferrocca_core::{AnyMemory, Device, Element, Graph, IntoArg, Kernel, Memory, Result, args};
use ferrocca_insitu::{Field, Keepable};

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
    current: State<T>,
    previous: State<T>,
    saved: Option<Memory<T>>,
    /// States that a hook has kept, in this order: once it lets go, memory for others.
    kept: Vec<State<T>>,
    /// Recorded steps, by the states that they swap; what was used last comes last.
    graphs: Vec<([u64; 2], Graph)>,
    /// Numbers of states that were given.
    states: u64,
}

/// Memory of a state, and its number.
struct State<T: Real> {
    buffer: Keepable<T>,
    number: u64,
}

/// What a graph that swaps two states is known by.
fn pair<T: Real>(a: &State<T>, b: &State<T>) -> [u64; 2] {
    [a.number.min(b.number), a.number.max(b.number)]
}

/// Buffers that rest before one is written again. The cores that have read one let it go meanwhile: taking it from their caches
/// would take longer than a step.
const RESTING: usize = 4;

/// Recorded steps that are kept. A ring of a few places has fewer pairs of buffers; each graph holds on to its pair.
const MOST_GRAPHS: usize = 32;

impl<T: Real> Buffers<T> {
    fn new(device: &Device, initial: &[T]) -> Result<Self> {
        let state = |memory, number| State { buffer: Keepable::new(memory), number };
        let current = state(device.malloc_from(initial)?, 0);
        let previous = state(device.malloc::<T>(initial.len())?, 1);
        Ok(Self { current, previous, saved: None, kept: Vec::new(), graphs: Vec::new(), states: 2 })
    }

    pub(crate) fn current(&self) -> &Memory<T> {
        self.current.buffer.memory()
    }

    /// The current state, in whose place the caller may put other memory.
    pub(crate) fn current_mut(&mut self) -> &mut Memory<T> {
        self.graphs.clear();
        self.current.buffer.memory_mut()
    }

    fn step(&mut self, scheme: &Scheme) -> Result<()> {
        self.own_previous()?;
        let (c1, c2) = (T::narrow(scheme.advection_factor), T::narrow(scheme.diffusion_factor));
        let mut next = self.previous.buffer.memory().share();
        scheme.kernel.launch(args![scheme.points, c1, c2, self.current(), &mut next])?;
        scheme.plan.exchange(&mut [&mut next])?;
        std::mem::swap(&mut self.current, &mut self.previous);
        Ok(())
    }

    fn steps(&mut self, device: &Device, scheme: &Scheme, count: u64) -> Result<()> {
        let mut left = count;
        // A recorded step swaps two buffers: the one that is kept has to be none of them.
        if left > 1 && self.current.buffer.is_kept() {
            self.step(scheme)?;
            left -= 1;
        }
        if left < 2 {
            return (0..left).try_for_each(|_| self.step(scheme));
        }
        let (pair, mut graph) = self.recorded(device, scheme)?;
        let done = self.replay(&mut graph, left);
        self.graphs.push((pair, graph));
        done
    }

    /// Takes the recorded step that swaps the buffers of now; records it where there is none.
    fn recorded(&mut self, device: &Device, scheme: &Scheme) -> Result<([u64; 2], Graph)> {
        self.own_previous()?;
        let pair = pair(&self.current, &self.previous);
        if let Some(known) = self.graphs.iter().position(|(of, _)| *of == pair) {
            return Ok(self.graphs.remove(known));
        }
        if self.graphs.len() == MOST_GRAPHS {
            self.graphs.remove(0);
        }
        Ok((pair, self.record(device, scheme, None)?))
    }

    /// Replays a graph of [`record`](Self::record) for the buffers of now.
    fn replay(&mut self, graph: &mut Graph, times: u64) -> Result<()> {
        let [mut current, mut previous] = [&self.current, &self.previous].map(|state| state.buffer.memory().share());
        graph.replay_rotating(times, [&mut current, &mut previous])?;
        if times % 2 == 1 {
            std::mem::swap(&mut self.current, &mut self.previous);
        }
        Ok(())
    }

    /// Before the previous state is overwritten: puts other memory in its place where a hook has kept it.
    fn own_previous(&mut self) -> Result<()> {
        if self.previous.buffer.is_kept() {
            let own = self.spare()?;
            self.kept.push(std::mem::replace(&mut self.previous, own));
        }
        Ok(())
    }

    /// Memory that a hook has let go and that has rested: with a graph for it and the current state if there is one, else what was
    /// kept first. Where there is none, new memory.
    fn spare(&mut self) -> Result<State<T>> {
        let rested = self.kept.len().saturating_sub(RESTING - 1);
        let kept = self.kept[..rested].iter_mut().enumerate();
        let free: Vec<usize> = kept.filter_map(|(i, state)| (!state.buffer.is_kept()).then_some(i)).collect();
        let has_graph = |index: &&usize| {
            let pair = pair(&self.current, &self.kept[**index]);
            self.graphs.iter().any(|(of, _)| *of == pair)
        };
        if let Some(&index) = free.iter().find(has_graph).or(free.first()) {
            return Ok(self.kept.remove(index));
        }
        let current = self.current();
        let (memory, number) = (current.device().malloc(current.len())?, self.states);
        self.states += 1;
        Ok(State { buffer: Keepable::new(memory), number })
    }

    /// After a run: what a hook keeps is no longer the solver's.
    fn let_go(&mut self) -> Result<()> {
        self.own_previous()?;
        if self.current.buffer.is_kept() {
            let mut own = self.spare()?;
            own.buffer.memory_mut().copy_from_memory(self.current())?;
            self.current = own;
        }
        self.kept.clear();
        let pair = pair(&self.current, &self.previous);
        self.graphs.retain(|(of, _)| *of == pair);
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
        let [current, previous] = [&self.current, &self.previous].map(|state| state.buffer.memory());
        let mut next = previous.share();
        device.record(|r| {
            r.launch(&scheme.kernel, args![scheme.points, c1, c2, current, &mut next])?;
            r.exchange(&scheme.plan, &mut [&mut next])?;
            if let Some(ring) = ring {
                r.snapshot(&next, &mut ring.typed()?)?;
            }
            r.rotate([current, previous])
        })
    }

    /// Gives the launches of recorded steps the constants of `scheme`.
    fn set_factors(&mut self, scheme: &Scheme) -> Result<()> {
        self.graphs.iter_mut().try_for_each(|(_, graph)| {
            graph.set_argument(0, 1, T::narrow(scheme.advection_factor))?;
            graph.set_argument(0, 2, T::narrow(scheme.diffusion_factor))
        })
    }

    /// Keeps the state before the last step, or the current one.
    fn save(&mut self, previous: bool) -> Result<()> {
        let state = if previous { &self.previous } else { &self.current };
        let state = state.buffer.memory();
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
        if let Some(saved) = self.saved.take().filter(|_| saved) {
            self.own_previous()?;
            self.previous.buffer.memory().share().copy_from_memory(&saved)?;
        }
        std::mem::swap(&mut self.current, &mut self.previous);
        Ok(())
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

    /// As many steps, of which several are replays of a recorded one.
    pub(crate) fn steps(&mut self, device: &Device, scheme: &Scheme, count: u64) -> Result<()> {
        each!(self, buffers => buffers.steps(device, scheme, count))
    }

    /// Records a step, unless one is recorded for the buffers of now.
    pub(crate) fn record_step(&mut self, device: &Device, scheme: &Scheme) -> Result<()> {
        each!(self, buffers => {
            let recorded = buffers.recorded(device, scheme)?;
            buffers.graphs.push(recorded);
            Ok(())
        })
    }

    /// After a run: makes the buffers the solver's alone.
    pub(crate) fn let_go(&mut self) -> Result<()> {
        each!(self, buffers => buffers.let_go())
    }

    /// Launches the kernel of a step for the first time; the state stays the same, the one before it is lost.
    pub(crate) fn rehearse(&mut self, scheme: &Scheme) -> Result<()> {
        each!(self, buffers => buffers.rehearse(scheme))
    }

    /// A graph of one step, after which the new state is the current one; it also goes to a slot of `ring`.
    pub(crate) fn record(&self, device: &Device, scheme: &Scheme, ring: Option<&AnyMemory>) -> Result<Graph> {
        each!(self, buffers => buffers.record(device, scheme, ring))
    }

    /// Gives recorded steps the constants of `scheme`.
    pub(crate) fn set_factors(&mut self, scheme: &Scheme) -> Result<()> {
        each!(self, buffers => buffers.set_factors(scheme))
    }

    /// Replays a graph of [`record`](Self::record).
    pub(crate) fn replay(&mut self, graph: &mut Graph, times: u64) -> Result<()> {
        each!(self, buffers => buffers.replay(graph, times))
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
            kernel.launch(args![buffers.current().len() as i32, buffers.current(), &mut *count])?;
        });
        let mut host = [0];
        count.copy_to(&mut host)?;
        Ok(host[0])
    }

    /// The current state, widened to double precision where need be; every value is exact.
    pub(crate) fn to_vec(&self) -> Result<Vec<f64>> {
        each!(self, buffers => Ok(buffers.current().to_vec()?.into_iter().map(Real::widen).collect()))
    }

    /// The current state as little-endian bytes.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        each!(self, buffers => Real::extend_bytes(&buffers.current().to_vec()?, &mut bytes));
        Ok(bytes)
    }

    /// The current state for a frame, of a hook that may write it or of one that may keep it.
    pub(crate) fn field(&self, name: &'static str, may_keep: bool) -> Field<'_> {
        each!(self, buffers => match may_keep {
            true => buffers.current.buffer.field(name),
            false => Field::new(name, buffers.current()),
        })
    }
}
