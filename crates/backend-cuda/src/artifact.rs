//! What the cache keeps of a compiled text: the CUBIN, and behind it the text and the options that it was compiled with.
//!
//! The driver reads an ELF file by its own tables and does not see what follows. Text and options are there because a
//! persistent loop is composed of the texts of its kernels ([`crate::persistent`]).

use ferrocca_core::{Error, Result};

/// Ends an artifact; another layout has another one.
const MAGIC: &[u8; 8] = b"okl-cu 1";

/// Three lengths and the magic.
const TRAILER: usize = 3 * 8 + MAGIC.len();

/// The parts of an artifact.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) cubin: &'a [u8],
    /// One option a line.
    pub(crate) options: &'a str,
    pub(crate) text: &'a str,
}

impl Parts<'_> {
    /// The bytes of the artifact.
    pub(crate) fn join(&self) -> Vec<u8> {
        let parts = [self.cubin, self.options.as_bytes(), self.text.as_bytes()];
        let mut bytes = parts.concat();
        parts.iter().for_each(|part| bytes.extend((part.len() as u64).to_le_bytes()));
        bytes.extend(MAGIC);
        bytes
    }
}

/// Reads the parts of an artifact.
/// # Errors
/// [`ferrocca_core::ErrorKind::Driver`] for bytes that are none: the caller then compiles anew.
pub(crate) fn split(bytes: &[u8]) -> Result<Parts<'_>> {
    split_whole(bytes).ok_or_else(|| {
        Error::driver("cuModuleLoadData", None, format!("{} bytes that are not an artifact", bytes.len()))
    })
}

fn split_whole(bytes: &[u8]) -> Option<Parts<'_>> {
    let (body, trailer) = bytes.split_at_checked(bytes.len().checked_sub(TRAILER)?)?;
    let (lengths, magic) = trailer.split_at_checked(TRAILER - MAGIC.len())?;
    let length = |index: usize| {
        let raw = lengths.get(index * 8..index * 8 + 8)?;
        usize::try_from(u64::from_le_bytes(raw.try_into().ok()?)).ok()
    };
    let (cubin, rest) = body.split_at_checked(length(0)?)?;
    let (options, text) = rest.split_at_checked(length(1)?)?;
    // The driver reads an ELF file's header without being told how long the file is.
    let whole = magic == MAGIC && text.len() == length(2)? && cubin.len() >= 64 && cubin.starts_with(b"\x7fELF");
    let utf8 = |part| std::str::from_utf8(part).ok();
    Some(Parts { cubin, options: utf8(options)?, text: utf8(text)? }).filter(|_| whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_whole_or_refused() {
        let cubin = [b"\x7fELF".as_slice(), &[7; 100]].concat();
        let parts = Parts { cubin: &cubin, options: "-a\n-b", text: "kernel ⊕" };
        let bytes = parts.join();
        assert_eq!(split(&bytes).expect("it is whole"), parts);
        for end in 0..bytes.len() {
            assert!(split(&bytes[..end]).is_err(), "cut after {end} bytes");
        }
        assert!(split(&Parts { cubin: b"\x7fELF", options: "", text: "" }.join()).is_err(), "too short for a header");
    }
}
