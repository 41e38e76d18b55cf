//! The property `tiling` of devices that run several repetitions of a recorded loop in one pass through memory.

use crate::props::{Props, Value};
use crate::{Error, ErrorKind, Result};

/// What the property `tiling` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TilingSetting {
    /// `off`: each repetition is a pass.
    Off,
    /// `auto`, and where nothing is said: the backend chooses.
    #[default]
    Auto,
    /// So many repetitions a pass.
    Steps(u64),
}

impl TilingSetting {
    /// The property, with its line of explanation.
    pub const PROPERTY: (&'static str, &'static str) = (
        "tiling",
        "repetitions of a recorded loop that one pass through memory does: `auto` (default), `off`, or a number from 2 to 256",
    );

    /// Most repetitions of a pass.
    pub const MOST_STEPS: u64 = 256;

    /// What a device's properties say.
    /// # Errors
    /// [`ErrorKind::Props`] for a value that the property does not have.
    pub fn of(props: &Props) -> Result<Self> {
        match props.get(Self::PROPERTY.0) {
            None | Some(Value::Null) => Ok(Self::Auto),
            Some(Value::String(word)) if word == "auto" => Ok(Self::Auto),
            Some(Value::String(word)) if word == "off" => Ok(Self::Off),
            Some(&Value::Int(steps)) if (2..=Self::MOST_STEPS as i64).contains(&steps) => Ok(Self::Steps(steps as u64)),
            Some(other) => Err(Error::new(ErrorKind::Props {
                message: format!(
                    "property `tiling`: expected `auto`, `off` or a number from 2 to {}, got {other}",
                    Self::MOST_STEPS
                ),
            })),
        }
    }
}
