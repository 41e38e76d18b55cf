//! The property `tune`: one kernel built in several ways.

use super::program;
use super::request::{BuildRequest, bad};
use crate::cache::KeyBuilder;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::log::{self, Level};
use crate::props::{Props, Value};
use crate::tuning::{Build, Tuner};
use crate::{Error, Result};
use std::sync::Arc;

/// Most builds of one kernel.
const MAX_BUILDS: usize = 64;

/// Names that are no macros: each compiler gives a build of its own.
const PROPERTIES: [&str; 1] = ["compiler"];

/// Builds a kernel; where `tune` lists values, each combination of them. `request` makes one request for properties.
pub(super) fn build(
    device: &Device,
    mut props: Props,
    name: &str,
    request: impl Fn(Props) -> Result<BuildRequest>,
) -> Result<Kernel> {
    let Some(tune) = props.remove("tune") else {
        return program::build(device, &Arc::new(request(props)?), name);
    };
    let (mut builds, mut refused, mut key) = (Vec::new(), Vec::new(), KeyBuilder::new("choice"));
    for choice in choices(&tune)? {
        let what = describe(&choice);
        let request = Arc::new(request(with(props.clone(), &choice))?);
        let identity = device.inner.backend.identity(&request.props);
        let built = identity.and_then(|identity| {
            let outer = request.outer_key(device, &identity).to_string();
            program::build(device, &request, name).map(|kernel| (kernel, outer))
        });
        match built {
            Ok((kernel, outer)) => {
                key = key.field(&what, outer.as_bytes());
                builds.push(Build { what, kernel });
            }
            Err(error) => {
                let error = error.while_doing(format!("building `{name}` with {what}"));
                log::say(Level::Info, device.inner.verbose, format_args!("left out: {error}"));
                refused.push((what, error));
            }
        }
    }
    // What is wrong with each of them is wrong with the source.
    let Some(first) = builds.first() else {
        return Err(refused.into_iter().next().map_or_else(|| bad("`tune` lists nothing".into()), |(_, error)| error));
    };
    let params = &first.kernel.signature().params;
    if let Some(other) = builds.iter().find(|build| build.kernel.signature().params != *params) {
        return Err(Error::invalid(format!(
            "`{name}` takes other arguments with {} than with {}: builds that are chosen from take the same",
            other.what, first.what
        )));
    }
    let key = key.field("kernel", name.as_bytes()).finish();
    Ok(Kernel::of_tuner(Tuner::new(builds, refused, Some((program::cache_of(device), key)))))
}

/// Every combination of the values; the last name's change first.
fn choices(tune: &Value) -> Result<Vec<Vec<(String, Value)>>> {
    let Value::Map(map) = tune else {
        let kind = tune.kind();
        return Err(bad(format!(
            "property `tune` takes lists of values by macro, {{TILE: [64, 128, 256]}}, got {kind}"
        )));
    };
    let mut all = vec![Vec::new()];
    for (name, values) in map {
        let Value::List(values) = values else {
            return Err(bad(format!("property `tune`: `{name}` takes a list of values, got {}", values.kind())));
        };
        if values.is_empty() {
            return Err(bad(format!("property `tune`: the list of `{name}` is empty")));
        }
        if all.len().saturating_mul(values.len()) > MAX_BUILDS {
            return Err(bad(format!("property `tune`: there are more than {MAX_BUILDS} combinations of its values")));
        }
        all = all
            .iter()
            .flat_map(|choice: &Vec<_>| {
                values.iter().map(|value| [choice.as_slice(), &[(name.clone(), value.clone())]].concat())
            })
            .collect();
    }
    Ok(all)
}

fn with(props: Props, choice: &[(String, Value)]) -> Props {
    choice.iter().fold(props, |props, (name, value)| match PROPERTIES.contains(&name.as_str()) {
        true => props.with(name, value.clone()),
        false => props.define(name, value.clone()),
    })
}

/// `TILE=64, compiler=gcc`
fn describe(choice: &[(String, Value)]) -> String {
    let one = |(name, value): &(String, Value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    };
    if choice.is_empty() { "no choice".into() } else { choice.iter().map(one).collect::<Vec<_>>().join(", ") }
}
