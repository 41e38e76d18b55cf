//! Lines that device kernels leave to be printed, where their text cannot print.
//!
//! Behind the words for faults, the record has the number of words that are used for lines, the number of lines that found no room,
//! and from [`Kernel::FIRST_LINE`] on the lines: the number of the line, counted from 1, and its values, 64-bit ones low half
//! first. What `passes::check_accesses` writes there, this module reads.

use super::value::ScalarValue;
use super::{Kernel, Piece, Print, Scalar};
use serde::{Deserialize, Serialize};

/// A `printf`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its format.
    pub pieces: Vec<Piece>,
    /// The types of its values: `I32`, `U32`, `I64`, `U64`, `F32` or `F64`.
    pub values: Vec<Scalar>,
}

impl Line {
    /// Words of the record that it takes.
    pub fn words(&self) -> usize {
        1 + self.values.iter().map(|ty| ty.bytes() / 4).sum::<usize>()
    }

    /// What it prints for values in the words of a record.
    fn text(&self, mut words: &[u32]) -> Vec<u8> {
        let value = |ty: &Scalar| {
            let (value, rest) = words.split_at(ty.bytes() / 4);
            words = rest;
            let bits = value.iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word));
            let narrow = (bits as u32).to_ne_bytes();
            let bytes = if ty.bytes() == 8 { &bits.to_ne_bytes()[..] } else { &narrow };
            ScalarValue::from_bytes(*ty, bytes).unwrap_or_else(|| ScalarValue::zero(*ty))
        };
        let values: Vec<ScalarValue> = self.values.iter().map(value).collect();
        Print { pieces: self.pieces.clone(), arguments: Vec::new() }.text(&values)
    }
}

/// What a record says of lines, without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Words that they take, from [`Kernel::FIRST_LINE`] on.
    pub words: usize,
    /// How many found no room.
    pub lost: u32,
}

impl Lines {
    /// From the first [`Kernel::FIRST_LINE`] words of a record.
    pub fn of(record: &[u32]) -> Self {
        let used = record[Kernel::FAULT_WORDS] as usize;
        Self { words: used.min(Kernel::LINE_WORDS), lost: record[Kernel::FAULT_WORDS + 1] }
    }

    /// What they print, given the words of the record from [`Kernel::FIRST_LINE`] on.
    pub fn text(self, words: &[u32], lines: &[Line]) -> Vec<u8> {
        let (mut text, mut rest) = (Vec::new(), &words[..self.words.min(words.len())]);
        // Where a line found no room, there are zeros up to the end.
        while let Some((&number, values)) = rest.split_first()
            && let Some(line) = lines.get((number as usize).wrapping_sub(1))
            && let Some(values) = values.get(..line.words() - 1)
        {
            text.extend(line.text(values));
            rest = &rest[line.words()..];
        }
        if self.lost > 0 {
            let (lines, room) = (if self.lost == 1 { "line" } else { "lines" }, 4 * Kernel::LINE_WORDS);
            text.extend(
                format!("… {} more {lines}: between two waits there is room for {room} bytes of them\n", self.lost)
                    .bytes(),
            );
        }
        text
    }
}
