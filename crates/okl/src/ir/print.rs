//! What `printf` prints: text, and numbers in the forms that C has for them.
//!
//! A format is kept as its pieces. Lowering has compared it with the arguments: `d` and `c` take `I32` or `I64`, `u`, `o`, `x` and
//! `X` take `U32` or `U64`, and `f`, `e`, `g` and `a`, in both cases, take `F32` or `F64`. Strings have become text.

use super::value::ScalarValue;
use super::{Expr, Module, Scalar, Stmt, StmtKind, Visitor, walk_stmt};
use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Most characters that a conversion asks for, before and behind the point.
pub const MOST_CHARACTERS: u32 = 500;

/// Most numbers of a `printf`: CUDA takes no more.
pub const MOST_ARGUMENTS: usize = 32;

/// What a `printf` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Print {
    /// In order.
    pub pieces: Vec<Piece>,
    /// A value for each [`Piece::Number`].
    pub arguments: Vec<Expr>,
}

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// The next number.
    Number(Conversion),
}

/// The form of a number: `%-08.3f`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversion {
    /// Those of `-+ #0` that are given.
    pub flags: String,
    /// Fewest characters.
    pub width: Option<u32>,
    /// Digits behind the point, or fewest digits of an integer.
    pub precision: Option<u32>,
    /// `d`, `x`, `g` …
    pub letter: char,
}

impl Conversion {
    /// The types of numbers that it takes.
    pub fn takes(&self) -> &'static [Scalar] {
        match self.letter {
            'd' => &[Scalar::I32, Scalar::I64],
            'c' => &[Scalar::I32],
            'u' | 'o' | 'x' | 'X' => &[Scalar::U32, Scalar::U64],
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => &[Scalar::F32, Scalar::F64],
            _ => &[],
        }
    }

    /// As C writes it, with what tells of the argument's size before the letter.
    pub fn spelling(&self, modifier: &str) -> String {
        let mut text = format!("%{}", self.flags);
        if let Some(width) = self.width {
            let _ = write!(text, "{width}");
        }
        if let Some(precision) = self.precision {
            let _ = write!(text, ".{precision}");
        }
        format!("{text}{modifier}{}", self.letter)
    }

    /// The form of what stands at the start of a text behind its `%`, the sizes between digits and letter, and the bytes
    /// that it takes; `None` where it is none of C's.
    pub fn read(text: &str) -> Option<(Self, &str, usize)> {
        let flags = text.len() - text.trim_start_matches(['-', '+', ' ', '#', '0']).len();
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = |digits: &str| if digits.is_empty() { Some(None) } else { digits.parse().ok().map(Some) };
        let mut at = flags + digits(&text[flags..]);
        let width = number(&text[flags..at])?;
        let mut precision = None;
        if text[at..].starts_with('.') {
            let end = at + 1 + digits(&text[at + 1..]);
            precision = Some(number(&text[at + 1..end])?.unwrap_or(0));
            at = end;
        }
        let rest = &text[at..];
        let sizes = rest.len() - rest.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L', 'q']).len();
        let letter = rest[sizes..].chars().next()?;
        let letter_of = if letter == 'i' { 'd' } else { letter };
        let conversion = Self { flags: text[..flags].into(), width, precision, letter: letter_of };
        Some((conversion, &rest[..sizes], at + sizes + letter.len_utf8()))
    }

    /// A number in this form, as C prints it.
    pub fn print(&self, value: ScalarValue, out: &mut Vec<u8>) {
        let has = |flag| self.flags.contains(flag);
        let (mut prefix, digits, mut is_padded_by_zeros) = match (self.letter, value.float()) {
            ('c', _) => return self.pad(out, &[value.integer().unwrap_or(0) as u8], b"", false),
            ('d', _) => {
                let number = value.integer().unwrap_or(0);
                (if number < 0 { "-".to_owned() } else { String::new() }, self.digits(number.unsigned_abs(), 10), true)
            }
            (_, None) => {
                let number = value.integer().unwrap_or(0).unsigned_abs();
                let base = match self.letter {
                    'u' => 10,
                    'o' => 8,
                    _ => 16,
                };
                let prefix =
                    if base == 16 && has('#') && number != 0 { format!("0{}", self.letter) } else { String::new() };
                (prefix, self.digits(number, base), true)
            }
            (_, Some(number)) => {
                let sign = if number.is_sign_negative() { "-" } else { "" };
                let magnitude = number.abs();
                match number.is_finite() {
                    true => (sign.to_owned(), self.float(magnitude), true),
                    false => (sign.to_owned(), if number.is_nan() { "nan" } else { "inf" }.to_owned(), false),
                }
            }
        };
        let is_signed = self.letter == 'd' || value.float().is_some();
        if is_signed && prefix.is_empty() {
            prefix.push_str(if has('+') {
                "+"
            } else if has(' ') {
                " "
            } else {
                ""
            });
        }
        let mut digits = digits;
        if let Some(hexadecimal) = digits.strip_prefix("0x").filter(|_| value.float().is_some()) {
            prefix.push_str("0x");
            digits = hexadecimal.to_owned();
        }
        if self.letter.is_ascii_uppercase() {
            (prefix, digits) = (prefix.to_ascii_uppercase(), digits.to_ascii_uppercase());
        }
        is_padded_by_zeros &= value.float().is_some() || self.precision.is_none();
        self.pad(out, digits.as_bytes(), prefix.as_bytes(), is_padded_by_zeros);
    }

    /// At least as wide as is asked for.
    fn pad(&self, out: &mut Vec<u8>, digits: &[u8], prefix: &[u8], by_zeros: bool) {
        let missing = (self.width.unwrap_or(0) as usize).saturating_sub(prefix.len() + digits.len());
        let is_left = self.flags.contains('-');
        let is_zero = by_zeros && self.flags.contains('0') && !is_left;
        let filled = |character: u8, when: bool| std::iter::repeat_n(character, if when { missing } else { 0 });
        out.extend(filled(b' ', !is_left && !is_zero));
        out.extend(prefix);
        out.extend(filled(b'0', is_zero));
        out.extend(digits);
        out.extend(filled(b' ', is_left));
    }

    /// A whole number's digits.
    fn digits(&self, number: u128, base: u32) -> String {
        let digits = match base {
            8 => format!("{number:o}"),
            16 => format!("{number:x}"),
            _ => number.to_string(),
        };
        let digits = if number == 0 && self.precision == Some(0) { String::new() } else { digits };
        let missing = (self.precision.unwrap_or(0) as usize).saturating_sub(digits.len());
        let digits = "0".repeat(missing) + &digits;
        let is_octal = base == 8 && self.flags.contains('#') && !digits.starts_with('0');
        if is_octal { format!("0{digits}") } else { digits }
    }

    /// The digits of a finite number that is not negative.
    fn float(&self, number: f64) -> String {
        let keeps_zeros = self.flags.contains('#');
        let precision = self.precision.unwrap_or(6) as usize;
        match self.letter.to_ascii_lowercase() {
            'f' => pointed(format!("{number:.precision$}"), keeps_zeros),
            'e' => exponential(number, precision, keeps_zeros),
            'a' => hexadecimal(number, self.precision, keeps_zeros),
            _ => {
                let significant = precision.max(1);
                let shown = format!("{number:.*e}", significant - 1);
                let exponent: i32 = shown.split_once('e').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0);
                if exponent < -4 || exponent >= significant as i32 {
                    let text = exponential(number, significant - 1, keeps_zeros);
                    match text.split_once('e') {
                        Some((digits, exponent)) if !keeps_zeros => format!("{}e{exponent}", without_zeros(digits)),
                        _ => text,
                    }
                } else {
                    let behind = (significant as i32 - 1 - exponent) as usize;
                    let text = pointed(format!("{number:.behind$}"), keeps_zeros);
                    if keeps_zeros { text } else { without_zeros(&text).to_owned() }
                }
            }
        }
    }
}

/// With a point, where one is asked for.
fn pointed(digits: String, is_asked: bool) -> String {
    if is_asked && !digits.contains('.') { digits + "." } else { digits }
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// `1.5e-07`: C writes two digits of the exponent at least.
fn exponential(number: f64, precision: usize, keeps_point: bool) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |of| ('-', of));
    format!("{}e{sign}{exponent:0>2}", pointed(digits.to_owned(), keeps_point))
}

/// `0x1.8p+0`, rounded to even where digits are left out.
fn hexadecimal(number: f64, precision: Option<u32>, keeps_point: bool) -> String {
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    const DIGITS: u32 = BITS / 4;
    let bits = number.to_bits();
    let (biased, fraction) = ((bits >> BITS) as i32, bits & ((1 << BITS) - 1));
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => 1 - 1023,
        _ => biased - 1023,
    };
    let mut mantissa = fraction | u64::from(biased != 0) << BITS;
    let mut digits = DIGITS;
    if let Some(precision) = precision.filter(|&precision| precision < DIGITS) {
        let dropped = 4 * (DIGITS - precision);
        let (kept, rest, half) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1), 1 << (dropped - 1));
        mantissa = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        digits = precision;
    }
    let fraction = if digits == 0 {
        String::new()
    } else {
        format!("{:0width$x}", mantissa & ((1 << (4 * digits)) - 1), width = digits as usize)
    };
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(precision) => format!("{fraction:0<width$}", width = precision as usize),
    };
    let point = if fraction.is_empty() && !keeps_point { "" } else { "." };
    format!("0x{}{point}{fraction}p{exponent:+}", mantissa >> (4 * digits))
}

/// A text as its pieces, where all that it holds is in the form of [`Conversion::spelling`] without sizes.
pub(crate) fn pieces(text: &str) -> Option<Vec<Piece>> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            plain.push('%');
            rest = behind;
            continue;
        }
        let (conversion, _, bytes) = Conversion::read(rest).filter(|(_, sizes, _)| sizes.is_empty())?;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Number(conversion));
        rest = &rest[bytes..];
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Some(pieces)
}

impl Print {
    /// The forms of the numbers, in order.
    pub fn conversions(&self) -> impl Iterator<Item = &Conversion> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Number(conversion) => Some(conversion),
            Piece::Text(_) => None,
        })
    }

    /// The format as C writes it, without quotes and escapes; `modifier` stands before the letter of each number.
    pub fn format(&self, modifier: impl Fn(Scalar) -> &'static str) -> String {
        let mut types = self.arguments.iter().map(|value| value.ty.scalar().unwrap_or(Scalar::I32));
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.replace('%', "%%"),
            Piece::Number(conversion) => conversion.spelling(modifier(types.next().unwrap_or(Scalar::I32))),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// What it prints for these values.
    pub fn text(&self, values: &[ScalarValue]) -> Vec<u8> {
        let (mut out, mut values) = (Vec::new(), values.iter());
        for piece in &self.pieces {
            match (piece, piece.is_number().then(|| values.next()).flatten()) {
                (Piece::Number(conversion), Some(value)) => conversion.print(*value, &mut out),
                (Piece::Text(text), _) => out.extend(text.as_bytes()),
                (Piece::Number(_), None) => {}
            }
        }
        out
    }
}

impl Piece {
    fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }
}

/// Whether statements print, or functions do that they call.
pub fn prints(module: &Module, stmts: &[Stmt]) -> bool {
    first_print(module, stmts).is_some()
}

/// The first `printf` that statements reach, in them or in functions that they call.
pub fn first_print(module: &Module, stmts: &[Stmt]) -> Option<Span> {
    let mut found = Prints { module, seen: vec![false; module.functions.len()], first: None };
    stmts.iter().for_each(|stmt| found.stmt(stmt));
    found.first
}

struct Prints<'a> {
    module: &'a Module,
    /// By function: each is looked at once, however many calls lead to it.
    seen: Vec<bool>,
    first: Option<Span>,
}

impl Visitor for Prints<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Print(_) => self.first = self.first.or(Some(stmt.span)),
            StmtKind::Call { function, .. } => {
                let number = function.0 as usize;
                if let Some(seen) = self.seen.get_mut(number)
                    && !std::mem::replace(seen, true)
                    && !self.module.functions[number].is_pure
                {
                    self.module.functions[number].stmts.iter().for_each(|stmt| self.stmt(stmt));
                }
            }
            _ => {}
        }
        if self.first.is_none() {
            walk_stmt(self, stmt);
        }
    }

    // Nothing prints within an expression.
    fn expr(&mut self, _: &Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What C's library prints for the same.
    #[track_caller]
    fn check(format: &str, value: ScalarValue, expected: &str) {
        let (conversion, sizes, bytes) = Conversion::read(&format[1..]).unwrap();
        assert_eq!((sizes, bytes), ("", format.len() - 1), "{format}");
        let mut out = Vec::new();
        conversion.print(value, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{format}");
    }

    #[test]
    fn whole_numbers_are_printed_as_c_does() {
        for (format, value, expected) in [
            ("%d", -42, "-42"),
            ("%i", 42, "42"),
            ("%5d|", 42, "   42"),
            ("%-5d|", 42, "42   "),
            ("%05d", -42, "-0042"),
            ("%+d", 42, "+42"),
            ("% d", 42, " 42"),
            ("%.4d", -42, "-0042"),
            ("%08.4d", 42, "    0042"),
            ("%.0d", 0, ""),
            ("%c", 65, "A"),
            ("%3c", 65, "  A"),
        ] {
            check(format.trim_end_matches('|'), ScalarValue::I32(value), expected);
        }
        for (format, value, expected) in [
            ("%u", u32::MAX, "4294967295"),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%#x", 0, "0"),
            ("%#o", 8, "010"),
            ("%08x", 48879, "0000beef"),
            ("%#08x", 48879, "0x00beef"),
        ] {
            check(format, ScalarValue::U32(value), expected);
        }
        check("%d", ScalarValue::I64(i64::MIN), "-9223372036854775808");
    }

    #[test]
    fn floating_point_numbers_are_printed_as_c_does() {
        for (format, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.5, "2."),
            ("%8.3f", -1.0, "  -1.000"),
            ("%08.3f", -1.0, "-001.000"),
            ("%e", 123_456.0, "1.234560e+05"),
            ("%.2E", 1e-300, "1.00E-300"),
            ("%e", 0.0, "0.000000e+00"),
            ("%g", 0.1, "0.1"),
            ("%g", 1e6, "1e+06"),
            ("%g", 999_999.5, "1e+06"),
            ("%g", 100_000.0, "100000"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%#g", 1.0, "1.00000"),
            ("%.17g", 0.1, "0.10000000000000001"),
            ("%.0g", 123.0, "1e+02"),
            ("%g", f64::INFINITY, "inf"),
            ("%06g", f64::NEG_INFINITY, "  -inf"),
            ("%G", f64::INFINITY, "INF"),
            ("%+g", 2.0, "+2"),
            ("%a", 1.5, "0x1.8p+0"),
            ("%a", 0.0, "0x0p+0"),
            ("%A", -0.1, "-0X1.999999999999AP-4"),
            ("%.1a", 1.97, "0x2.0p+0"),
            ("%.3a", 1.0, "0x1.000p+0"),
            ("%012a", 1.5, "0x00001.8p+0"),
            ("%g", -0.0, "-0"),
        ] {
            check(format, ScalarValue::F64(value), expected);
        }
        check("%g", ScalarValue::F32(0.1), "0.1");
        check("%.9g", ScalarValue::F32(0.1), "0.100000001");
    }

    #[test]
    fn a_format_is_read_as_it_is_written() {
        let text = "a%% %d b %-8.3f%x\n";
        let pieces = pieces(text).unwrap();
        assert_eq!(pieces.len(), 6, "{pieces:?}");
        let print = Print { pieces, arguments: Vec::new() };
        assert_eq!(print.format(|_| ""), text);
        assert!(super::pieces("%ld").is_none() && super::pieces("50%").is_none());
    }
}
