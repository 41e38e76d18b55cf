//! The values of numbers, characters and strings.
//! Widths are OKL's on every target: `int` has 32 bits, `long` and `long long` 64, `char` is signed.

use crate::ir::Scalar;

/// A number's value and type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer and its type by C's rules.
    Int(u64, Scalar),
    /// A real number, already rounded to its type.
    Float(f64, Scalar),
    /// An imaginary number: so much of `i`, already rounded to the type of its parts.
    Imaginary(f64, Scalar),
}

/// Why a literal has no value: what is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

fn refuse<T>(message: impl Into<String>, hint: Option<&str>) -> Result<T, LiteralError> {
    Err(LiteralError { message: message.into(), hint: hint.map(str::to_owned) })
}

/// The value of a number as the lexer cut it.
/// # Errors
/// It is not a number of the language, or no type holds it.
pub fn number(text: &str) -> Result<Number, LiteralError> {
    let lower = text.to_ascii_lowercase();
    match imaginary_suffix(&lower) {
        Some(real) => imaginary(text, &real),
        None => real_number(text, &lower),
    }
}

/// `1.5` and `1.5f` of `1.5i`, `1.5if` and `1.5fi`; C's compilers take `j` as well.
fn imaginary_suffix(lower: &str) -> Option<String> {
    let is_unit = |text: &str| text.ends_with(['i', 'j']);
    if is_unit(lower) {
        return Some(lower[..lower.len() - 1].to_owned());
    }
    let digits = lower.strip_suffix('f').filter(|text| is_unit(text))?;
    Some(format!("{}f", &digits[..digits.len() - 1]))
}

fn imaginary(text: &str, real: &str) -> Result<Number, LiteralError> {
    let digits = real.trim_end_matches('f');
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let suffix = if real.ends_with('f') { "if" } else { "i" };
        return refuse(
            format!("`{text}` would be a complex number of integers, which OKL does not have"),
            Some(&format!("write `{digits}.0{suffix}`")),
        );
    }
    match real_number(text, real)? {
        Number::Float(value, ty) => Ok(Number::Imaginary(value, ty)),
        _ => refuse(format!("`{text}` is not a number"), Some("an imaginary number looks like 1.5i or 1.5if")),
    }
}

/// `lower` is the number in lower case, without what makes it imaginary; `text` is shown.
fn real_number(text: &str, lower: &str) -> Result<Number, LiteralError> {
    if let Some(digits) = lower.strip_prefix("0x") {
        return if digits.contains(['.', 'p']) { hex_float(text, digits) } else { integer(text, digits, 16) };
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return integer(text, digits, 2);
    }
    let is_float = lower.contains('.') || lower.bytes().find(|b| !b.is_ascii_digit()) == Some(b'e');
    if is_float {
        return decimal_float(text, lower);
    }
    // `1f` is no number of C, though many write it.
    if lower.len() > 1 && lower.ends_with('f') && lower.bytes().rev().skip(1).all(|b| b.is_ascii_digit()) {
        let digits = &text[..text.len() - 1];
        return refuse(format!("`{text}` is not a number"), Some(&format!("write `{digits}.0f`")));
    }
    let radix = if lower.len() > 1 && lower.starts_with('0') { 8 } else { 10 };
    integer(text, lower, radix)
}

/// `digits` is in lower case and ends with the suffix.
fn integer(text: &str, digits: &str, radix: u32) -> Result<Number, LiteralError> {
    let split = digits.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(split);
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ => {
            return refuse(
                format!("`{suffix}` is not an integer suffix, in `{text}`"),
                Some("suffixes are u, l, ul, ll and ull"),
            );
        }
    };
    if digits.is_empty() {
        return refuse(format!("`{text}` has no digits"), None);
    }
    if let Some(bad) = digits.chars().find(|c| !c.is_digit(radix)) {
        let base = if radix == 8 { "an octal number (it starts with 0)" } else { "a binary number" };
        return refuse(format!("`{bad}` is not a digit of {base}, in `{text}`"), None);
    }
    let Ok(value) = u64::from_str_radix(digits, radix) else {
        return refuse(format!("`{text}` does not fit 64 bits"), None);
    };
    // C's rule: the first type that holds it; only other bases than ten go on to unsigned ones.
    let any_sign = unsigned || radix != 10;
    let ty = if !long && !unsigned && value <= i32::MAX as u64 {
        Scalar::I32
    } else if !long && any_sign && value <= u64::from(u32::MAX) {
        Scalar::U32
    } else if !unsigned && value <= i64::MAX as u64 {
        Scalar::I64
    } else if any_sign {
        Scalar::U64
    } else {
        return refuse(format!("`{text}` does not fit `long`"), Some("add the suffix `u` for `unsigned long`"));
    };
    Ok(Number::Int(value, ty))
}

fn decimal_float(text: &str, lower: &str) -> Result<Number, LiteralError> {
    let (digits, ty) = float_suffix(text, lower)?;
    // Rust's grammar is C's, but for names such as `inf`, which no token is.
    let value = match ty {
        Scalar::F32 => digits.parse::<f32>().map(f64::from),
        _ => digits.parse::<f64>(),
    };
    finite(text, value.ok(), ty)
}

/// Splits the suffix off: the digits and the type.
fn float_suffix<'t>(text: &str, lower: &'t str) -> Result<(&'t str, Scalar), LiteralError> {
    if let Some(digits) = lower.strip_suffix('f') {
        return Ok((digits, Scalar::F32));
    }
    if lower.ends_with('l') {
        return refuse(
            format!("`{text}` is a `long double`, which no target has"),
            Some("leave the `l` out for `double`"),
        );
    }
    Ok((lower, Scalar::F64))
}

fn finite(text: &str, value: Option<f64>, ty: Scalar) -> Result<Number, LiteralError> {
    match value {
        Some(value) if value.is_finite() => Ok(Number::Float(value, ty)),
        Some(_) => refuse(format!("`{text}` is too large for `{}`", ty.okl_name()), None),
        None => refuse(format!("`{text}` is not a number"), None),
    }
}

fn hex_float(text: &str, lower: &str) -> Result<Number, LiteralError> {
    let malformed =
        || refuse(format!("`{text}` is not a number"), Some("a hexadecimal real number looks like 0x1.8p3"));
    let Some((mantissa, exponent)) = lower.split_once('p') else {
        return malformed();
    };
    let (exponent, ty) = float_suffix(text, exponent)?;
    let Ok(exponent) = exponent.parse::<i32>() else {
        return malformed();
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return malformed();
    }
    let mut bits: u128 = 0;
    let mut scale = i64::from(exponent);
    for (index, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let Some(digit) = digit.to_digit(16) else {
            return malformed();
        };
        let in_fraction = index >= whole.len();
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if in_fraction { 4 } else { 0 };
        } else {
            // Beyond 120 bits a digit decides only whether the value lies above a rounding tie.
            bits |= u128::from(digit != 0);
            scale += if in_fraction { 0 } else { 4 };
        }
    }
    let value = scaled(bits, scale);
    finite(text, Some(if ty == Scalar::F32 { f64::from(value as f32) } else { value }), ty)
}

/// `bits · 2^scale`; powers of two are exact, so that the conversion alone rounds (but for subnormal results).
fn scaled(bits: u128, scale: i64) -> f64 {
    let mut value = bits as f64;
    let mut left = scale.clamp(-4000, 4000) as i32;
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-1000, 1000);
        value *= 2f64.powi(step);
        left -= step;
    }
    value
}

/// The value of a character with its quotes, as an `int`.
/// # Errors
/// It is empty, holds more than one byte, or an escape is unknown.
pub fn character(text: &str) -> Result<i64, LiteralError> {
    let bytes = unescape(unquoted(text))?;
    match bytes[..] {
        [byte] => Ok(i64::from(byte as i8)),
        [] => refuse("a character is missing between the quotes", None),
        _ => refuse(format!("{text} is more than one byte"), Some("put a string between double quotes")),
    }
}

/// The value of a string with its quotes.
/// # Errors
/// An escape is unknown, or escapes do not form UTF-8.
pub fn string(text: &str) -> Result<String, LiteralError> {
    let bytes = unescape(unquoted(text))?;
    String::from_utf8(bytes).or_else(|_| refuse(format!("the escapes in {text} do not form UTF-8"), None))
}

fn unquoted(text: &str) -> &str {
    text.get(1..text.len().saturating_sub(1)).unwrap_or("")
}

fn unescape(text: &str) -> Result<Vec<u8>, LiteralError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character == '\\' {
            let (byte, after) = escape(rest)?;
            out.push(byte);
            rest = after;
        } else {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(out)
}

/// One escape, from behind its `\`: the byte and what follows.
fn escape(text: &str) -> Result<(u8, &str), LiteralError> {
    let Some(kind) = text.chars().next() else {
        return refuse("`\\` stands before the closing quote", None);
    };
    let rest = &text[kind.len_utf8()..];
    let simple = |byte| Ok((byte, rest));
    match kind {
        'n' => simple(b'\n'),
        't' => simple(b'\t'),
        'r' => simple(b'\r'),
        'a' => simple(7),
        'b' => simple(8),
        'v' => simple(11),
        'f' => simple(12),
        '\\' | '\'' | '"' | '?' => simple(kind as u8),
        'x' => digits_value(text, rest, 16, rest.len()),
        '0'..='7' => digits_value(text, text, 8, 3),
        _ => refuse(
            format!("`\\{kind}` is no escape"),
            Some("escapes are \\n \\t \\r \\a \\b \\v \\f \\\\ \\' \\\" \\? \\x… and \\0…"),
        ),
    }
}

fn digits_value<'t>(whole: &str, digits: &'t str, radix: u32, most: usize) -> Result<(u8, &'t str), LiteralError> {
    let len = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    match u8::from_str_radix(&digits[..len], radix) {
        Ok(byte) => Ok((byte, &digits[len..])),
        Err(_) if len == 0 => refuse("`\\x` without a hexadecimal digit", None),
        Err(_) => refuse(format!("`\\{}` does not fit a byte", &whole[..whole.len() - digits.len() + len]), None),
    }
}
