//! Cartesian grids that are cut into one part a rank.

use crate::comm::Comm;
use crate::layout::{AXES, Layout, part};
use crate::plan::{Field, Plan};
use ferrocca_core::{Error, Result};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What lies beyond the ends of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing: the ghosts there are the program's, and no exchange touches them.
    #[default]
    Open,
    /// The other end of the axis.
    Periodic,
    /// The other end of the axis, where the kernels wrap around their own part: they write the ghosts as if the part were the
    /// whole grid. What they have written at one end of the axis is what the rank at the other end needs, and an exchange
    /// brings it there. With one rank along the axis there is nothing to do.
    Wrapped,
}

/// A grid of one to three axes, of which each rank has a box. A clone is another handle of the same grid.
///
/// ```
/// use ferrocca_comm::{Comm, Grid};
///
/// let comm = Comm::alone();
/// let grid = Grid::new(&comm, &[100, 200], 1)?.periodic(&[true, false])?;
/// assert_eq!(grid.centred().shape(), [102, 202]); // with a ghost at either end
/// assert_eq!(grid.staggered(&[0, 1])?.shape(), [102, 203]); // on the faces of the second axis
/// # Ok::<(), ferrocca_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Grid {
    comm: Comm,
    axes: usize,
    shape: [usize; AXES],
    halo: [usize; AXES],
    boundaries: [Boundary; AXES],
    parts: [usize; AXES],
    has_corners: bool,
    /// Of [`exchange`](Self::exchange).
    plans: Arc<Mutex<Vec<Plan>>>,
}

/// Plans that [`Grid::exchange`] keeps: it is for programs with a handful of fields.
const MOST_PLANS: usize = 16;

impl Grid {
    /// A grid of so many points along each axis, slowest axis first, which every rank has a part of. `halo` is the number of
    /// ghosts at either end of each axis of a part: how far a stencil reaches.
    ///
    /// The cut is the one whose exchange has least to send; of several the one that cuts the slower axes. All ends are open.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for no axis or more than three, an axis without points, and where there is no cut
    /// into parts that have a point, and as many as the halo is wide, along each axis.
    pub fn new(comm: &Comm, shape: &[usize], halo: usize) -> Result<Self> {
        let axes = shape.len();
        if axes == 0 || axes > AXES || shape.contains(&0) {
            return Err(Error::invalid(format!("a grid has one to three axes with points, not the shape {shape:?}")));
        }
        let mut grid = Self {
            comm: comm.clone(),
            axes,
            shape: [1; AXES],
            halo: [0; AXES],
            boundaries: [Boundary::Open; AXES],
            parts: [1; AXES],
            has_corners: true,
            plans: Arc::default(),
        };
        grid.shape[AXES - axes..].copy_from_slice(shape);
        grid.halo[AXES - axes..].fill(halo);
        grid.parts = grid.best_cut()?;
        Ok(grid)
    }

    /// Says of each axis whether its ends meet.
    /// # Errors
    /// As [`boundaries`](Self::boundaries).
    pub fn periodic(self, periodic: &[bool]) -> Result<Self> {
        let boundary = |is_periodic: &bool| if *is_periodic { Boundary::Periodic } else { Boundary::Open };
        self.boundaries(&periodic.iter().map(boundary).collect::<Vec<_>>())
    }

    /// Says of each axis what lies beyond its ends.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of axes, and a halo that is wider than an axis whose ends meet.
    pub fn boundaries(mut self, boundaries: &[Boundary]) -> Result<Self> {
        self.check_axes("boundaries", boundaries.len())?;
        self.boundaries[AXES - self.axes..].copy_from_slice(boundaries);
        self.check_cut(self.parts)?;
        self.changed()
    }

    /// Cuts the axes into these numbers of parts.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of axes, where the product is not the number of ranks, and where
    /// a part would have no point, or fewer along an axis than the halo is wide.
    pub fn parts(mut self, parts: &[usize]) -> Result<Self> {
        self.check_axes("parts", parts.len())?;
        let mut all = [1; AXES];
        all[AXES - self.axes..].copy_from_slice(parts);
        let (product, size) = (parts.iter().product::<usize>(), self.comm.size());
        if product != size {
            return Err(Error::invalid(format!("{parts:?} are {product} parts for {size} ranks")));
        }
        self.check_cut(all)?;
        self.parts = all;
        self.changed()
    }

    /// Leaves out the ghosts at edges and corners, for stencils that reach along the axes only: all axes are then exchanged at
    /// once instead of one after the other.
    #[must_use]
    pub fn without_corners(mut self) -> Self {
        self.has_corners = false;
        self.plans = Arc::default();
        self
    }

    /// Plans of the grid as it was are of no use.
    fn changed(mut self) -> Result<Self> {
        self.plans = Arc::default();
        Ok(self)
    }

    /// The ranks.
    pub fn comm(&self) -> &Comm {
        &self.comm
    }

    /// Number of axes.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Points along each axis, of all ranks together.
    pub fn shape(&self) -> &[usize] {
        &self.shape[AXES - self.axes..]
    }

    /// Ghosts at either end of each axis.
    pub fn halo(&self) -> usize {
        self.halo[AXES - 1]
    }

    /// Into how many parts each axis is cut.
    pub fn cut(&self) -> &[usize] {
        &self.parts[AXES - self.axes..]
    }

    /// Points of this rank along each axis.
    pub fn extents(&self) -> Vec<usize> {
        self.centred().extents().to_vec()
    }

    /// Global index of this rank's first point along each axis.
    pub fn start(&self) -> Vec<usize> {
        self.centred().start[AXES - self.axes..].to_vec()
    }

    /// Global index of what a rank's memory has at `local` along an axis, ghosts included: negative, or beyond the last point,
    /// for ghosts at the ends of the grid.
    /// # Panics
    /// For an axis that the grid does not have.
    pub fn global_index(&self, axis: usize, local: usize) -> i64 {
        let axis = self.padded(axis);
        let layout = self.centred();
        layout.start[axis] as i64 + local as i64 - layout.halo[axis] as i64
    }

    /// Coordinate of what a rank's memory has at `local` along an axis, where point 0 lies at 0 and points are `spacing` apart.
    /// # Panics
    /// As [`global_index`](Self::global_index).
    pub fn x_global(&self, axis: usize, local: usize, spacing: f64) -> f64 {
        self.global_index(axis, local) as f64 * spacing
    }

    /// Where in this rank's memory the point with these global indices is; `None` where another rank has it.
    pub fn owns(&self, index: &[usize]) -> Option<usize> {
        let layout = self.centred();
        if index.len() != self.axes {
            return None;
        }
        let mut at = 0;
        for (axis, index) in (AXES - self.axes..AXES).zip(index) {
            let local = index.checked_sub(layout.start[axis]).filter(|local| *local < layout.points[axis])?;
            at = at * layout.extent(axis) + local + layout.halo[axis];
        }
        Some(at)
    }

    /// The layout of a field with a value for each point.
    pub fn centred(&self) -> Layout {
        self.layout_of(self.comm.rank(), [0; AXES])
    }

    /// The layout of a field that has `surplus[axis]` more elements along an axis than the grid has points: 1 where it lies on
    /// the faces between the points, with one at either end. Neighbours both have the face between them.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of axes.
    pub fn staggered(&self, surplus: &[usize]) -> Result<Layout> {
        self.check_axes("staggered", surplus.len())?;
        let mut all = [0; AXES];
        all[AXES - self.axes..].copy_from_slice(surplus);
        Ok(self.layout_of(self.comm.rank(), all))
    }

    /// The layout of a rank.
    pub(crate) fn layout_of(&self, rank: usize, surplus: [usize; AXES]) -> Layout {
        let at = self.coordinate(rank);
        let bounds = [0, 1, 2].map(|axis| part(self.shape[axis], self.parts[axis], at[axis]));
        Layout {
            axes: self.axes,
            global: [0, 1, 2].map(|axis| self.shape[axis] + surplus[axis]),
            start: bounds.map(|(first, _)| first),
            points: bounds.map(|(first, end)| end - first),
            surplus,
            halo: self.halo,
            is_last: [0, 1, 2].map(|axis| at[axis] + 1 == self.parts[axis]),
        }
    }

    /// The layout of memory of so many elements: of one value a point, or of the only staggered field of that length.
    pub(crate) fn layout_of_len(&self, len: usize) -> Result<Layout> {
        let rank = self.comm.rank();
        let mut fitting = Vec::new();
        for bits in 0..1_usize << self.axes {
            let mut surplus = [0; AXES];
            for (place, axis) in (AXES - self.axes..AXES).enumerate() {
                surplus[axis] = bits >> place & 1;
            }
            let layout = self.layout_of(rank, surplus);
            if layout.len() == len {
                fitting.push(layout);
            }
        }
        match fitting[..] {
            [layout] => Ok(layout),
            [] => {
                self.centred().check_len(len)?;
                Ok(self.centred())
            }
            _ => Err(Error::invalid(format!(
                "memory of {len} elements may be staggered along either of several axes: make a plan with \
                 `Grid::staggered`, which says which"
            ))),
        }
    }

    /// Position of a rank's part along each axis.
    pub(crate) fn coordinate(&self, rank: usize) -> [usize; AXES] {
        let [_, p1, p2] = self.parts;
        [rank / (p1 * p2), rank / p2 % p1, rank % p2]
    }

    pub(crate) fn rank_at(&self, at: [usize; AXES]) -> usize {
        (at[0] * self.parts[1] + at[1]) * self.parts[2] + at[2]
    }

    /// The rank after this one along an axis, or before it, and whether the end of the axis lies between; `None` beyond an open
    /// end.
    pub(crate) fn neighbour(&self, axis: usize, upwards: bool) -> Option<(usize, bool)> {
        let mut at = self.coordinate(self.comm.rank());
        let last = self.parts[axis] - 1;
        let crosses = at[axis] == if upwards { last } else { 0 };
        if crosses && self.boundaries[axis] == Boundary::Open {
            return None;
        }
        at[axis] = match (upwards, crosses) {
            (true, true) => 0,
            (true, false) => at[axis] + 1,
            (false, true) => last,
            (false, false) => at[axis] - 1,
        };
        Some((self.rank_at(at), crosses))
    }

    pub(crate) fn boundary(&self, axis: usize) -> Boundary {
        self.boundaries[axis]
    }

    pub(crate) fn cuts(&self) -> [usize; AXES] {
        self.parts
    }

    pub(crate) fn has_corners(&self) -> bool {
        self.has_corners
    }

    /// Exchanges the halos of some fields of this rank's device, each of one value a point or staggered by its length: the
    /// ghosts get the values of the neighbours. Collective. The plan is made at the first call for such fields and kept;
    /// [`plan`](Self::plan) has more to say.
    /// # Errors
    /// As [`Plan::new`] and [`Plan::exchange`].
    pub fn exchange<F: Field + ?Sized>(&self, fields: &mut [&mut F]) -> Result<()> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let known = plans.iter().find(|plan| plan.fits(fields)).cloned();
        let plan = match known {
            Some(plan) => plan,
            None => {
                let plan = self.plan(fields)?;
                if plans.len() == MOST_PLANS {
                    plans.remove(0);
                }
                plans.push(plan.clone());
                plan
            }
        };
        drop(plans);
        plan.exchange(fields)
    }

    /// The plan of the exchange of such fields, whose layouts follow from their lengths. Collective.
    /// # Errors
    /// As [`Plan::new`], [`ferrocca_core::ErrorKind::Invalid`] for a length that several layouts have.
    pub fn plan<F: Field + ?Sized>(&self, fields: &[&mut F]) -> Result<Plan> {
        let Some(first) = fields.first() else {
            return Err(Error::invalid("an exchange of no fields"));
        };
        let kinds = fields.iter().map(|field| {
            let memory = field.memory();
            Ok((self.layout_of_len(memory.len())?, memory.dtype()))
        });
        // What one rank cannot do the others must learn of.
        let kinds = self.comm.all_succeed(kinds.collect::<Result<Vec<_>>>())?;
        Plan::new(self, &first.memory().device(), &kinds)
    }

    /// What all ranks must have in common.
    pub(crate) fn describe(&self) -> String {
        let all = AXES - self.axes..;
        format!(
            "a grid of {:?} points, halo {}, {:?}, parts {:?}{}",
            &self.shape[all.clone()],
            self.halo(),
            &self.boundaries[all.clone()],
            &self.parts[all],
            if self.has_corners { "" } else { ", without corners" }
        )
    }

    fn padded(&self, axis: usize) -> usize {
        assert!(axis < self.axes, "axis {axis} of a grid of {} axes", self.axes);
        AXES - self.axes + axis
    }

    fn check_axes(&self, what: &str, given: usize) -> Result<()> {
        match given == self.axes {
            true => Ok(()),
            false => Err(Error::invalid(format!("{what}: {given} values for a grid of {} axes", self.axes))),
        }
    }

    /// Whether each part has points, and as many as its neighbours need.
    fn check_cut(&self, parts: [usize; AXES]) -> Result<()> {
        for axis in 0..AXES {
            let (points, parts, halo) = (self.shape[axis], parts[axis], self.halo[axis]);
            let name = axis + self.axes;
            if parts == 0 || parts > points {
                return Err(Error::invalid(format!(
                    "{points} points along axis {} cannot be cut into {parts} parts",
                    name - AXES
                )));
            }
            let meets = parts > 1 || self.boundaries[axis] != Boundary::Open;
            if meets && points / parts < halo {
                return Err(Error::invalid(format!(
                    "a halo of {halo} is wider than a part: axis {} has {points} points in {parts} part{}",
                    name - AXES,
                    if parts == 1 { "" } else { "s" }
                )));
            }
        }
        Ok(())
    }

    /// The cut whose parts have the least surface between them.
    fn best_cut(&self) -> Result<[usize; AXES]> {
        let size = self.comm.size();
        let mut best: Option<(u128, [usize; AXES])> = None;
        let mut refusal = None;
        for p0 in divisors(size) {
            for p1 in divisors(size / p0) {
                let parts = [p0, p1, size / p0 / p1];
                if (0..AXES - self.axes).any(|axis| parts[axis] > 1) {
                    continue;
                }
                if let Err(error) = self.check_cut(parts) {
                    refusal = Some(error);
                    continue;
                }
                let surface: u128 = (0..AXES)
                    .map(|axis| {
                        (parts[axis] as u128 - 1)
                            * (0..AXES)
                                .filter(|other| *other != axis)
                                .map(|other| self.shape[other] as u128)
                                .product::<u128>()
                    })
                    .sum();
                // Of equal ones the first found wins; slower axes are cut more in later ones.
                if best.is_none_or(|(least, _)| surface <= least) {
                    best = Some((surface, parts));
                }
            }
        }
        match (best, refusal) {
            (Some((_, parts)), _) => Ok(parts),
            (None, Some(error)) => {
                Err(error.while_doing(format!("a grid of {:?} points on {size} ranks", self.shape())))
            }
            (None, None) => Err(Error::invalid(format!("{size} ranks cannot share {:?} points", self.shape()))),
        }
    }
}

fn divisors(count: usize) -> impl Iterator<Item = usize> {
    (1..=count).filter(move |divisor| count.is_multiple_of(*divisor))
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {:?}", self.describe(), self.comm)
    }
}
