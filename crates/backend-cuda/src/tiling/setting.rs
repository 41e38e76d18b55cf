//! The property `tiling`.

use crate::error;
use ferrocca_core::Result;
use ferrocca_core::props::{Props, Value};

/// The property, with its line of explanation.
pub(crate) const TILING: (&str, &str) = (
    "tiling",
    "repetitions of a recorded loop that one pass through memory does: `auto` (default), `off`, or a number from 2 to 256",
);

/// Most repetitions of a pass.
pub(super) const MOST_STEPS: u64 = 256;

/// What the property says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Setting {
    Off,
    #[default]
    Auto,
    Steps(u64),
}

impl Setting {
    /// # Errors
    /// For a value that the property does not have.
    pub(crate) fn of(props: &Props) -> Result<Self> {
        match props.get("tiling") {
            None | Some(Value::Null) => Ok(Self::Auto),
            Some(Value::String(word)) if word == "auto" => Ok(Self::Auto),
            Some(Value::String(word)) if word == "off" => Ok(Self::Off),
            Some(Value::Int(steps)) if (2..=MOST_STEPS as i64).contains(steps) => Ok(Self::Steps(*steps as u64)),
            Some(other) => Err(error::props(format!(
                "property `tiling`: expected `auto`, `off` or a number from 2 to {MOST_STEPS}, got {other}"
            ))),
        }
    }
}
