//! Values as directives write them, and their bytes in a type.

use okl::ir::{Module, Scalar, Type};
use okl::value::ScalarValue;

/// A value before its type is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// `1`, `-2.5`, `nan`, `true`
    Number(String),
    /// `{1, 2.5}`: the scalars of a struct in memory order.
    Struct(Vec<String>),
    /// `[1, 2; 3, 4..6]`: numbers or structs.
    List(Vec<Operand>),
    /// `pattern(100)`: so many small numbers.
    Pattern(usize),
    /// `x` or `x[2..5]`: the memory of another argument, or elements of it.
    Alias(String, Option<(usize, usize)>),
    /// `null`
    Null,
}

/// Reads a directive from left to right.
pub(crate) struct Reader<'a> {
    text: &'a str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text: text.trim() }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text
    }

    pub(crate) fn is_done(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn eat(&mut self, token: &str) -> bool {
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest.trim_start();
                true
            }
            None => false,
        }
    }

    pub(crate) fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.text)) }
    }

    /// A name or a number.
    pub(crate) fn word(&mut self) -> Result<String, String> {
        let mut end = 0;
        for (at, c) in self.text.char_indices() {
            let rest = &self.text[at..];
            let is_sign = matches!(c, '-' | '+') && (at == 0 || self.text[..at].ends_with(['e', 'E']));
            if !(c.is_ascii_alphanumeric() || c == '_' || is_sign || (c == '.' && !rest.starts_with(".."))) {
                break;
            }
            end = at + c.len_utf8();
        }
        if end == 0 {
            return Err(format!("expected a name or a number before `{}`", self.text));
        }
        let (word, rest) = self.text.split_at(end);
        self.text = rest.trim_start();
        Ok(word.into())
    }

    pub(crate) fn operand(&mut self) -> Result<Operand, String> {
        if self.eat("[") {
            return self.list();
        }
        if self.eat("{") {
            return self.structure();
        }
        let word = self.word()?;
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
        match word.as_str() {
            "null" => Ok(Operand::Null),
            "nan" | "inf" | "true" | "false" => Ok(Operand::Number(word)),
            "pattern" => {
                self.expect("(")?;
                let len = number(&self.word()?)?;
                self.expect(")")?;
                Ok(Operand::Pattern(len))
            }
            _ if is_number => Ok(Operand::Number(word)),
            _ if self.eat("[") => {
                let start = number(&self.word()?)?;
                self.expect("..")?;
                let end = number(&self.word()?)?;
                self.expect("]")?;
                Ok(Operand::Alias(word, Some((start, end))))
            }
            _ => Ok(Operand::Alias(word, None)),
        }
    }

    fn list(&mut self) -> Result<Operand, String> {
        let mut list = Vec::new();
        while !self.eat("]") {
            if !list.is_empty() {
                self.expect(",")?;
            }
            let item = if self.eat("{") { self.structure()? } else { Operand::Number(self.word()?) };
            if self.eat("..") {
                let Operand::Number(start) = item else {
                    return Err("a range is of integers".into());
                };
                let (start, end): (usize, usize) = (number(&start)?, number(&self.word()?)?);
                list.extend((start..end).map(|k| Operand::Number(k.to_string())));
            } else if self.eat(";") {
                let count = number(&self.word()?)?;
                list.extend(std::iter::repeat_n(item, count));
            } else {
                list.push(item);
            }
        }
        Ok(Operand::List(list))
    }

    /// The scalars of a struct; nested braces only group them.
    fn structure(&mut self) -> Result<Operand, String> {
        let mut fields = Vec::new();
        let mut is_first = true;
        while !self.eat("}") {
            if !is_first {
                self.expect(",")?;
            }
            is_first = false;
            if self.eat("{") {
                let Operand::Struct(inner) = self.structure()? else {
                    continue;
                };
                fields.extend(inner);
            } else {
                fields.push(self.word()?);
            }
        }
        Ok(Operand::Struct(fields))
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|e| format!("`{text}`: {e}"))
}

/// A number in its type; integers must fit it.
pub(crate) fn scalar(text: &str, ty: Scalar) -> Result<ScalarValue, String> {
    let bad = || format!("`{text}` is no `{}`", ty.okl_name());
    let integer = || match text {
        "true" => Ok(1),
        "false" => Ok(0),
        _ => match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).map_err(|_| bad()),
            None => text.parse::<i128>().map_err(|_| bad()),
        },
    };
    macro_rules! fit {
        ($rust:ty) => {
            <$rust>::try_from(integer()?).map_err(|_| bad())?.into()
        };
    }
    Ok(match ty {
        Scalar::Bool => (integer()? != 0).into(),
        Scalar::I8 => fit!(i8),
        Scalar::U8 => fit!(u8),
        Scalar::I16 => fit!(i16),
        Scalar::U16 => fit!(u16),
        Scalar::I32 => fit!(i32),
        Scalar::U32 => fit!(u32),
        Scalar::I64 => fit!(i64),
        Scalar::U64 => fit!(u64),
        Scalar::F32 => text.parse::<f32>().map_err(|_| bad())?.into(),
        Scalar::F64 => text.parse::<f64>().map_err(|_| bad())?.into(),
        // A storage float's own decimals are exact in `double`.
        storage => ScalarValue::from_float(text.parse().map_err(|_| bad())?, storage),
    })
}

/// Bytes of one value of a type.
pub(crate) fn element_bytes(operand: &Operand, ty: &Type, module: &Module) -> Result<Vec<u8>, String> {
    let scalars = scalars(ty, module);
    let texts: Vec<&str> = match operand {
        Operand::Number(text) => vec![text],
        Operand::Struct(texts) => texts.iter().map(String::as_str).collect(),
        _ => return Err(format!("{operand:?} is no element")),
    };
    if texts.len() != scalars.len() {
        return Err(format!("{} values are given for an element of {}", texts.len(), scalars.len()));
    }
    let mut bytes = vec![0; size_of(ty, module)];
    for (text, (ty, at)) in texts.iter().zip(scalars) {
        bytes[at..at + ty.bytes()].copy_from_slice(&scalar(text, ty)?.to_bytes()[..ty.bytes()]);
    }
    Ok(bytes)
}

/// Small numbers whose sums are exact in any order, others for every `seed`.
pub(crate) fn pattern(len: usize, seed: usize, ty: &Type, module: &Module) -> Vec<u8> {
    let (size, scalars) = (size_of(ty, module), scalars(ty, module));
    let mut bytes = vec![0; len * size];
    for (index, element) in bytes.chunks_exact_mut(size).enumerate() {
        for (field, &(ty, at)) in scalars.iter().enumerate() {
            let number = ((index * 7 + seed * 3 + field) % 16) as f64;
            let number = ScalarValue::F64(if ty.is_float() { number * 0.125 - 0.5 } else { number }).cast(ty);
            element[at..at + ty.bytes()].copy_from_slice(&number.expect("it fits every type").to_bytes()[..ty.bytes()]);
        }
    }
    bytes
}

/// Every scalar of a type in memory order, with its offset in bytes.
pub(crate) fn scalars(ty: &Type, module: &Module) -> Vec<(Scalar, usize)> {
    match ty {
        Type::Scalar(scalar) => vec![(*scalar, 0)],
        Type::Struct(id) => {
            let fields = &module.structs[id.0 as usize].fields;
            fields.iter().flat_map(|f| scalars(&f.ty, module).into_iter().map(|(s, at)| (s, at + f.offset))).collect()
        }
        Type::Array(element, _) => {
            let bytes = size_of(element, module);
            let one = scalars(element, module);
            (0..ty.len() as usize).flat_map(|k| one.iter().map(move |&(s, at)| (s, at + k * bytes))).collect()
        }
        Type::Void | Type::Pointer(_) => Vec::new(),
    }
}

/// Size of a type in bytes.
pub(crate) fn size_of(ty: &Type, module: &Module) -> usize {
    match ty {
        Type::Scalar(scalar) => scalar.bytes(),
        Type::Struct(id) => module.structs[id.0 as usize].bytes,
        Type::Array(element, _) => size_of(element, module) * ty.len() as usize,
        Type::Void | Type::Pointer(_) => 0,
    }
}

/// Whether two values are the same: equal bits, or both NaN, or at most `ulp` apart.
pub(crate) fn is_same(a: ScalarValue, b: ScalarValue, ulp: u32) -> bool {
    let (Some(x), Some(y), true) = (a.float(), b.float(), a.ty() == b.ty()) else {
        return a == b;
    };
    // The bits, in the order of the values.
    let order = |value: ScalarValue| {
        let (bits, sign) = (i128::from(value.bits()), 1i128 << (8 * value.ty().bytes() - 1));
        if bits < sign { bits } else { sign - bits }
    };
    x.is_nan() && y.is_nan() || a.bits() == b.bits() || near(order(a), order(b), ulp)
}

fn near(a: i128, b: i128, ulp: u32) -> bool {
    ulp > 0 && (a - b).unsigned_abs() <= u128::from(ulp)
}
