//! Keys: a strong hash over named fields, each with its length before it, so that no two lists of fields read alike.

use std::fmt;

/// A 256-bit hash (BLAKE3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The key that its text stands for.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// Gathers the fields of a key.
pub(crate) struct KeyBuilder(blake3::Hasher);

impl KeyBuilder {
    /// `purpose` keeps keys of different kinds apart.
    pub(crate) fn new(purpose: &str) -> Self {
        Self(blake3::Hasher::new()).field("purpose", purpose.as_bytes())
    }

    pub(crate) fn field(mut self, name: &str, value: &[u8]) -> Self {
        for part in [name.as_bytes(), value] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }

    pub(crate) fn finish(self) -> Key {
        Key(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_into_each_other() {
        let key = |fields: &[(&str, &str)]| {
            let start = KeyBuilder::new("test");
            fields.iter().fold(start, |builder, (name, value)| builder.field(name, value.as_bytes())).finish()
        };
        let keys = [
            key(&[("a", "bc")]),
            key(&[("ab", "c")]),
            key(&[("a", "b"), ("c", "")]),
            key(&[("a", "b"), ("", "c")]),
            key(&[("c", ""), ("a", "b")]),
            key(&[]),
        ];
        for (i, a) in keys.iter().enumerate() {
            for b in &keys[i + 1..] {
                assert_ne!(a, b);
            }
        }
        assert_eq!(key(&[("a", "bc")]), keys[0]);
        assert_ne!(KeyBuilder::new("other").field("a", b"bc").finish(), keys[0]);
    }

    #[test]
    fn text_reads_back() {
        let key = Key::of(b"x");
        assert_eq!(Key::from_hex(&key.to_string()), Some(key));
        assert_eq!(Key::from_hex("12"), None);
    }
}
