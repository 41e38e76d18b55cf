//! Properties: `mode=CUDA, device_id=0` or OCCA's relaxed JSON `{mode: 'CUDA', device_id: 0}`.
//!
//! One grammar reads both: quotes are single, double or left out, commas may trail, comments are C's,
//! `'defines/N': 1` is short for `defines: {N: 1}`.
//! Not here: which properties there are; whoever reads props checks them with [`Props::check_known`].

mod parse;
mod place;
mod value;

pub use value::Value;

use crate::suggest;
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::fmt;

/// Properties of OCCA that nothing corresponds to, and why nothing has to.
const OCCA: [(&str, &str); 3] = [
    ("serial", "every kernel has the functions of C's `math.h`, and none has headers of C++"),
    ("async", "copies between memory of a device are queued, and those with the host wait"),
    ("nonblocking", "streams do not wait for each other; mode `CUDA` has `non_blocking` for its legacy default stream"),
];

/// Named values, ordered by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props {
    values: BTreeMap<String, Value>,
    /// A property that was set below more maps than text can have; it is refused where the properties are read.
    too_deep: Option<String>,
}

impl Props {
    /// Most levels of lists and maps within each other.
    pub const MAX_DEPTH: usize = 64;

    /// No properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads properties from text; empty text gives none.
    /// # Errors
    /// [`ErrorKind::Props`] with line, column and what was expected there.
    pub fn parse(text: &str) -> Result<Self> {
        parse::parse(text, None).map(Self::of)
    }

    /// Reads the properties of a device. As [`parse`](Self::parse), but a first word that stands alone is the mode: `CPU`,
    /// `CPU, threads=2`.
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_device(text: &str) -> Result<Self> {
        parse::parse(text, Some("mode")).map(Self::of)
    }

    fn of(values: BTreeMap<String, Value>) -> Self {
        Self { values, too_deep: None }
    }

    /// The value of a property. `defines/N` is the `N` in the map `defines`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut parts = name.split('/');
        let mut value = self.values.get(parts.next()?)?;
        for part in parts {
            let Value::Map(map) = value else { return None };
            value = map.get(part)?;
        }
        Some(value)
    }

    /// Sets a property, replacing its old value. `defines/N` sets the `N` in the map `defines`. A name of more than
    /// [`MAX_DEPTH`](Self::MAX_DEPTH) parts is not set, and refused where the properties are used.
    pub fn set(&mut self, name: impl AsRef<str>, value: impl Into<Value>) {
        let name = name.as_ref();
        if name.matches('/').count() >= Self::MAX_DEPTH {
            self.too_deep = Some(name.chars().take(32).collect());
            return;
        }
        let mut map = &mut self.values;
        let mut parts = name.split('/').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                map.insert(part.to_string(), value.into());
                return;
            }
            let inner = map.entry(part.to_string()).or_insert(Value::Null);
            if !matches!(inner, Value::Map(_)) {
                *inner = Value::Map(BTreeMap::new());
            }
            let Value::Map(next) = inner else { unreachable!("a map was put here") };
            map = next;
        }
    }

    /// The same with one more property.
    #[must_use]
    pub fn with(mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }

    /// The same with one more macro for kernels: `define("N", 10)`, `define("dfloat", "double")`.
    #[must_use]
    pub fn define(self, name: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.with(format!("defines/{}", name.as_ref()), value)
    }

    /// Removes a property and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.values.remove(name)
    }

    /// Names and values, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is no property.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// These properties over `defaults`: where both have a value this one counts, maps are merged.
    #[must_use]
    pub fn over(mut self, defaults: &Props) -> Self {
        merge(&mut self.values, &defaults.values);
        self.too_deep = self.too_deep.or_else(|| defaults.too_deep.clone());
        self
    }

    /// Refuses properties that nobody reads, and names of too many parts. `what` says whose they are: "device", "kernel".
    /// # Errors
    /// [`ErrorKind::Props`] that lists the known ones.
    pub fn check_known<'a>(&self, what: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Result<()> {
        if let Some(name) = &self.too_deep {
            let most = Self::MAX_DEPTH;
            return Err(bad(format!("{what} property `{name}…`: a name may have at most {most} parts")));
        }
        let Some(name) = self.values.keys().find(|name| !known.clone().into_iter().any(|k| k == *name)) else {
            return Ok(());
        };
        let has = match known.clone().into_iter().next() {
            Some(_) => format!("known: {}", suggest::list(known.clone())),
            None => format!("there are no {what} properties"),
        };
        if let Some((_, here)) = OCCA.iter().find(|(other, _)| other == name) {
            let within =
                self.get_map(name).ok().flatten().filter(|map| map.len() == 1).and_then(|map| map.keys().next());
            let full = within.map_or(name.clone(), |within| format!("{name}/{within}"));
            return Err(bad(format!("{what} property `{full}` is not needed here: remove it ({here})")));
        }
        let hint = suggest::hint(name, known);
        Err(bad(format!("unknown {what} property `{name}`{hint}; {has}")))
    }

    /// A string.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_str(&self, name: &str) -> Result<Option<&str>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a string", other)),
        }
    }

    /// An integer.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_int(&self, name: &str) -> Result<Option<i64>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Int(value)) => Ok(Some(*value)),
            Some(other) => Err(wrong_type(name, "an integer", other)),
        }
    }

    /// An integer that must lie in `range`.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type or outside.
    pub fn get_int_in(&self, name: &str, range: std::ops::RangeInclusive<i64>) -> Result<Option<i64>> {
        let value = self.get_int(name)?;
        match value {
            Some(value) if !range.contains(&value) => Err(bad(format!(
                "property `{name}` takes an integer from {} to {}, got {value}",
                range.start(),
                range.end()
            ))),
            _ => Ok(value),
        }
    }

    /// A number; an integer is one too.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_float(&self, name: &str) -> Result<Option<f64>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Float(value)) => Ok(Some(*value)),
            Some(Value::Int(value)) => Ok(Some(*value as f64)),
            Some(other) => Err(wrong_type(name, "a number", other)),
        }
    }

    /// A boolean.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_bool(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(wrong_type(name, "true or false", other)),
        }
    }

    /// A list of strings; a single string is a list of one.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_strings(&self, name: &str) -> Result<Vec<&str>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::List(values)) => values
                .iter()
                .map(|value| match value {
                    Value::String(text) => Ok(text.as_str()),
                    other => Err(wrong_type(name, "a list of strings", other)),
                })
                .collect(),
            Some(other) => Err(wrong_type(name, "a string or a list of strings", other)),
        }
    }

    /// A map of properties.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_map(&self, name: &str) -> Result<Option<&BTreeMap<String, Value>>> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Map(map)) => Ok(Some(map)),
            Some(other) => Err(wrong_type(name, "a map", other)),
        }
    }

    /// A map of properties, as props of its own; none where it is absent.
    /// # Errors
    /// [`ErrorKind::Props`] when the value is of another type.
    pub fn get_props(&self, name: &str) -> Result<Props> {
        self.get_map(name).map(|map| Props::of(map.cloned().unwrap_or_default()))
    }
}

/// Text that [`Props::parse`] reads back to equal properties; equal properties give equal text.
impl fmt::Display for Props {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        value::write_map(f, &self.values)
    }
}

impl std::str::FromStr for Props {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl<K: AsRef<str>, V: Into<Value>> FromIterator<(K, V)> for Props {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut props = Self::new();
        for (name, value) in pairs {
            props.set(name, value);
        }
        props
    }
}

/// What can stand where properties are asked for: text, or [`Props`].
pub trait IntoProps {
    /// The properties.
    /// # Errors
    /// [`ErrorKind::Props`] when text does not parse.
    fn into_props(self) -> Result<Props>;

    /// The properties of a device: in text, a first word that stands alone is the mode ([`Props::parse_device`]).
    /// # Errors
    /// As [`into_props`](Self::into_props).
    fn into_device_props(self) -> Result<Props>
    where
        Self: Sized,
    {
        self.into_props()
    }
}

impl IntoProps for Props {
    fn into_props(self) -> Result<Props> {
        Ok(self)
    }
}

impl IntoProps for &Props {
    fn into_props(self) -> Result<Props> {
        Ok(self.clone())
    }
}

impl IntoProps for &str {
    fn into_props(self) -> Result<Props> {
        Props::parse(self)
    }

    fn into_device_props(self) -> Result<Props> {
        Props::parse_device(self)
    }
}

impl IntoProps for String {
    fn into_props(self) -> Result<Props> {
        Props::parse(&self)
    }

    fn into_device_props(self) -> Result<Props> {
        Props::parse_device(&self)
    }
}

impl IntoProps for &String {
    fn into_props(self) -> Result<Props> {
        Props::parse(self)
    }

    fn into_device_props(self) -> Result<Props> {
        Props::parse_device(self)
    }
}

/// No properties.
impl IntoProps for () {
    fn into_props(self) -> Result<Props> {
        Ok(Props::new())
    }
}

fn merge(values: &mut BTreeMap<String, Value>, defaults: &BTreeMap<String, Value>) {
    for (name, default) in defaults {
        match (values.get_mut(name), default) {
            (Some(Value::Map(inner)), Value::Map(default)) => merge(inner, default),
            (Some(_), _) => {}
            (None, _) => {
                values.insert(name.clone(), default.clone());
            }
        }
    }
}

fn bad(message: String) -> Error {
    Error::new(ErrorKind::Props { message })
}

fn wrong_type(name: &str, expected: &str, got: &Value) -> Error {
    let hint = match got {
        Value::String(text) => suggest::missing_comma(text),
        _ => String::new(),
    };
    bad(format!("property `{name}` takes {expected}, got {got} ({}){hint}", got.kind()))
}

#[cfg(test)]
mod tests;
