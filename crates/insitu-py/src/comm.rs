//! `ferrocca.comm`: ranks, grids that are cut into a part each, and the exchange of their ghosts.
//!
//! Whatever works together with other ranks lets go of Python's lock, and Ctrl-C ends it ([`interrupt::collective`]); in the
//! block of a graph an exchange is recorded instead.

use crate::borrowed::note_use;
use crate::device::PyDevice;
use crate::error::{OrRaise, WrongTypeError, WrongValueError};
use crate::graph;
use crate::interrupt::collective;
use crate::memory::{PyMemory, refuse_read_only, refuse_strides, view_of, with_type};
use crate::owner::free_dropped;
use crate::props::{device_props, props};
use crate::shared::in_order;
use crate::transport::PythonTransport;
use ferrocca::comm::{Boundary, Comm, Grid, Layout, Operation, Plan, RecordExchange, Way};
use ferrocca::{AnyMemory, DType, Device, Error, ErrorKind, Props};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Plans that a grid keeps: it is for programs with a handful of fields.
const MOST_PLANS: usize = 16;

/// The ranks of a program. In a `with` block an exception ends all of them, and its end waits for all.
#[pyclass(frozen, weakref, module = "ferrocca.comm", name = "Comm")]
pub(crate) struct PyComm {
    comm: Comm,
}

#[pymethods]
impl PyComm {
    /// One rank, or those of a transport.
    #[new]
    #[pyo3(signature = (transport = None))]
    fn new(py: Python<'_>, transport: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(transport) = transport else { return Ok(Self { comm: Comm::alone() }) };
        let transport = PythonTransport::new(transport)?;
        look_for_nccl(py);
        collective(py, || Comm::new(transport)).map(|comm| Self { comm })
    }

    /// The ranks that a launcher has started, connected by TCP.
    #[staticmethod]
    fn _from_environment(py: Python<'_>) -> PyResult<Self> {
        look_for_nccl(py);
        collective(py, Comm::from_environment).map(|comm| Self { comm })
    }

    /// This rank, counted from 0.
    #[getter]
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    /// Number of ranks.
    #[getter]
    fn size(&self) -> usize {
        self.comm.size()
    }

    /// This rank among those of its machine.
    #[getter]
    fn local_rank(&self) -> usize {
        self.comm.local_rank()
    }

    /// Seconds that a rank waits for another before it fails.
    #[getter]
    fn limit(&self) -> f64 {
        self.comm.limit().as_secs_f64()
    }

    #[setter]
    fn set_limit(&self, seconds: f64) -> PyResult<()> {
        let limit = Duration::try_from_secs_f64(seconds)
            .map_err(|_| WrongValueError::new_err(format!("{seconds} is no number of seconds")))?;
        self.comm.set_limit(limit);
        Ok(())
    }

    /// Opens this rank's device: `device_id=auto` is its number among the ranks of its machine, and those of mode `CPU` share
    /// the cores.
    #[pyo3(signature = (properties = None, **more))]
    fn open_device(
        &self,
        py: Python<'_>,
        properties: Option<&Bound<'_, PyAny>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyDevice> {
        let mut opened = properties.map_or(Ok(Props::new().with("mode", "CPU")), device_props)?;
        for (name, value) in props(more.map(|more| more.as_any()))?.iter() {
            opened.set(name, value.clone());
        }
        PyDevice::open(py, self.comm.device_props(opened).or_raise()?)
    }

    /// Waits for all ranks.
    fn barrier(&self, py: Python<'_>) -> PyResult<()> {
        collective(py, || self.comm.barrier())
    }

    /// `sum`, `min` or `max` of each rank's number, or of each rank's list position by position; the same on every rank.
    #[pyo3(signature = (values, operation = "sum"))]
    fn all_reduce<'py>(&self, values: &Bound<'py, PyAny>, operation: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, operation) = (values.py(), parse(operation)?);
        let alone = values.extract::<f64>();
        let mut numbers = match &alone {
            Ok(number) => vec![*number],
            Err(_) => values.extract::<Vec<f64>>()?,
        };
        collective(py, || self.comm.all_reduce(operation, &mut numbers))?;
        match alone {
            Ok(_) => numbers[0].into_pyobject(py).map(Bound::into_any).map_err(PyErr::from),
            Err(_) => numbers.into_pyobject(py).map(Bound::into_any),
        }
    }

    /// A grid of so many points along each axis, slowest axis first, which every rank has a part of, with `halo` ghosts at
    /// either end of each axis. `periodic` says whether the ends meet, of all axes or of each; `parts` into how many each is cut.
    #[pyo3(signature = (shape, halo = 1, *, periodic = None, parts = None, corners = true))]
    fn grid(
        &self,
        shape: Vec<usize>,
        halo: usize,
        periodic: Option<&Bound<'_, PyAny>>,
        parts: Option<Vec<usize>>,
        corners: bool,
    ) -> PyResult<PyGrid> {
        let mut grid = Grid::new(&self.comm, &shape, halo).or_raise()?;
        if let Some(periodic) = periodic {
            let of_each = match periodic.extract::<bool>() {
                Ok(all) => vec![all; shape.len()],
                Err(_) => periodic.extract()?,
            };
            let boundary = |is_periodic| if is_periodic { Boundary::Periodic } else { Boundary::Open };
            grid = grid.boundaries(&of_each.into_iter().map(boundary).collect::<Vec<_>>()).or_raise()?;
        }
        if let Some(parts) = parts {
            grid = grid.parts(&parts).or_raise()?;
        }
        if !corners {
            grid = grid.without_corners();
        }
        Ok(PyGrid { grid, plans: Mutex::default() })
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        class: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        if class.is_none() {
            py.detach(|| self.comm.transport().end(None));
            return Ok(false);
        }
        if self.comm.size() > 1 {
            // Nobody else will tell: the process ends here.
            let (rank, size) = (self.comm.rank(), self.comm.size());
            let lines: Vec<String> = py.import("traceback")?.call_method1("format_exception", (value,))?.extract()?;
            let host = self.comm.host(rank);
            ferrocca::comm::tell(&format!("error on rank {rank} of {size} ({host}):\n{}", lines.concat().trim_end()));
        }
        let message = value.to_string();
        py.detach(|| self.comm.transport().end(Some(&Error::new(ErrorKind::Communication { message }))));
        Ok(false)
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.comm.Comm(rank {} of {})", self.comm.rank(), self.comm.size())
    }
}

fn parse(operation: &str) -> PyResult<Operation> {
    let all = [Operation::Sum, Operation::Min, Operation::Max];
    let found = all.into_iter().find(|known| known.name() == operation);
    found.ok_or_else(|| WrongValueError::new_err(format!("`{operation}` is none of `sum`, `min` and `max`")))
}

/// A grid of one to three axes, of which each rank has a box.
///
/// Memory of a field has the shape `local_shape`, or one more along an axis on whose faces its values lie.
#[pyclass(frozen, weakref, module = "ferrocca.comm", name = "Grid")]
pub(crate) struct PyGrid {
    grid: Grid,
    plans: Mutex<Vec<(Vec<Kind>, Plan)>>,
}

/// What a plan is for.
type Kind = (Layout, DType, Device);

/// A field that a caller gives.
struct Given {
    memory: AnyMemory,
    layout: Layout,
}

impl PyGrid {
    /// Memory by its shape, or as a row of one value a point.
    fn field(&self, object: &Bound<'_, PyAny>, writes: bool) -> PyResult<Given> {
        let memory = object.cast::<PyMemory>().map_err(|_| {
            let name = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            WrongTypeError::new_err(format!("a grid's field is `ferrocca.Memory`, not `{name}`"))
        })?;
        let memory = memory.borrow();
        let view = view_of(&memory);
        refuse_strides(&view)?;
        if writes {
            refuse_read_only(&view)?;
        }
        let own = self.grid.centred();
        let surplus = match view.shape.len() == self.grid.axes() {
            true => view.shape.iter().zip(own.shape()).map(|(given, own)| given - own as i64).collect(),
            false => vec![view.shape.iter().product::<i64>() - own.len() as i64],
        };
        if surplus.iter().any(|surplus| !(0..=1).contains(surplus))
            || (view.shape.len() != self.grid.axes() && surplus != [0])
        {
            return Err(WrongValueError::new_err(format!(
                "memory of shape {:?} is no field of this grid, whose part here has the shape {:?}, ghosts included, or one \
                 more along axes on whose faces the values lie",
                view.shape,
                own.shape()
            )));
        }
        let layout = match view.shape.len() == self.grid.axes() {
            true => {
                self.grid.staggered(&surplus.iter().map(|surplus| *surplus as usize).collect::<Vec<_>>()).or_raise()?
            }
            false => own,
        };
        Ok(Given { memory: memory.memory.clone(), layout })
    }

    fn fields(&self, fields: &Bound<'_, PyTuple>) -> PyResult<Vec<Given>> {
        if fields.is_empty() {
            return Err(WrongTypeError::new_err("an exchange of no fields"));
        }
        fields.iter().map(|field| self.field(&field, true)).collect()
    }

    /// The plan for some fields. Where it must be made all ranks learn of what one of them refuses.
    fn plan_of(&self, py: Python<'_>, fields: &Bound<'_, PyTuple>) -> PyResult<(Plan, Vec<Given>)> {
        let fields = match self.fields(fields) {
            Ok(fields) => fields,
            Err(refused) => {
                let message = refused.value(py).to_string();
                // The others get this text, and this rank the exception.
                let _ = collective(py, || self.grid.comm().all_succeed(Err::<(), _>(Error::invalid(message))));
                return Err(refused);
            }
        };
        let kinds: Vec<Kind> =
            fields.iter().map(|field| (field.layout, field.memory.dtype(), field.memory.device())).collect();
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plan)) = plans.iter().find(|(of, _)| *of == kinds) {
            return Ok((plan.clone(), fields));
        }
        drop(plans);
        collective(py, || self.grid.comm().all_succeed(Ok(())))?;
        let of_plan: Vec<_> = kinds.iter().map(|(layout, dtype, _)| (*layout, *dtype)).collect();
        let plan = collective(py, || Plan::new(&self.grid, &kinds[0].2, &of_plan))?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() == MOST_PLANS {
            plans.remove(0);
        }
        plans.push((kinds, plan.clone()));
        Ok((plan, fields))
    }
}

#[pymethods]
impl PyGrid {
    /// Points along each axis, of all ranks together.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.grid.shape())
    }

    /// Into how many parts each axis is cut.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.grid.cut())
    }

    /// Ghosts at either end of each axis.
    #[getter]
    fn halo(&self) -> usize {
        self.grid.halo()
    }

    /// Points of this rank along each axis.
    #[getter]
    fn extents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.grid.extents())
    }

    /// The same with ghosts: the shape of a field's memory.
    #[getter]
    fn local_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.grid.centred().shape())
    }

    /// Global index of this rank's first point along each axis.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.grid.start())
    }

    /// Global index of what memory has at `local` along an axis; negative, or beyond the last point, for ghosts at the ends.
    fn global_index(&self, axis: usize, local: usize) -> PyResult<i64> {
        self.check_axis(axis)?;
        Ok(self.grid.global_index(axis, local))
    }

    /// Where in this rank's memory, as a row, the point with these global indices is; `None` where another rank has it.
    #[pyo3(signature = (*index))]
    fn owns(&self, index: Vec<usize>) -> Option<usize> {
        self.grid.owns(&index)
    }

    /// Brings the neighbours' values into the ghosts of some fields. In the block of a graph it is recorded: all ranks then
    /// replay it equally often. All ranks call it.
    #[pyo3(signature = (*fields))]
    fn exchange(&self, py: Python<'_>, fields: &Bound<'_, PyTuple>) -> PyResult<()> {
        let (plan, fields) = self.plan_of(py, fields)?;
        exchange(py, &plan, fields)
    }

    /// How the exchange of such fields is done: what is sent, which way, and how long it takes. All ranks call it.
    #[pyo3(signature = (*fields))]
    fn plan(&self, py: Python<'_>, fields: &Bound<'_, PyTuple>) -> PyResult<PyHaloPlan> {
        self.plan_of(py, fields).map(|(plan, _)| PyHaloPlan { plan })
    }

    /// `sum`, `min` or `max` of a field's points, of all ranks; the same bits for any number of them. All ranks call it.
    #[pyo3(signature = (field, operation = "sum"))]
    fn reduce<'py>(&self, field: &Bound<'py, PyAny>, operation: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, operation, Given { memory, layout }) = (field.py(), parse(operation)?, self.field(field, false)?);
        macro_rules! reduced {
            ($($variant:ident => $ty:ty),*) => {
                match memory.dtype() {
                    $(DType::$variant => {
                        let value = collective(py, || {
                            in_order(&memory.device(), || {
                                self.grid.reduce_layout(operation, &memory.typed::<$ty>()?, &layout)
                            })
                        })?;
                        value.into_pyobject(py).map(Bound::into_any).map_err(PyErr::from)
                    })*
                    other => Err(WrongTypeError::new_err(format!("there is no reduction over ranks of {other}"))),
                }
            };
        }
        reduced!(F32 => f32, F64 => f64, I32 => i32, I64 => i64)
    }

    /// The bytes of all points, without ghosts, on rank 0, and their shape.
    fn _gather<'py>(&self, field: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyByteArray>, Vec<usize>)>> {
        let (py, Given { memory, layout }) = (field.py(), self.field(field, false)?);
        let all = with_type!(memory.dtype(), T => {
            let all = collective(py, || {
                in_order(&memory.device(), || self.grid.gather_layout(&memory.typed::<T>()?, &layout))
            })?;
            Ok(all.map(|all| PyByteArray::new(py, ferrocca::bytemuck::cast_slice(&all))))
        });
        Ok(all?.map(|bytes| (bytes, layout.global_shape())))
    }

    /// Gives each rank its points of the bytes of all that rank 0 has.
    fn _scatter(&self, py: Python<'_>, bytes: Option<PyBuffer<u8>>, field: &Bound<'_, PyAny>) -> PyResult<()> {
        let Given { memory, layout } = self.field(field, true)?;
        let bytes = bytes.map_or(Ok(Vec::new()), |bytes| bytes.to_vec(py))?;
        with_type!(memory.dtype(), T => {
            let values: Vec<T> = ferrocca::bytemuck::pod_collect_to_vec(&bytes);
            free_dropped(py);
            note_use(&memory);
            collective(py, || {
                in_order(&memory.device(), || self.grid.scatter_layout(&values, &mut memory.typed::<T>()?, &layout))
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.comm.Grid({:?})", self.grid)
    }
}

impl PyGrid {
    fn check_axis(&self, axis: usize) -> PyResult<()> {
        match axis < self.grid.axes() {
            true => Ok(()),
            false => Err(WrongValueError::new_err(format!("axis {axis} of a grid of {} axes", self.grid.axes()))),
        }
    }
}

/// How the ghosts of some fields are exchanged; `str` of it tells.
#[pyclass(frozen, module = "ferrocca.comm", name = "HaloPlan")]
pub(crate) struct PyHaloPlan {
    plan: Plan,
}

#[pymethods]
impl PyHaloPlan {
    /// Bytes that this rank sends to others in an exchange.
    #[getter]
    fn bytes_sent(&self) -> usize {
        self.plan.bytes_sent()
    }

    /// Messages that this rank sends to others in an exchange.
    #[getter]
    fn messages_sent(&self) -> usize {
        self.plan.messages_sent()
    }

    /// Whether messages are copied through a buffer on the host.
    #[getter]
    fn is_via_host(&self) -> bool {
        self.plan.way() == Way::ViaHost
    }

    fn __str__(&self) -> String {
        self.plan.to_string()
    }
}

/// Tells where the NCCL of this Python's packages is. Without one the dynamic loader's is looked for.
fn look_for_nccl(py: Python<'_>) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let packages = py.import("ferrocca._packages").and_then(|packages| packages.call_method0("nccl"));
        if let Ok(Some(path)) = packages.and_then(|found| found.extract::<Option<PathBuf>>()) {
            ferrocca::comm::suggest_nccl(path);
        }
    });
}

fn exchange(py: Python<'_>, plan: &Plan, fields: Vec<Given>) -> PyResult<()> {
    let mut memory: Vec<AnyMemory> = fields.into_iter().map(|field| field.memory).collect();
    let device = memory[0].device();
    if graph::is_recording() {
        let kept = memory.clone();
        let record = |recorder: &mut ferrocca::graph::Recorder| {
            recorder.exchange(plan, &mut memory.iter_mut().collect::<Vec<_>>()).or_raise()
        };
        if graph::record(py, &kept.iter().collect::<Vec<_>>(), record)? {
            return Ok(());
        }
    }
    free_dropped(py);
    for field in &memory {
        note_use(field);
    }
    collective(py, || in_order(&device, || plan.exchange(&mut memory.iter_mut().collect::<Vec<_>>())))
}
