//! Properties: `mode=CUDA, device_id=0` or OCCA's relaxed JSON `{mode: 'CUDA', device_id: 0}`.

use std::collections::BTreeMap;

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

/// Named values, ordered by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props {
    values: BTreeMap<String, Value>,
}

impl Props {
    /// No properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a property.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Sets a property.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.values.insert(name.into(), value);
    }

    /// Names and values, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }
}
