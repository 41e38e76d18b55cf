//! How large a time step the scheme takes.
//!
//! Forward Euler with central differences, linearised about a constant speed a, is stable when both
//! Δt ≤ h² / 2ν and Δt ≤ 2ν / a² hold
//! (C. W. Hirt, Heuristic stability theory for finite-difference equations, 1968); together they imply the CFL condition
//! Δt ≤ h / |a|.
//! These are necessary for the linear problem and a good guide for this one: the solver warns, it does not refuse.

use crate::Config;
use std::fmt;

/// The largest stable time steps, each for its own reason, in units of t. Infinite where there is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The chosen Δt.
    pub dt: f64,
    /// The largest |u| that the limits are for.
    pub max_speed: f64,
    /// CFL: h / max|u|.
    pub advection: f64,
    /// Diffusion: h² / 2ν.
    pub diffusion: f64,
    /// Cell Péclet number: max|u| h / ν. Above 2, central differences overshoot at a steep front. Infinite without viscosity.
    pub cell_peclet: f64,
    /// Points from which on the cell Péclet number is at most 2; none without viscosity.
    pub smooth_points: Option<u64>,
    /// Forward Euler with central differences damps advection only through ν: 2ν / max|u|².
    pub advection_diffusion: f64,
}

impl Limits {
    /// The limits of a problem whose field nowhere exceeds `max_speed`.
    /// The exact field never grows beyond its initial extremes; this scheme overshoots a little at a steep front.
    pub fn new(config: &Config, max_speed: f64) -> Self {
        let h = config.spacing();
        let over = |numerator: f64, denominator: f64| match denominator == 0.0 {
            true => f64::INFINITY,
            false => numerator / denominator,
        };
        Self {
            dt: config.dt,
            max_speed,
            advection: over(h, max_speed),
            cell_peclet: if max_speed == 0.0 { 0.0 } else { over(max_speed * h, config.nu) },
            smooth_points: (config.nu > 0.0).then(|| (config.length * max_speed / (2.0 * config.nu)).ceil() as u64),
            diffusion: over(h * h, 2.0 * config.nu),
            advection_diffusion: over(2.0 * config.nu, max_speed * max_speed),
        }
    }

    /// The smallest of the limits.
    pub fn largest_stable_dt(&self) -> f64 {
        self.advection.min(self.diffusion).min(self.advection_diffusion)
    }

    /// Whether the chosen Δt is within every limit.
    pub fn is_stable(&self) -> bool {
        self.dt <= self.largest_stable_dt()
    }

    /// A sentence about fronts that this grid cannot resolve: the field will exceed its initial extremes there, which the
    /// equation does not. `None` where it can.
    /// (S. V. Patankar, Numerical Heat Transfer and Fluid Flow, 1980, chapter 5.)
    pub fn overshoot(&self) -> Option<String> {
        let choice = self.smooth_points.map(|points| format!("; choose points ≥ {points}")).unwrap_or_default();
        (self.cell_peclet > 2.0).then(|| {
            format!(
                "the cell Péclet number max|u| dx/ν = {:.2} is greater than 2: the grid is too coarse for the front, where \
                 |u| will exceed {} although the equation forbids it{choice}",
                self.cell_peclet,
                short(self.max_speed)
            )
        })
    }

    /// Why a field may have become infinite, and what to do: the warning, without the limits that it names.
    pub(crate) fn cause(&self) -> String {
        match self.is_stable() {
            true => self.to_string(),
            false => format!("dt = {} is unstable; {}", self.dt, self.choice()),
        }
    }

    fn choice(&self) -> String {
        match self.largest_stable_dt() {
            0.0 => "without viscosity this scheme is unstable at every dt".to_owned(),
            dt => format!("choose dt ≤ {dt:.4e}"),
        }
    }

    /// A sentence that names every limit that the chosen Δt exceeds; `None` when it exceeds none.
    pub fn warning(&self) -> Option<String> {
        (!self.is_stable()).then(|| self.to_string())
    }
}

/// A number in a sentence: six significant digits at most.
pub(crate) fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = [
            ("CFL limit dx/max|u|", self.advection),
            ("diffusion limit dx²/2ν", self.diffusion),
            ("advection-diffusion limit 2ν/max|u|²", self.advection_diffusion),
        ];
        if self.is_stable() {
            return write!(f, "dt = {} is within the stability limit {:.4e}", self.dt, self.largest_stable_dt());
        }
        write!(f, "dt = {} is unstable: it exceeds", self.dt)?;
        let mut separator = " ";
        for (name, limit) in limits.into_iter().filter(|(_, limit)| self.dt > *limit) {
            write!(f, "{separator}the {name} = {limit:.4e}")?;
            separator = " and ";
        }
        write!(f, "; {}", self.choice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_problem_is_stable() {
        let limits = Limits::new(&Config::default(), 1.0);
        assert_eq!(limits.warning(), None);
        assert!((limits.advection - 0.024_543_692_606_170_26).abs() < 1e-15);
        assert!((limits.diffusion - 0.030_119_642_337_837_34).abs() < 1e-12);
        assert_eq!(limits.advection_diffusion, 0.02);
    }

    #[test]
    fn an_unstable_step_names_the_limits_it_exceeds_and_no_other() {
        let warning = |config: Config| Limits::new(&config, 1.0).warning().unwrap();
        let joint = warning(Config { dt: 0.022, ..Config::default() });
        assert!(joint.contains("2ν/max|u|² = 2.0000e-2"), "{joint}");
        assert!(!joint.contains("CFL") && !joint.contains("dx²/2ν"), "{joint}");
        let fine = warning(Config { points: 4096, ..Config::default() });
        assert!(fine.contains("diffusion limit dx²/2ν") && !fine.contains("CFL"), "{fine}");
        let all = warning(Config { dt: 0.5, ..Config::default() });
        assert!(all.contains("CFL") && all.contains("diffusion") && all.contains("2ν/max|u|²"), "{all}");
        assert!(all.contains("choose dt ≤ 2.0000e-2"), "{all}");
    }

    #[test]
    fn no_viscosity_means_no_stable_step() {
        let warning = Limits::new(&Config { nu: 0.0, ..Config::default() }, 1.0).warning().unwrap();
        assert!(warning.contains("unstable at every dt"), "{warning}");
    }

    #[test]
    fn a_grid_that_is_too_coarse_for_the_front_says_how_fine_it_should_be() {
        let overshoot = |config: Config| Limits::new(&config, 1.0).overshoot();
        let text = overshoot(Config::default()).unwrap();
        assert!(text.contains("= 2.45 is greater than 2") && text.ends_with("choose points ≥ 315"), "{text}");
        assert_eq!(overshoot(Config { points: 315, ..Config::default() }), None);
        assert!(overshoot(Config { points: 314, ..Config::default() }).is_some());
        let text = overshoot(Config { nu: 0.0, ..Config::default() }).unwrap();
        assert!(text.contains("= inf is") && text.ends_with("forbids it"), "{text}");
        assert_eq!(Limits::new(&Config { nu: 0.0, ..Config::default() }, 0.0).overshoot(), None);
    }

    #[test]
    fn a_field_at_rest_is_limited_by_diffusion_alone() {
        let limits = Limits::new(&Config::default(), 0.0);
        assert_eq!(limits.largest_stable_dt(), limits.diffusion);
        assert!(limits.is_stable());
    }
}
