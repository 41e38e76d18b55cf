//! What a target tells its own backend about a nest.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Words from a target to its backend about the launches of a nest: which other entry there is, how much memory a launch
/// has to give. They travel with the signature, through the cache too, and nobody else reads them. Both sides use a
/// struct of the target's, such as [`crate::back::cuda::LaunchHints`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
// As text: a tree of a file's would be dropped wherever the signature is, however deep it is.
pub struct Hints(String);

impl Hints {
    /// The fields of a struct. Anything that is no struct with named fields gives no hints.
    pub fn of(hints: &impl Serialize) -> Self {
        match serde_json::to_value(hints) {
            Ok(fields @ Value::Object(_)) => Self(fields.to_string()),
            _ => Self::default(),
        }
    }

    /// The struct that they were made from.
    /// # Errors
    /// A sentence, where they were made from another one: the signature is that of another target.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.0).map_err(|error| format!("the signature was made for another target: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Gpu {
        coarsened: Option<String>,
        shared_bytes: u64,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Host {
        exclusive_bytes: u64,
    }

    #[test]
    fn hints_are_read_as_they_were_written_and_as_nothing_else() {
        let written = Gpu { coarsened: Some("k_0_coarsened".into()), shared_bytes: u64::MAX };
        let text = serde_json::to_string(&Hints::of(&written)).expect("text");
        let hints: Hints = serde_json::from_str(&text).expect("hints");
        assert_eq!(hints.read(), Ok(written));
        let foreign = hints.read::<Host>().expect_err("a GPU's hints are not the host's");
        assert!(foreign.contains("exclusive_bytes"), "{foreign}");
        assert!(Hints::default().read::<Host>().is_err());
    }
}
