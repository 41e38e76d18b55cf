//! Where the points of a field lie.

use ferrocca_core::{Error, Result};

/// Most axes of a mesh.
const MOST_AXES: usize = 3;

/// A uniform grid of one to three axes, the fastest (x) first; fields have their values at its points.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformGrid {
    origin: Vec<f64>,
    spacing: Vec<f64>,
    ghosts: usize,
}

impl UniformGrid {
    /// The coordinates of the first point and the distances of two, x first, in the unit of the solver.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of axes than one to three, the same for both; for a coordinate
    /// that is not finite or a distance that is not positive.
    pub fn new(origin: &[f64], spacing: &[f64]) -> Result<Self> {
        let axes = spacing.len();
        if axes == 0 || axes > MOST_AXES || origin.len() != axes {
            let text = format!("a grid has one to three axes, not {} origins and {axes} distances", origin.len());
            return Err(Error::invalid(text));
        }
        let is_good = |distance: &f64| *distance > 0.0 && distance.is_finite();
        if !spacing.iter().all(is_good) || !origin.iter().all(|coordinate| coordinate.is_finite()) {
            let text = format!(
                "a grid from {origin:?} by {spacing:?}: finite coordinates and positive distances are expected"
            );
            return Err(Error::invalid(text));
        }
        Ok(Self { origin: origin.into(), spacing: spacing.into(), ghosts: 0 })
    }

    /// So many points of each field at both ends of every axis are left out: a halo. The origin is the first point's after
    /// it.
    #[must_use]
    pub fn ghosts(mut self, ghosts: usize) -> Self {
        self.ghosts = ghosts;
        self
    }

    pub(crate) fn axes(&self) -> usize {
        self.spacing.len()
    }

    /// Points to leave out at each end of an axis.
    pub(crate) fn halo(&self) -> usize {
        self.ghosts
    }

    /// Origin and distance along an axis, counted from x.
    pub(crate) fn along(&self, axis: usize) -> (f64, f64) {
        (self.origin[axis], self.spacing[axis])
    }

    /// Points along each axis, x first, of fields with these extents, the slowest first.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of axes, or extents that the halo leaves nothing of.
    pub(crate) fn points(&self, name: &str, extents: &[i64]) -> Result<Vec<usize>> {
        if extents.len() != self.axes() {
            let text = format!("field `{name}` of shape {extents:?} on a grid of {} axes", self.axes());
            return Err(Error::invalid(text));
        }
        let halo = 2 * self.ghosts as i64;
        let inside = extents.iter().rev().map(|&extent| usize::try_from(extent - halo).ok().filter(|&left| left > 0));
        inside.collect::<Option<Vec<usize>>>().ok_or_else(|| {
            Error::invalid(format!(
                "field `{name}` of shape {extents:?} has no points within a halo of {}",
                self.ghosts
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_one_that_a_mesh_can_have() {
        let grid = UniformGrid::new(&[0.0, 1.0], &[0.5, 0.25]).unwrap().ghosts(2);
        assert_eq!(grid.points("u", &[10, 7]).unwrap(), [3, 6]);
        for (extents, part) in [(&[10_i64][..], "2 axes"), (&[10, 4], "no points"), (&[3, 9], "no points")] {
            let text = grid.points("u", extents).unwrap_err().to_string();
            assert!(text.contains(part) && text.contains("`u`"), "{text}");
        }
        for (origin, spacing) in [
            (&[0.0][..], &[][..]),
            (&[0.0], &[0.0]),
            (&[0.0], &[-1.0]),
            (&[f64::NAN], &[1.0]),
            (&[0.0], &[f64::INFINITY]),
            (&[0.0; 2], &[1.0]),
            (&[0.0; 4], &[1.0; 4]),
        ] {
            assert!(UniformGrid::new(origin, spacing).is_err(), "{origin:?} {spacing:?}");
        }
    }
}
