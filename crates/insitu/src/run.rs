//! What a hook is told once: which run this is, with which parameters, and where its results belong.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A value of a run's parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A count or an index.
    Int(i64),
    /// A quantity, in the unit that the solver documents.
    Float(f64),
    /// A name.
    Text(String),
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

macro_rules! parameter_from {
    ($($ty:ty => $variant:ident as $wide:ty),* $(,)?) => {$(
        impl From<$ty> for Parameter {
            fn from(value: $ty) -> Self {
                Self::$variant(<$wide>::from(value))
            }
        }
    )*};
}

parameter_from! {
    i8 => Int as i64, i16 => Int as i64, i32 => Int as i64, i64 => Int as i64,
    u8 => Int as i64, u16 => Int as i64, u32 => Int as i64,
    f32 => Float as f64, f64 => Float as f64,
    &str => Text as String, String => Text as String,
}

/// Counts beyond `i64::MAX` cannot be told apart from garbage by a script; they become the nearest float.
impl From<u64> for Parameter {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Self::Float(value as f64), Self::Int)
    }
}

/// As for `u64`.
impl From<usize> for Parameter {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

/// A parameter that a hook may change while the solver runs, and within which bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Steerable {
    /// Its name, that of a parameter of kind [`Parameter::Float`].
    pub name: String,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
}

/// A run of a solver, as its hooks know it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Name of the solver or the case.
    pub name: String,
    /// Parameters in the order in which they were given; a name occurs once.
    pub parameters: Vec<(String, Parameter)>,
    /// Those of the parameters that a hook may change.
    pub steerable: Vec<Steerable>,
    /// Directory for results; exists before `start` is called. Empty: the working directory.
    pub output_dir: PathBuf,
    /// Canonical mode name of the device.
    pub mode: String,
    /// Name of the device.
    pub device: String,
}

impl Run {
    /// A run without parameters, with its results in the working directory.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Names the device that the run computes on.
    #[must_use]
    pub fn on(mut self, device: &ferrocca_core::Device) -> Self {
        self.mode = device.mode().to_owned();
        self.device = device.info().name.clone();
        self
    }

    /// Adds a parameter, or replaces the one of that name.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Parameter>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.parameters.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.parameters.push((name, value)),
        }
        self
    }

    /// Adds a parameter that hooks may change, to finite values from `range.start()` to `range.end()`.
    #[must_use]
    pub fn steerable(self, name: impl Into<String>, value: f64, range: RangeInclusive<f64>) -> Self {
        let name = name.into();
        let mut run = self.parameter(name.clone(), value);
        run.steerable.retain(|known| known.name != name);
        run.steerable.push(Steerable { name, least: *range.start(), greatest: *range.end() });
        run
    }

    /// Says where results belong.
    #[must_use]
    pub fn output_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.output_dir = directory.into();
        self
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_keep_their_order_and_are_replaced_by_name() {
        let run = Run::new("burgers").parameter("points", 256_usize).parameter("nu", 0.01).parameter("points", 128);
        assert_eq!(run.parameters[0], ("points".to_owned(), Parameter::Int(128)));
        assert_eq!(run.get("nu"), Some(&Parameter::Float(0.01)));
        assert_eq!(run.parameters.len(), 2);
        assert_eq!(run.get("dt"), None);
        assert_eq!(Parameter::from(u64::MAX), Parameter::Float(u64::MAX as f64));
    }
}
