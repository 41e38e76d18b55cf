//! Properties that stand at the wrong place: those of kernels at a device, those of another mode.

use super::{Props, bad};
use crate::backend::Mode;
use crate::{Result, registry, suggest};

impl Props {
    /// Refuses properties that are not among `own`, but among `others`; `say` says where they belong.
    /// # Errors
    /// [`ErrorKind::Props`].
    pub(crate) fn check_place<'a>(
        &self,
        own: impl Iterator<Item = &'a str> + Clone,
        others: &[&[(&str, &str)]],
        say: impl Fn(&str) -> String,
    ) -> Result<()> {
        let is_elsewhere = |name: &str| others.iter().any(|list| list.iter().any(|(known, _)| *known == name));
        let mut names = self.values.keys();
        let misplaced = names.find(|name| !own.clone().any(|known| known == *name) && is_elsewhere(name));
        misplaced.map_or(Ok(()), |name| Err(bad(say(name))))
    }

    /// Refuses properties that nobody reads. For those of another mode it says of which; `what` they are of is "device",
    /// "kernel" or "stream", `own` are those that `mode` knows, `of` are those that a mode adds.
    /// # Errors
    /// [`ErrorKind::Props`](crate::ErrorKind::Props).
    pub(crate) fn check_mode<'a>(
        &self,
        what: &str,
        mode: &Mode,
        own: impl Iterator<Item = &'a str> + Clone,
        of: impl Fn(&Mode) -> &'static [(&'static str, &'static str)],
    ) -> Result<()> {
        let others: Vec<_> = registry::modes().into_iter().filter(|other| other.name != mode.name).collect();
        let unknown = self.iter().filter(|(name, _)| !own.clone().any(|known| known == *name));
        for (name, value) in unknown {
            let has = |other: &Mode, wanted: &str| of(other).iter().any(|(known, _)| *known == wanted);
            let modes_with = |wanted: &str| -> Vec<&'static str> {
                others.iter().filter(|other| has(other, wanted)).map(|other| other.name).collect()
            };
            let modes = modes_with(name);
            let Some(first) = modes.first() else {
                let is_near_own = suggest::nearest(name, own.clone()).is_some();
                let elsewhere = others.iter().flat_map(|other| of(other)).map(|(known, _)| *known);
                if let (false, Some(near)) = (is_near_own, suggest::nearest(name, elsewhere)) {
                    let (whose, of_modes) = (mode.name, of_modes(&modes_with(near)));
                    if own.clone().next().is_none() {
                        return Err(bad(format!(
                            "a {what} of mode `{whose}` takes no properties, but was given `{name}`: remove it; in {of_modes} there is `{near}`"
                        )));
                    }
                    return Err(bad(format!(
                        "unknown `{whose}` {what} property `{name}` (did you mean `{near}`? It is one of {of_modes}); known: {}",
                        suggest::list(own)
                    )));
                }
                continue;
            };
            let this = if what == "kernel" { "this kernel is built for" } else { "this device is of" };
            let or_open = match what {
                "device" => format!(", or open `{first}, {name}={value}`"),
                _ => String::new(),
            };
            return Err(bad(format!(
                "{what} property `{name}` is one of {} only, and {this} mode `{}`: remove it{or_open}",
                of_modes(&modes),
                mode.name
            )));
        }
        let whose = if what == "kernel" { what.to_owned() } else { format!("`{}` {what}", mode.name) };
        self.check_known(&whose, own)
    }
}

/// ``mode `CPU` ``, ``modes `CPU`, `Serial` ``.
fn of_modes(names: &[&'static str]) -> String {
    let word = if names.len() == 1 { "mode" } else { "modes" };
    format!("{word} {}", suggest::list(names.iter().copied()))
}
