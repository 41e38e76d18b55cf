//! A value of a property, conversions into it, and its text.

use std::collections::BTreeMap;
use std::fmt;

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

impl Value {
    /// What it is, with its article, for errors: `an integer`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

macro_rules! value_from {
    ($($from:ty => |$value:ident| $into:expr),* $(,)?) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self { $into }
        }
    )*};
}

value_from! {
    bool => |value| Self::Bool(value),
    i8 => |value| Self::Int(value.into()),
    u8 => |value| Self::Int(value.into()),
    i16 => |value| Self::Int(value.into()),
    u16 => |value| Self::Int(value.into()),
    i32 => |value| Self::Int(value.into()),
    u32 => |value| Self::Int(value.into()),
    i64 => |value| Self::Int(value),
    f32 => |value| Self::Float(value.into()),
    f64 => |value| Self::Float(value),
    &str => |value| Self::String(value.to_string()),
    String => |value| Self::String(value),
    BTreeMap<String, Value> => |value| Self::Map(value),
}

impl From<usize> for Value {
    /// A number beyond `i64::MAX` becomes its decimal digits as a string, so that no bit is lost.
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<u64> for Value {
    /// A number beyond `i64::MAX` becomes its decimal digits as a string, so that no bit is lost.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::String(value.to_string()), Self::Int)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value> + Clone, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// Text that the parser reads back to an equal value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write_float(f, *value),
            Self::String(value) => write_quoted(f, value),
            Self::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write!(f, "{value}")?;
                }
                f.write_str("]")
            }
            Self::Map(values) => write_map(f, values),
        }
    }
}

pub(super) fn write_map(f: &mut fmt::Formatter<'_>, values: &BTreeMap<String, Value>) -> fmt::Result {
    f.write_str("{")?;
    for (index, (name, value)) in values.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_word {
            f.write_str(name)?;
        } else {
            write_quoted(f, name)?;
        }
        write!(f, ": {value}")?;
    }
    f.write_str("}")
}

fn write_float(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    if value.is_nan() {
        f.write_str("NaN")
    } else if value.is_infinite() {
        f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        // `{:?}` always has a point or an exponent, so that it reads back as a float, and every digit.
        write!(f, "{value:?}")
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("'")?;
    for c in text.chars() {
        match c {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("'")
}
