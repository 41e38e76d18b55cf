//! The problem and its discretisation, checked before anything is allocated.

use ferrocca_core::{DType, Error, Result};
use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

/// The most points that a kernel's `int` index can address, ghosts included.
pub const MAX_POINTS: u64 = i32::MAX as u64 - 2;

/// Floating point type of the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 64 bits.
    #[default]
    F64,
}

impl Precision {
    /// Name as on the command line: `f32`, `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Name in kernel text.
    pub(crate) fn kernel_type(self) -> &'static str {
        match self {
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    pub(crate) fn dtype(self) -> DType {
        match self {
            Self::F32 => DType::F32,
            Self::F64 => DType::F64,
        }
    }

    /// Values from their little-endian bytes, widened.
    pub(crate) fn values_of(self, bytes: &[u8]) -> Vec<f64> {
        match self {
            Self::F32 => bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk).into()).collect(),
            Self::F64 => bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect(),
        }
    }

    /// Size of a value in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "f32" => Ok(Self::F32),
            "f64" => Ok(Self::F64),
            other => Err(Error::invalid(format!("precision is `f32` or `f64`, not `{other}`"))),
        }
    }
}

/// What is solved: u_t + u u_x = ν u_xx on a periodic interval, from u₀ = sin(2πx / length).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Grid points, without the two ghost points.
    pub points: u64,
    /// Length of the interval, in units of x.
    pub length: f64,
    /// Viscosity ν.
    pub nu: f64,
    /// Time step Δt.
    pub dt: f64,
    /// The run ends at the first step whose time is at least this.
    pub final_time: f64,
    /// Whether a time that misses [`final_time`](Self::final_time) by rounding alone has reached it. `false`, the default:
    /// times are added up and compared as they are, as the program does that this one follows; 2,000 times 0.001 is less
    /// than 2, and the run takes one step more.
    pub ends_within_rounding: bool,
    /// Floating point type of the field.
    pub precision: Precision,
}

impl Default for Config {
    /// The original mini-application's problem.
    fn default() -> Self {
        Self {
            points: 256,
            length: TAU,
            nu: 0.01,
            dt: 0.001,
            final_time: 2.0,
            ends_within_rounding: false,
            precision: Precision::F64,
        }
    }
}

impl Config {
    /// Checks every value by itself. Stability is another question: see [`crate::Limits`].
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] that names the value and what it may be.
    pub fn validate(&self) -> Result<()> {
        if self.points < 2 || self.points > MAX_POINTS {
            return Err(Error::invalid(format!("points must be between 2 and {MAX_POINTS}, not {}", self.points)));
        }
        let positive = |name: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(Error::invalid(format!("{name} must be positive and finite, not {value}"))),
        };
        positive("length", self.length)?;
        positive("dt", self.dt)?;
        for (name, value) in [("nu", self.nu), ("final_time", self.final_time)] {
            if !value.is_finite() || value < 0.0 {
                return Err(Error::invalid(format!("{name} must not be negative and must be finite, not {value}")));
            }
        }
        if self.final_time + self.dt == self.final_time {
            return Err(Error::invalid(format!(
                "dt {} is too small for final_time {}: adding it would not change the time",
                self.dt, self.final_time
            )));
        }
        Ok(())
    }

    /// The time at which the run is over.
    pub fn end(&self) -> f64 {
        match self.ends_within_rounding {
            // More than what the sum of some 10⁸ steps is off by.
            true => self.final_time - 1e-3 * self.dt,
            false => self.final_time,
        }
    }

    /// Distance h of two points.
    pub fn spacing(&self) -> f64 {
        self.length / self.points as f64
    }

    /// c1 = Δt / 2h, the factor of the advection term.
    pub fn advection_factor(&self) -> f64 {
        self.dt / (2.0 * self.spacing())
    }

    /// c2 = νΔt / h², the factor of the diffusion term.
    pub fn diffusion_factor(&self) -> f64 {
        self.dt * self.nu / (self.spacing() * self.spacing())
    }

    /// Values in the field: the points and two ghosts.
    pub fn field_len(&self) -> usize {
        self.points as usize + 2
    }

    /// The field at time 0, ghosts included: sin(2πx / length) at x_i = (i − 1) h.
    pub fn initial_field(&self) -> Vec<f64> {
        let points = self.points as usize;
        let mut u = Vec::with_capacity(points + 2);
        u.push(0.0);
        u.extend((0..points).map(|i| (i as f64 * TAU / points as f64).sin()));
        u.push(u[1]);
        u[0] = u[points];
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_valid_and_has_the_factors_of_the_scheme() {
        let config = Config::default();
        config.validate().unwrap();
        let h = TAU / 256.0;
        assert_eq!(config.advection_factor(), 0.001 / (2.0 * h));
        assert_eq!(config.diffusion_factor(), 0.001 * 0.01 / (h * h));
    }

    #[test]
    fn every_bad_value_is_named() {
        let d = Config::default;
        let cases = [
            (Config { points: 1, ..d() }, "points must be between 2 and"),
            (Config { points: u64::MAX, ..d() }, "points must be between 2 and"),
            (Config { length: 0.0, ..d() }, "length must be positive"),
            (Config { length: f64::INFINITY, ..d() }, "length must be positive"),
            (Config { nu: -1.0, ..d() }, "nu must not be negative"),
            (Config { nu: f64::NAN, ..d() }, "nu must not be negative"),
            (Config { dt: 0.0, ..d() }, "dt must be positive"),
            (Config { dt: -0.1, ..d() }, "dt must be positive"),
            (Config { dt: 1e-20, ..d() }, "too small for final_time"),
            (Config { final_time: f64::NAN, ..d() }, "final_time must not be negative"),
        ];
        for (config, expected) in cases {
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(expected), "{message} does not say {expected}");
        }
    }

    #[test]
    fn ghosts_repeat_the_points_across_the_boundary() {
        let u = Config { points: 8, ..Config::default() }.initial_field();
        assert_eq!(u.len(), 10);
        assert_eq!((u[0], u[9]), (u[8], u[1]));
        assert_eq!(u[1], 0.0);
        assert_eq!(u[3], 1.0);
    }

    #[test]
    fn precision_has_two_names() {
        assert_eq!("f32".parse::<Precision>().unwrap(), Precision::F32);
        assert!("double".parse::<Precision>().unwrap_err().to_string().contains("`f32` or `f64`"));
    }
}
